# SPDX-License-Identifier: GPL-3.0-or-later
# check_swift.py GADGET SWIFT: the SWIFT file has the particles of the zoom in GADGET's HDF5 layout (kpc/h), those of types 2, 3 and 5
# as type 2; swiftsimio, if it is installed, gives them their units.
import sys

import h5py
import numpy as np


def rows(group, mass):
    masses = group["Masses"][:] if "Masses" in group else np.full(len(group["ParticleIDs"]), mass)
    return np.column_stack([group["ParticleIDs"][:], group["Coordinates"][:], masses])


with h5py.File(sys.argv[1]) as old, h5py.File(sys.argv[2]) as new:
    header = dict(old["Header"].attrs)
    h, kinds = header["HubbleParam"], [k for k in old if k.startswith("PartType")]
    assert [k for k in new if k.startswith("PartType")] == ["PartType1", "PartType2"], list(new)
    for kind, parts in (("PartType1", ["PartType1"]), ("PartType2", [k for k in kinds if k != "PartType1"])):
        one = np.concatenate([rows(old[k], header["MassTable"][int(k[-1])]) for k in parts])
        two = rows(new[kind], 0)
        assert len(one) == new["Header"].attrs["NumPart_Total"][int(kind[-1])]
        assert np.array_equal(one[:, 0], two[:, 0])
        assert np.allclose(one[:, 1:4] / 1000 / h, two[:, 1:4], rtol=1e-6) and np.allclose(one[:, 4] / h, two[:, 4], rtol=1e-6)
    x = new["PartType1/Coordinates"][:]

if sys.argv[3:] != ["swiftsimio"]:
    sys.exit()
import swiftsimio  # noqa: E402

data = swiftsimio.load(sys.argv[2])
assert np.isclose(data.metadata.redshift, header["Redshift"]) and np.isclose(data.metadata.cosmology.h, h, rtol=1e-4)
assert np.allclose(data.metadata.boxsize.to_value("Mpc"), header["BoxSize"] / 1000 / h)
assert np.allclose(data.dark_matter.coordinates.to_value("Mpc"), x)
assert np.isclose((1.0 * data.dark_matter.velocities.units).to_value("cm/s"), 1e5, rtol=1e-5)  # its year is rounded
assert data.boundary.masses.sum().to_value("Msun") > 0
