# SPDX-License-Identifier: GPL-3.0-or-later
# make_foreign.py OWN FOLDER: writes the particles of our own initial conditions as other codes would, with struct, h5py and
# (make_foreign.py OWN FOLDER pynbody) pynbody, none of which knows this program.
import shutil
import struct
import sys

import h5py
import numpy as np

own_path, folder = sys.argv[1:3]
with h5py.File(own_path) as own:
    header = dict(own["Header"].attrs)
    x = own["PartType1/Coordinates"][:]  # kpc/h
    v = own["PartType1/Velocities"][:].astype(float)  # v_pec / sqrt(a)
    ids = own["PartType1/ParticleIDs"][:]
a, z, box = header["Time"], header["Redshift"], header["BoxSize"]
omega_m, omega_lambda, h = header["Omega0"], header["OmegaLambda"], header["HubbleParam"]
mass, n = header["MassTable"][1], len(ids)


def gadget(path, format, order, real, parts, files=1, total=None):
    """parts: {type: (x, v, ids, mass of all or array)}; order: '<' or '>'; real: 'f' or 'd'."""
    here = [len(parts[t][2]) if t in parts else 0 for t in range(6)]
    table = [float(parts[t][3]) if t in parts and np.isscalar(parts[t][3]) else 0.0 for t in range(6)]
    head = struct.pack(order + "6I6d2d2i6I2i4d2i6I", *here, *table, a, z, 0, 0, *(total or here), 0, files, box, omega_m,
                       omega_lambda, h, 0, 0, *[0] * 6).ljust(256, b"\0")
    types = sorted(parts)
    join = lambda k: np.concatenate([np.asarray(parts[t][k]) for t in types])
    blocks = [(b"HEAD", head), (b"POS ", join(0).astype(order + real).tobytes()), (b"VEL ", join(1).astype(order + real).tobytes()),
              (b"ID  ", join(2).astype(order + "u4").tobytes())]
    own_mass = [parts[t][3] for t in types if not np.isscalar(parts[t][3])]
    if own_mass:
        blocks.append((b"MASS", np.concatenate(own_mass).astype(order + real).tobytes()))
    with open(path, "wb") as file:
        for name, data in blocks:
            mark = struct.pack(order + "I", len(data))
            if format == 2:
                file.write(struct.pack(order + "I4sII", 8, name, len(data) + 8, 8))
            file.write(mark + data + mark)


def with_pynbody(path):
    import pynbody
    snap = pynbody.new(dm=n)
    snap["pos"] = pynbody.array.SimArray(x, "kpc a h**-1")
    snap["vel"] = pynbody.array.SimArray(v, "km s**-1 a**1/2")
    snap["mass"] = pynbody.array.SimArray(np.full(n, mass), "1e10 Msol h**-1")
    snap["iord"] = ids
    snap.properties.update(a=a, z=z, h=h, omegaM0=omega_m, omegaL0=omega_lambda,
                           boxsize=pynbody.units.Unit(f"{box} kpc a h**-1"))
    snap.write(fmt=pynbody.snapshot.gadget.GadgetSnap, filename=path)


def old_hdf5(path, length, parts):
    """As GADGET-2 and 3: no units anywhere."""
    with h5py.File(path, "w") as file:
        top = file.create_group("Header").attrs
        top["NumPart_ThisFile"] = top["NumPart_Total"] = np.array([len(parts[t][2]) if t in parts else 0 for t in range(6)], "u4")
        top["NumPart_Total_HighWord"] = np.zeros(6, "u4")
        top["MassTable"] = [parts[t][3] if t in parts and np.isscalar(parts[t][3]) else 0.0 for t in range(6)]
        top["Time"], top["Redshift"], top["BoxSize"], top["NumFilesPerSnapshot"] = a, z, box * length, 1
        top["Omega0"], top["OmegaLambda"], top["HubbleParam"] = omega_m, omega_lambda, h
        for t, (px, pv, pi, pm) in parts.items():
            group = file.create_group(f"PartType{t}")
            group["Coordinates"], group["Velocities"], group["ParticleIDs"] = px * length, pv, pi.astype("u4")
            if not np.isscalar(pm):
                group["Masses"] = pm


def swift(path):
    """Initial conditions for SWIFT: Mpc, 1e10 Msun, km/s without h, peculiar velocities; the cosmology is not in the file."""
    with h5py.File(path, "w") as file:
        top = file.create_group("Header").attrs
        top["BoxSize"], top["Dimension"], top["Flag_Entropy_ICs"] = np.full(3, box / 1000 / h), 3, 0
        top["NumPart_ThisFile"] = top["NumPart_Total"] = np.array([0, n, 0, 0, 0, 0, 0], "u4")
        top["NumPart_Total_HighWord"], top["MassTable"], top["NumFilesPerSnapshot"] = np.zeros(7, "u4"), np.zeros(7), 1
        units = file.create_group("Units").attrs
        units["Unit length in cgs (U_L)"], units["Unit mass in cgs (U_M)"] = 3.0856775814913673e24, 1.98841e43
        units["Unit time in cgs (U_t)"] = 3.0856775814913673e19
        units["Unit current in cgs (U_I)"] = units["Unit temperature in cgs (U_T)"] = 1.0
        group = file.create_group("PartType1")
        group["Coordinates"], group["Velocities"] = x / 1000 / h, v * np.sqrt(a)
        group["ParticleIDs"], group["Masses"] = ids, np.full(n, mass / h)


def coarsened():
    """A zoom: outside of a sphere blocks of 2^3 particles are one, in two types by distance; {type: (x, v, ids, mass)}."""
    side = round(n ** (1 / 3))
    place = np.stack(np.unravel_index(ids.astype(int), (side, side, side)), axis=1)
    block = place // 2
    number = (block[:, 0] * side + block[:, 1]) * side + block[:, 2]
    distance = np.linalg.norm((block + 0.5) * 2 - side / 2, axis=1)
    fine = distance < side / 4
    parts = {1: (x[fine], v[fine], ids[fine], float(mass))}
    for t, chosen in ((2, ~fine & (distance < side / 2.5)), (3, distance >= side / 2.5)):
        blocks = [np.flatnonzero(chosen & (number == k)) for k in np.unique(number[chosen])]
        first = np.array([b[0] for b in blocks])
        mean = lambda q, wrap: np.array([(q[b] - q[b[0]] - (box * np.round((q[b] - q[b[0]]) / box) if wrap else 0)).mean(0)
                                         for b in blocks]) + q[first]
        heavy = float(8 * mass) if t == 2 else np.full(len(blocks), 8 * mass)
        parts[t] = (mean(x, True) % box, mean(v, False), ids[first], heavy)
    return parts


whole = {1: (x, v, ids, float(mass))}
gadget(f"{folder}/one.gadget", 1, "<", "f", whole)
gadget(f"{folder}/double.gadget", 1, "<", "d", whole)
half = n // 2
for k, rows in enumerate((slice(0, half), slice(half, n))):
    gadget(f"{folder}/two.{k}", 2, ">", "d", {1: (x[rows], v[rows], ids[rows], float(mass))}, 2, [0, n, 0, 0, 0, 0])
old_hdf5(f"{folder}/no_units.hdf5", 1e-3, whole)
swift(f"{folder}/swift.hdf5")
zoom = coarsened()
old_hdf5(f"{folder}/zoom.hdf5", 1, zoom)
gadget(f"{folder}/zoom.gadget", 2, "<", "d", zoom)
gadget(f"{folder}/gas.gadget", 1, "<", "f", {0: (x[:3], v[:3], ids[:3], 1.0), 1: (x[3:], v[3:], ids[3:], float(mass))})
bad = v.copy()
bad[n // 2, 1] = np.nan
gadget(f"{folder}/nan.gadget", 1, "<", "f", {1: (x, bad, ids, float(mass))})
gadget(f"{folder}/none.gadget", 1, "<", "f", {1: (x[:0], v[:0], ids[:0], 1.0)})
if sys.argv[3:] == ["pynbody"]:
    with_pynbody(f"{folder}/pynbody.gadget")

# The zoom in our own format: one type, a mass for each.
shutil.copy(own_path, f"{folder}/own_zoom.hdf5")
with h5py.File(f"{folder}/own_zoom.hdf5", "r+") as file:
    join = lambda k: np.concatenate([zoom[t][k] for t in (1, 2, 3)])
    masses = np.concatenate([np.broadcast_to(zoom[t][3], len(zoom[t][2])) for t in (1, 2, 3)])
    group = file["PartType1"]
    for name, data in (("Coordinates", join(0)), ("Velocities", join(1)), ("ParticleIDs", join(2)), ("Masses", masses)):
        if name in group:
            del group[name]
        group[name] = data
    counts = np.array([0, len(masses), 0, 0, 0, 0], "u8")
    for name, value in (("NumPart_ThisFile", counts), ("NumPart_Total", counts), ("MassTable", np.zeros(6))):
        file["Header"].attrs[name] = value
    file["Run"].attrs["spacing"] = 0.0
