# SPDX-License-Identifier: GPL-3.0-or-later
"""check_export.py SNAPSHOT TIPSY RAW_FOLDER ACCELERATIONS: the exported particles are those of the snapshot; then writes
accelerations whose errors are known: 1% of them 1e-2, the rest 1e-4, in reversed order with their numbers."""
import os
import struct
import sys

import h5py
import numpy as np
from peer_files import FIRST_DARK_ID, RAW_ARRAYS, read_raw, read_snapshot, read_tipsy

snapshot, tipsy, raw, accelerations = sys.argv[1:]
with h5py.File(snapshot) as file:
    ids = file["PartType1/ParticleIDs"][:]
    x = file["PartType1/Coordinates"][:] - file["Run"].attrs["origin"]
    v = file["PartType1/Velocities"][:]
    m = file["Header"].attrs["MassTable"][1]
n = len(ids)

# Byte by byte, as another program would read it.
with open(tipsy, "rb") as file:
    data = file.read()
assert len(data) == 32 + 36 * n
assert struct.unpack("<d6i", data[:32]) == (0.0, n, 3, 0, n, 0, 2)
for i in (0, 1, n - 1):
    *numbers, number = struct.unpack("<7fQ", data[32 + 36 * i:68 + 36 * i])
    assert number == FIRST_DARK_ID + int(ids[i])
    assert np.array_equal(np.float32(numbers), np.float32([m, *x[i], *v[i]])), (i, numbers)

back, whole = read_tipsy(tipsy), read_snapshot(snapshot)
for name in ("position", "velocity", "mass", "id"):
    assert np.array_equal(back[name], whole[name].astype(back[name].dtype)), name
    kind, width = RAW_ARRAYS[name]
    assert np.array_equal(read_raw(os.path.join(raw, f"{name}.raw"), kind, width), whole[name]), name
assert np.array_equal(whole["position"], x) and len(np.unique(whole["id"])) == n

d = x[None, :, :] - x[:, None, :]
r2 = np.einsum("ijk,ijk->ij", d, d) + 0.05**2
exact = float(m) * np.einsum("ij,ijk->ik", r2**-1.5, d)
error = np.where(np.arange(n) % 100 < 2, 1e-2, 1e-4)
(exact * (1 + error[:, None]))[::-1].astype("<f8").tofile(accelerations)
ids[::-1].astype("<u8").tofile(accelerations + ".ids")
