# SPDX-License-Identifier: GPL-3.0-or-later
import os
import pathlib

import numpy as np
import pytest

import multiwalk as mw

# Left out where tests/check.sh runs without --all.
long = pytest.mark.skipif(bool(os.environ.get("MULTIWALK_QUICK")), reason="long: tests/check.sh --all runs it")


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def box():
    """A small box that runs in about a second."""
    return mw.Parameters(run={"directory": "box"}, model={"kind": "box", "box_size": 20, "seed": 3},
                         ic={"grid": 16, "z_start": 24}, force={"accuracy": "fast"},
                         time={"z_end": 1, "eta": 0.3}, output={"redshifts": [3], "error_sample": 0, "census_epochs": 0})


@pytest.fixture
def cluster():
    """Particles of a Plummer sphere of unit mass."""
    random = np.random.default_rng(1)
    radius = 0.6 / np.sqrt(random.uniform(0.05, 1, 3000) ** (-2 / 3) - 0.9)
    x = random.normal(size=(3000, 3))
    return radius[:, None] * x / np.linalg.norm(x, axis=1)[:, None], np.full(3000, 1 / 3000)


@pytest.fixture
def source():
    return pathlib.Path(os.environ["MULTIWALK_SOURCE"])
