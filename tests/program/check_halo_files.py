# SPDX-License-Identifier: GPL-3.0-or-later
"""check_halo_files.py READER SNAPSHOT CATALOGUE OTHER TABLE: a run's snapshot and catalogue, the catalogue and table
that `multiwalk halos` made of that snapshot, as READER (h5py, pynbody or yt) reads them."""

import csv
import os
import sys

import h5py
import numpy as np

reader, snapshot, catalogue, other, table = sys.argv[1:]
with open(table) as lines:
    rows = list(csv.DictReader(lines))
particles = np.array([int(row["particles"]) for row in rows])

with h5py.File(snapshot) as s, h5py.File(catalogue) as c, h5py.File(other) as o:
    header = c["Header"].attrs
    assert header["Ngroups_Total"] == len(rows) == len(c["Group/GroupLen"])
    assert header["Nids_Total"] == particles.sum() == len(c["IDs/ID"])
    for key in ("BoxSize", "Time", "Redshift", "HubbleParam"):
        assert np.isclose(header[key], s["Header"].attrs[key], rtol=1e-14), key
    ids, positions = s["PartType1/ParticleIDs"][:], s["PartType1/Coordinates"][:]
    mass = s["Header"].attrs["MassTable"][1]
    length, offset = c["Group/GroupLen"][:], c["Group/GroupOffsetType"][:, 1]
    assert (length == particles).all() and (np.diff(c["Group/GroupMass"][:]) <= 0).all()
    assert np.array_equal(ids[: length.sum()], c["IDs/ID"][:])
    for k in range(len(length)):
        members = slice(offset[k], offset[k] + length[k])
        assert ids[members].min() == c["Group/GroupId"][k] == int(rows[k]["id"])
        assert np.isclose(length[k] * mass, c["Group/GroupMass"][k], rtol=1e-6)
        assert np.allclose(positions[members].mean(axis=0), c["Group/GroupCM"][k], rtol=1e-9)
        assert (np.linalg.norm(positions[members] - c["Group/GroupPos"][k], axis=1) <= c["Group/GroupExtent"][k] * 1.00001).all()
        radius = c["Group/Group_R_Crit200"][k]
        inside = np.linalg.norm(positions - c["Group/GroupPos"][k], axis=1) <= radius * 1.00001
        assert np.isclose(inside.sum() * mass, c["Group/Group_M_Crit200"][k], rtol=1e-5)
    assert np.array_equal(o["IDs/ID"][:], c["IDs/ID"][:]) and "GroupOffsetType" not in o["Group"]
    places, origin = c["Group/GroupPos"][:], c["Run"].attrs["origin"]
    assert np.array_equal(origin, s["Run"].attrs["origin"])
    centred = "_from_centre" if origin.any() else ""
    listed = np.array([[float(row[f"{axis}{centred}[Mpc/h]"]) for axis in "xyz"] for row in rows])
    assert np.allclose(1000 * listed + origin, places, rtol=1e-12)
    a, velocities = header["Time"], s["PartType1/Velocities"][:] * np.sqrt(header["Time"])
    for k in range(len(length)):  # of what is inside r200
        inside = np.linalg.norm(positions - places[k], axis=1) <= c["Group/Group_R_Crit200"][k] * (1 + 1e-6)
        if not inside.any():
            continue
        relative = velocities[inside] - velocities[inside].mean(axis=0)
        spin = np.cross(a * (positions[inside] - places[k]), relative).mean(axis=0)
        size = np.sqrt(np.sum(relative**2, axis=1).mean()) * c["Group/Group_R_Crit200"][k]
        assert np.allclose(c["Subhalo/SubhaloSpin"][k], spin, atol=1e-4 * size)
        assert c["Subhalo/SubhaloConcentration"][k] > 2.16 and 0 < c["Subhalo/SubhaloSpinPeebles"][k] < 1
        assert np.isclose(c["Subhalo/SubhaloSpinBullock"][k], float(rows[k]["lambda_bullock"]), rtol=1e-6)

if reader == "pynbody":
    import pynbody

    halos = pynbody.load(snapshot).halos(filename=catalogue)
    assert len(halos) == len(length)
    for k in range(len(length)):
        assert np.array_equal(np.sort(halos[k]["iord"]), np.sort(ids[offset[k] : offset[k] + length[k]]))
        assert np.allclose(halos[k].properties["GroupPos"].in_units("kpc a h^-1", a=1, h=1), places[k])

if reader == "yt":
    import yt

    yt.set_log_level(50)
    link = catalogue.replace(".hdf5", ".0.hdf5")  # the only name that yt looks for
    os.symlink(os.path.abspath(catalogue), link)
    ds = yt.load(link, unit_base={"UnitLength_in_cm": 3.085678e21})
    data = ds.all_data()
    assert np.allclose(data["Group", "particle_position"].to("code_length"), places)
    assert np.array_equal(ds.halo("Group", 1)["Group", "member_ids"].astype(int), ids[offset[1] : offset[1] + length[1]])
