# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles of a Newtonian snapshot of Multiwalk, and files that other codes read."""
import sys

try:
    import h5py
    import numpy as np
except ImportError as error:
    sys.exit(f"{error.name} is missing: pip install numpy h5py")

# Bonsai's type of a particle follows from its number: those from here on are dark matter.
FIRST_DARK_ID = 3 * 10**18

TIPSY_HEADER = np.dtype(
    [("time", "<f8"), ("bodies", "<i4"), ("dimensions", "<i4"), ("gas", "<i4"), ("dark", "<i4"), ("stars", "<i4"),
     ("version", "<i4")])
# Version 2: a number of 64 bits where other versions have a softening and a potential.
TIPSY_DARK = np.dtype([("mass", "<f4"), ("position", "<f4", 3), ("velocity", "<f4", 3), ("id", "<u4", 2)])
assert TIPSY_HEADER.itemsize == 32 and TIPSY_DARK.itemsize == 36

RAW_ARRAYS = {"position": ("<f8", 3), "velocity": ("<f4", 3), "mass": ("<f4", 1), "id": ("<u8", 1)}


class Fault(Exception):
    """What is wrong, in one line."""


def exit_with_one_line(main):
    try:
        main()
    except (Fault, OSError) as fault:
        sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {' '.join(str(fault).split())}")


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_snapshot(path):
    """{time, position (N, 3), velocity (N, 3), mass (N), id (N)} in the file's order."""
    if not h5py.is_hdf5(path):
        raise Fault(f"{path} is no HDF5 snapshot: multiwalk ic PARAM.toml -o {path} makes one")
    with h5py.File(path, "r") as file:
        run = file["Run"].attrs if "Run" in file else {}
        if text_of(run.get("frame", "")) != "newtonian":
            raise Fault(f"{path} is not Newtonian: peers are compared without expansion")
        header, particles = file["Header"].attrs, file["PartType1"]
        if int(header["NumFilesPerSnapshot"]) != 1:
            raise Fault(f"{path} is one of several files: set output.files_per_snapshot = 1")
        number = len(particles["Coordinates"])
        position = particles["Coordinates"][:].astype(np.float64) - np.asarray(run.get("origin", np.zeros(3)))
        mass = particles["Masses"][:] if "Masses" in particles else np.full(number, header["MassTable"][1])
        return {"time": float(header["Time"]), "position": position, "velocity": particles["Velocities"][:],
                "mass": mass.astype(np.float32), "id": particles["ParticleIDs"][:].astype(np.uint64)}


def write_tipsy(path, particles):
    """All particles are dark matter; numbers start at FIRST_DARK_ID."""
    number = len(particles["mass"])
    if number >= 2**31:
        raise Fault(f"{number} particles: a tipsy file has less than 2^31")
    header = np.zeros(1, TIPSY_HEADER)
    header[0] = (particles["time"], number, 3, 0, number, 0, 2)
    body = np.empty(number, TIPSY_DARK)
    for name in ("mass", "position", "velocity"):
        body[name] = particles[name]
    body["id"] = (particles["id"] + np.uint64(FIRST_DARK_ID)).astype("<u8").view("<u4").reshape(number, 2)
    with open(path, "wb") as file:
        header.tofile(file)
        body.tofile(file)


def read_tipsy(path):
    """What write_tipsy wrote."""
    with open(path, "rb") as file:
        header = np.fromfile(file, TIPSY_HEADER, 1)
        if len(header) == 0 or header["version"][0] != 2 or header["dark"][0] != header["bodies"][0]:
            raise Fault(f"{path} is no tipsy file of version 2 with dark matter alone")
        body = np.fromfile(file, TIPSY_DARK)
    if len(body) != header["bodies"][0]:
        raise Fault(f"{path} has {len(body)} particles, its header says {header['bodies'][0]}")
    number = np.ascontiguousarray(body["id"]).view("<u8").reshape(-1) - np.uint64(FIRST_DARK_ID)
    return {"time": float(header["time"][0]), "position": body["position"], "velocity": body["velocity"],
            "mass": body["mass"], "id": number}


def write_raw(folder, particles):
    """A file for each array, without a header, in C order."""
    for name, (kind, _) in RAW_ARRAYS.items():
        np.ascontiguousarray(particles[name], dtype=kind).tofile(f"{folder}/{name}.raw")


def read_raw(path, kind, width):
    values = np.fromfile(path, kind)
    if len(values) % width != 0:
        raise Fault(f"{path} has {len(values)} numbers, which is no multiple of {width}")
    return values.reshape(-1, width) if width > 1 else values
