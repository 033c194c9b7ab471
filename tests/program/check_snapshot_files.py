# SPDX-License-Identifier: GPL-3.0-or-later
"""check_snapshot_files.py READER SNAPSHOT...: h5py finds whole snapshots, pynbody and yt the numbers of h5py."""

import sys

import h5py
import numpy as np


def read(path):
    with h5py.File(path) as file:
        header, particles = dict(file["Header"].attrs), file["PartType1"]
        order = np.argsort(particles["ParticleIDs"][:])
        columns = [particles[name][:][order] for name in ("ParticleIDs", "Coordinates", "Velocities")]
    return header, columns


def check_h5py(path):
    header, (ids, places, velocities) = read(path)
    assert header["NumPart_Total"][1] == len(ids) == len(places) == len(velocities) > 1000
    assert len(np.unique(ids)) == len(ids)
    assert np.isfinite(velocities).all() and velocities.std() > 0
    with h5py.File(path) as file:
        stated = dict(file["Parameters"].attrs)
    assert stated["model.kind"] in (b"sphere", b"box") and stated["run.title"] == b"Multiwalk run"
    assert stated["force.softening"] == b"auto" and stated["ic.grid"].dtype.kind == "i" and stated["time.eta"] < 1
    assert stated["output.power"] == 1 and "output.redshifts" not in stated
    assert places.min() >= 0 and places.max() <= header["BoxSize"] and places.std() > 0.1 * header["BoxSize"]


def check_pynbody(path):
    import pynbody

    header, (ids, places, velocities) = read(path)
    snapshot = pynbody.load(path)
    units = snapshot.conversion_context()
    order = np.argsort(snapshot.dm["iord"])
    assert np.array_equal(snapshot.dm["iord"][order], ids)
    assert len(snapshot) == len(snapshot.dm) == len(ids)
    assert np.allclose(snapshot.dm["pos"].in_units("kpc a h^-1", **units)[order], places, rtol=1e-6)
    peculiar = np.sqrt(header["Time"]) * velocities
    assert np.allclose(snapshot.dm["vel"].in_units("km s^-1", **units)[order], peculiar, rtol=1e-5, atol=1e-4)
    assert np.allclose(snapshot.dm["mass"].in_units("1e10 Msol h^-1", **units), header["MassTable"][1], rtol=1e-5)
    told = snapshot.properties
    assert np.isclose(told["a"], header["Time"]) and np.isclose(told["z"], header["Redshift"], atol=1e-12)
    assert np.isclose(told["boxsize"].in_units("kpc a h^-1", **units), header["BoxSize"])
    for name, key in (("omegaM0", "Omega0"), ("omegaL0", "OmegaLambda"), ("h", "HubbleParam")):
        assert np.isclose(told[name], header[key]), name


def check_yt(path):
    import yt

    yt.set_log_level(50)
    header, (ids, places, velocities) = read(path)
    ds = yt.load(path)
    data = ds.all_data()
    found = data["PartType1", "particle_index"].astype(np.int64)
    order = np.argsort(found)
    assert np.array_equal(found[order], ids)
    assert np.allclose(data["PartType1", "particle_position"].to("kpccm/h")[order], places, rtol=1e-6)
    peculiar = np.sqrt(header["Time"]) * velocities
    assert np.allclose(data["PartType1", "particle_velocity"].to("km/s")[order], peculiar, rtol=1e-5, atol=1e-4)
    assert np.allclose(data["PartType1", "particle_mass"].to("Msun/h"), header["MassTable"][1] * 1e10, rtol=1e-4)
    assert np.isclose(ds.current_redshift, header["Redshift"], atol=1e-12)
    assert np.allclose(ds.domain_width.to("kpccm/h"), header["BoxSize"])
    for name, key in (("omega_matter", "Omega0"), ("omega_lambda", "OmegaLambda"), ("hubble_constant", "HubbleParam")):
        assert np.isclose(getattr(ds, name), header[key]), name


check = {"h5py": check_h5py, "pynbody": check_pynbody, "yt": check_yt}[sys.argv[1]]
for snapshot in sys.argv[2:]:
    check(snapshot)
