# SPDX-License-Identifier: GPL-3.0-or-later
# check_converted.py READER OWN FILE...: pynbody or yt finds the particles of our own snapshot (kpc/h) in files of GADGET's formats 1
# and 2 in single precision.
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[2]) as file:
    x, v, a = file["PartType1/Coordinates"][:], file["PartType1/Velocities"][:], file["Header"].attrs["Time"]
    ids, mass = file["PartType1/ParticleIDs"][:], file["Header"].attrs["MassTable"][1]


def check_pynbody(path):
    import pynbody

    snap = pynbody.load(path)
    assert np.isclose(snap.properties["a"], a) and np.array_equal(snap.dm["iord"], ids)
    for name, values in (("pos", x), ("vel", v), ("mass", np.full(len(ids), mass))):
        assert np.allclose(np.asarray(snap.dm[name]), values, rtol=1e-6, atol=1e-4), name


def check_yt(path):
    import yt

    yt.set_log_level(50)
    units = {"length": (1, "kpccm/h"), "mass": (1e10, "Msun/h"), "velocity": (1, "km/s")}
    snap = yt.load(path, unit_base=units, bounding_box=[[0, 32000]] * 3)
    found = np.sort(np.asarray(snap.all_data()["Halo", "Coordinates"]), axis=0)
    assert np.allclose(found, np.sort(x, axis=0), rtol=1e-6, atol=1e-3)
    assert np.isclose(snap.current_redshift, 1 / a - 1)


for path in sys.argv[3:]:
    {"pynbody": check_pynbody, "yt": check_yt}[sys.argv[1]](path)
