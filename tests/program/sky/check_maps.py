# SPDX-License-Identifier: GPL-3.0-or-later
"""check_maps.py RUN [WHOLE | start SNAPSHOT]: the density grid and the lens planes of RUN are those of its snapshots, computed here
by other means; with WHOLE they also have the same data as those of that run; with start they are those of the snapshot alone."""
import glob
import json
import os
import sys

import h5py
import numpy as np
from astropy import units as u
from astropy.cosmology import w0waCDM
from astropy.io import fits
from scipy.integrate import quad

LIGHT = 299792.458


def snapshot(path):
    """Positions and side in Mpc/h, redshift."""
    with h5py.File(path) as f:
        x, side = f["PartType1/Coordinates"][:].astype(float), float(f["Header"].attrs["BoxSize"])
        return x / 1000, side / 1000, f["Header"].attrs["Redshift"]


def cic(places, cells):
    """Clouds of side 1 at places (N, d) in cells; point i at i."""
    base = np.floor(places).astype(int)
    part = places - base
    grid = np.zeros((cells,) * places.shape[1])
    for corner in np.ndindex((2,) * places.shape[1]):
        c = np.array(corner)
        np.add.at(grid, tuple(((base + c) % cells).T), np.prod(np.where(c, part, 1 - part), axis=1))
    return grid


def check_grid(run, number, path):
    x, side, z = snapshot(path)
    with h5py.File(f"{run}/grid_{number:03d}.hdf5") as f:
        density, header = f["Density"][:], dict(f["Header"].attrs)
    cells = int(header["Cells"])
    assert density.shape == (cells,) * 3 and density.dtype == np.float32
    assert abs(header["Redshift"] - z) < 1e-9 and abs(header["BoxSize"] - side) < 1e-6, (header["Redshift"], z)
    expected = cic(x / side * cells, cells) * cells**3 / len(x)
    assert np.allclose(density, expected, rtol=0, atol=1.5e-6), abs(density - expected).max()
    assert density.std() > 0.1


def check_planes(run, number, path, pixels, slabs, normals):
    x, side, z = snapshot(path)
    seen = 0
    for normal in normals:
        across = [k for k in range(3) if k != normal]
        for s in range(slabs):
            plane_path = f"{run}/snap{number}_densityPlane{s}_normal{normal}.fits"
            with fits.open(plane_path) as hdus:
                assert len(hdus) == 1
                header, plane = hdus[0].header, hdus[0].data
            # As LensTools reads it.
            cosmology = w0waCDM(H0=header["H0"] * u.km / u.s / u.Mpc, Om0=header["OMEGA_M"], Ode0=header["OMEGA_L"],
                                w0=header["W0"], wa=header["WA"])
            h = header["h"]
            assert abs(header["Z"] - z) < 1e-9 and abs(header["SIDE"] - side) < 1e-6 and header["UNIT"] == ""
            efunc = lambda a: np.sqrt(header["OMEGA_M"] / a**3 + header["OMEGA_L"])
            chi = quad(lambda a: LIGHT / 100 / (a**2 * efunc(a)), 1 / (1 + z), 1)[0]
            assert abs(header["CHI"] / chi - 1) < 1e-6, (header["CHI"], chi)
            assert abs(header["ANGLE"] / np.degrees(side / chi) - 1) < 1e-6, (header["ANGLE"], side, chi)
            assert abs(cosmology.comoving_distance(header["Z"]).value * h / chi - 1) < 1e-3
            inside = np.minimum((x[:, normal] / side * slabs).astype(int), slabs - 1) == s
            assert header["NPART"] == inside.sum()
            density = cic(x[inside][:, across] / side * pixels - 0.5, pixels) * pixels**2 * slabs / len(x)
            factor = 1.5 * header["OMEGA_M"] * (100 / LIGHT) ** 2 * chi * (side / slabs) * (1 + z)
            assert np.allclose(plane, factor * (density - 1), rtol=0, atol=3e-14 * factor), plane_path
            assert plane.std() > 0.05 * factor
            seen += 1
    assert len(glob.glob(f"{run}/snap{number}_densityPlane*.fits")) == seen


def check_same(run, other):
    paths = sorted(glob.glob(f"{other}/grid_*.hdf5") + glob.glob(f"{other}/snap*.fits"))
    assert paths and len(paths) == len(glob.glob(f"{run}/grid_*.hdf5") + glob.glob(f"{run}/snap*.fits"))
    for path in paths:
        mine = path.replace(other, run)
        if path.endswith(".fits"):
            assert open(path, "rb").read() == open(mine, "rb").read(), path
        else:
            with h5py.File(path) as a, h5py.File(mine) as b:
                assert (a["Density"][:] == b["Density"][:]).all(), path


def check_report(run):
    """The report lists all files, each with its redshift."""
    listed = json.load(open(f"{run}/report.json"))["running_outputs"]
    files = [file for output in listed for file in output["files"]]
    there = glob.glob(f"{run}/grid_*.hdf5") + glob.glob(f"{run}/snap[0-9]*_densityPlane*.fits")
    assert sorted(files) == sorted(os.path.basename(path) for path in there), (files, there)
    for output in listed:
        for file in output["files"]:
            if file.startswith("grid_"):
                with h5py.File(f"{run}/{file}") as f:
                    assert abs(f["Header"].attrs["Redshift"] - output["z"]) < 1e-9, file


run = sys.argv[1]
check_report(run)
if len(sys.argv) > 3:
    check_grid(run, 0, sys.argv[3])
    check_planes(run, 0, sys.argv[3], 24, 2, [0, 1, 2])
    assert len(glob.glob(f"{run}/grid_*.hdf5")) == 1
elif len(sys.argv) > 2:
    check_same(run, sys.argv[2])
else:
    # Outputs at z = 1 and 0; grids at 9 (the start), 1 and 0.5, planes at every output before z = 0.
    check_grid(run, 1, f"{run}/snapshot_000.hdf5")
    for number, z in enumerate((9, 1, 0.5)):
        with h5py.File(f"{run}/grid_{number:03d}.hdf5") as f:
            assert abs(f["Header"].attrs["Redshift"] - z) < 1e-9, (number, z)
    assert len(glob.glob(f"{run}/grid_*.hdf5")) == 3
    check_planes(run, 0, f"{run}/snapshot_000.hdf5", 24, 2, [0, 2])
    assert not glob.glob(f"{run}/snap1_*")
