# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages that bring an HDF5 of their own work in one process with the module, imported in any order."""
import importlib.util
import itertools
import pathlib
import subprocess
import sys

import pytest

import multiwalk

WRITE_AND_READ = {
    "multiwalk": """
p = multiwalk.Parameters(model={"kind": "box", "box_size": 20}, ic={"grid": 4})
multiwalk.initial_conditions(p).write("conditions.hdf5")
assert len(multiwalk.open("conditions.hdf5").particles.position) == 64
""",
    "h5py": """
with h5py.File("a.hdf5", "w") as file:
    file.create_dataset("x", data=[1.0, 2.0, 3.0], chunks=True, compression="gzip")
with h5py.File("a.hdf5") as file:
    assert list(file["x"]) == [1, 2, 3]
try:
    h5py.File("missing.hdf5")
    raise AssertionError("a file that is not there was opened")
except FileNotFoundError:
    pass
""",
    "netCDF4": """
with netCDF4.Dataset("a.nc", "w") as file:
    file.createDimension("n", 3)
    file.createVariable("x", "f8", ("n",), zlib=True)[:] = [1, 2, 3]
with netCDF4.Dataset("a.nc") as file:
    assert list(file["x"][:]) == [1, 2, 3]
"""}
PUBLIC = "import os, sys; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)\n"


BUNDLED = list(pathlib.Path(multiwalk.__file__).parents[1].glob("multiwalk.libs/libhdf5*"))


@pytest.mark.parametrize("start", ["", PUBLIC] if BUNDLED else [""])
@pytest.mark.parametrize("order", [*itertools.permutations(["multiwalk", "h5py"]), *itertools.permutations(WRITE_AND_READ)],
                         ids="-".join)
def test_any_order(order, start):
    """Even where the user makes the symbols of each library visible to all others, if the wheel brings its own HDF5."""
    for name in order:
        if not importlib.util.find_spec(name):
            pytest.skip(f"no {name} here")
    imports = "".join(f"import {name}{'._multiwalk' * (name == 'multiwalk')}\n" for name in order)
    code = start + imports + 2 * "".join(WRITE_AND_READ[name] for name in order)
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
