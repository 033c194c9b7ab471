# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutorials run, and say what they should."""
import importlib.util
import pathlib
import subprocess
import sys

import pytest
from conftest import long


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="no matplotlib here")
@pytest.mark.parametrize("name, says, files", [
    pytest.param("box", "velocities of", ["power.png", "mass_function.png", "box.png", "halo.png"], marks=long),
    ("forces", "energy error", ["errors.png"]), pytest.param("in_situ", "", ["in_situ.png"], marks=long),
    pytest.param("star_cluster", "energy error", ["lagrangian_radii.png"], marks=long)])
def test_tutorial(source, name, says, files):
    path = source / f"run/python/tutorials/{name}.py"
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) < 30
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert ran.returncode == 0 and says in ran.stdout, ran.stderr
    for file in files:
        assert pathlib.Path(file).read_bytes().startswith(b"\x89PNG")
