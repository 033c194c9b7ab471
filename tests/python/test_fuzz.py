# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of all kinds, in a process of their own so that a crash is seen: each call is answered by a result or an exception."""
import pathlib
import subprocess
import sys

import pytest
from conftest import long


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=long), pytest.param(3, marks=long)])
def test_no_argument_crashes(seed):
    ran = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("fuzz.py"), str(seed), "1200"],
                         capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, f"after these calls: {ran.stderr[-2000:]}"
    counts = {name: (int(results), int(refused)) for name, results, refused in
              (line.rsplit(None, 2) for line in ran.stdout.splitlines())}
    for name in ("forces", "direct_forces", "power_spectrum", "halos", "image", "parameters", "particles"):
        assert min(counts[name]) > 0, counts
    assert all(sum(count) > 20 for count in counts.values()), counts
