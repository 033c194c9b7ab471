# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutorials run, and say what they should."""
import importlib.util
import pathlib
import subprocess
import sys

import pytest


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="no matplotlib here")
@pytest.mark.parametrize("name, says, files", [
    ("box", "velocities of", ["power.png", "mass_function.png", "box.png", "halo.png"]),
    ("forces", "energy error", ["errors.png"]), ("in_situ", "", ["in_situ.png"]),
    ("star_cluster", "energy error", ["lagrangian_radii.png"])])
def test_tutorial(source, name, says, files):
    path = source / f"run/python/tutorials/{name}.py"
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) < 30
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert ran.returncode == 0 and says in ran.stdout, ran.stderr
    for file in files:
        assert pathlib.Path(file).read_bytes().startswith(b"\x89PNG")
