# SPDX-License-Identifier: GPL-3.0-or-later
"""check_light_cone.py RUN OPENING [WHOLE]: the files of a light cone agree with each other, in HDF5, astropy and healpy, and
with the part of the sky that the run WHOLE saw. OPENING
halos: the whole sky, with halos; kappa: the files of `multiwalk sky`; same: all HDF5 files have the data of those of WHOLE."""
import glob
import sys

import h5py
import healpy
import numpy as np
from astropy.io import fits
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

NAN = healpy.UNSEEN
LIGHT = 299792.458
CRITICAL_DENSITY = 27.7536627  # 1e10 Msun/h / (Mpc/h)^3


def particles(run):
    with h5py.File(f"{run}/lightcone_particles.hdf5") as f:
        group = f["PartType1"]
        data = {name: group[name][:] for name in ("Coordinates", "Velocities", "ParticleIDs", "Masses", "Ascale")}
        assert f["Header"].attrs["NumPart_ThisFile"][1] == f["Header"].attrs["NumPart_Total"][1] == len(data["ParticleIDs"])
        assert f["Header"].attrs["NumFiles"] == 1
        assert group["Velocities"].attrs["a_scaling"] == 0.5 and group["Coordinates"].attrs["a_scaling"] == 1
    order = np.lexsort((data["Ascale"], data["ParticleIDs"]))
    return {name: values[order] for name, values in data.items()}


def light_distance(header, a):
    """The comoving distance of light that leaves at a, Mpc/h, in a flat universe with a cosmological constant."""
    assert header["w0"] == -1 and header["wa"] == 0
    edges = np.linspace(np.log(np.min(a)), 0, 20001)
    middle = np.exp((edges[1:] + edges[:-1]) / 2)
    step = (edges[1] - edges[0]) * LIGHT / 100 / np.sqrt(header["Omega0"] / middle + header["OmegaLambda"] * middle**2)
    return np.interp(np.log(a), edges, np.append(np.cumsum(step[::-1])[::-1], 0))


def check_header(path, header, opening):
    """The shell is a third of the way to z = 0.08 in a box of 80 Mpc/h with 16^3 particles, or a smaller one to z = 0.05."""
    side, z_far = (50, 0.05) if opening == "halos" else (80, 0.08)
    assert abs(header["MeanDensity"] / (16 / side) ** 3 - 1) < 1e-12, path
    assert abs(header["ParticleMass"] * header["MeanDensity"] / (header["Omega0"] * CRITICAL_DENSITY) - 1) < 1e-6, path
    angles = {"octant": np.pi / 2, "cone": 2 * np.pi * (1 - np.cos(np.radians(30)))}
    assert abs(header["SolidAngle"] / angles.get(opening, 4 * np.pi) - 1) < 1e-12, path
    far = light_distance(header, np.array([1 / (1 + z_far)]))[0]
    for border, number in (("Near", header["Shell"]), ("Far", header["Shell"] + 1)):
        distance = far * number / 3
        assert abs(header[border] - distance) < 1e-6 * far, (path, border, header[border], distance)
        own = light_distance(header, 1 / (1 + np.array([header["Redshift" + border]])))[0]
        assert abs(own - distance) < 1e-6 * far, (path, border, own, distance)


def inside(x, opening):
    if opening == "octant":
        return (x >= 0).all(axis=1)
    if opening == "cone":
        axis = np.array([1, 1, 0.5]) / 1.5
        return x @ axis >= np.cos(np.radians(30)) * np.linalg.norm(x, axis=1)
    return np.ones(len(x), bool)


def check_velocities(path, file, cone, shell, where, full):
    """The mean of a dx/dt along the line of sight, of the particles in each pixel."""
    at, a = cone["Coordinates"][shell], cone["Ascale"][shell]
    velocity = np.einsum("ij,ij->i", cone["Velocities"][shell], at) / np.linalg.norm(at, axis=1) * np.sqrt(a)
    sums = np.bincount(where, weights=velocity, minlength=len(full))
    mean = np.where(full > 0, sums / np.maximum(full, 1), NAN)
    pixels = file["Pixels"][:] if "Pixels" in file else np.arange(len(full))
    assert np.allclose(file["RadialVelocities"][:], mean[pixels], rtol=1e-5, atol=1e-3), path
    assert velocity.std() > 50 and abs(velocity).max() < 5000, (path, velocity.std())
    sky = healpy.read_map(path.replace(".hdf5", ".fits"), field=1, nest=True, partial=len(pixels) < len(full))
    assert np.array_equal(sky[pixels], file["RadialVelocities"][:]), path


def check_shells(run, cone, opening):
    r = np.linalg.norm(cone["Coordinates"], axis=1)
    total = 0
    for path in sorted(glob.glob(f"{run}/lightcone_shell_*.hdf5")):
        with h5py.File(path) as f:
            header = dict(f["Header"].attrs)
            counts = f["Counts"][:].astype(np.int64)
            pixels = f["Pixels"][:] if "Pixels" in f else np.arange(len(counts))
        check_header(path, header, opening)
        off = abs(light_distance(header, cone["Ascale"]) - r).max()
        assert off < 7e-5, (path, off)
        nside = int(header["Nside"])
        shell = (r >= header["Near"]) & (r < header["Far"])
        assert counts.sum() == header["NumPart"] == shell.sum(), (path, counts.sum(), header["NumPart"], shell.sum())
        where = healpy.vec2pix(nside, *cone["Coordinates"][shell].T, nest=True)
        full = np.zeros(12 * nside**2, np.int64)
        full[pixels] = counts
        assert (np.bincount(where, minlength=12 * nside**2) == full).all(), path
        with h5py.File(path) as f:
            check_velocities(path, f, cone, shell, where, full)
        with fits.open(path.replace(".hdf5", ".fits")) as hdus:
            assert hdus[1].header["NPART"] == counts.sum() and hdus[1].header["ORDERING"] == "NESTED"
            assert hdus[1].data["COUNT"].sum() == counts.sum()
        sky = healpy.read_map(path.replace(".hdf5", ".fits"), nest=True, partial=len(counts) < len(full))
        assert (np.where(sky == NAN, 0, sky) == full).all(), path
        total += counts.sum()
    assert total == len(r) and len(glob.glob(f"{run}/lightcone_shell_*.hdf5")) == 3
    return total


def convergence(run):
    """The sum of the overdensities of the shells times the integral of 3/2 Omega_m (H0/c)^2 chi (chi_s - chi) / (chi_s a)."""
    kappa = 0
    for number in range(3):
        with h5py.File(f"{run}/lightcone_shell_{number:03d}.hdf5") as f:
            header, counts = dict(f["Header"].attrs), f["Counts"][:]
        source = light_distance(header, np.array([1 / 1.08]))[0]
        edges = np.linspace(header["Near"], header["Far"], 2001)
        chi = (edges[1:] + edges[:-1]) / 2
        table = np.linspace(1 / 1.09, 1, 4001)
        a = np.interp(-chi, -light_distance(header, table), table)
        unit = 1.5 * header["Omega0"] * (100 / LIGHT) ** 2
        weight = (unit * chi * (source - chi) / (source * a)).sum() * (edges[1] - edges[0])
        expected = header["MeanDensity"] * 4 * np.pi / 3 * (header["Far"] ** 3 - header["Near"] ** 3) / len(counts)
        kappa += weight * (counts / expected - 1)
    return kappa


def check_kappa(run):
    kappa = healpy.read_map(f"{run}/sky_kappa.fits", nest=True)
    expected = convergence(run)
    assert healpy.get_nside(kappa) == 32
    assert abs(kappa - expected).max() < 5e-7 * expected.std(), abs(kappa - expected).max() / expected.std()
    own = healpy.anafast(healpy.reorder(kappa, n2r=True), lmax=64, iter=3)
    rows = np.genfromtxt(f"{run}/sky_spectra.csv", delimiter=",", names=True, dtype=None, encoding=None)
    for row in rows[rows["map"] == "kappa"]:
        band = np.arange(row["first"], row["last"] + 1)
        mean = np.average(own[band], weights=2 * band + 1)
        assert abs(mean / row["measured"] - 1) < 1e-7, (mean, row)
    assert open(f"{run}/sky_kappa.png", "rb").read(4) == b"\x89PNG"


def check_same(run, other):
    """Every dataset and attribute has the same bits, in the same order."""
    paths = sorted(glob.glob(f"{other}/lightcone_*.hdf5"))
    assert paths

    def compare(a, b):
        assert {k: np.array(v).tobytes() for k, v in a.attrs.items()} == {k: np.array(v).tobytes() for k, v in b.attrs.items()}
        if isinstance(a, h5py.Dataset):
            assert a.shape == b.shape and (a[:] == b[:]).all(), a.name
            return
        assert list(a) == list(b)
        for name in a:
            compare(a[name], b[name])

    for path in paths:
        with h5py.File(path) as a, h5py.File(path.replace(other, run)) as b:
            compare(a, b)


def check_halos(run, cone, cosmology, far):
    """The groups that pairs within the linking length connect: all are there, with their sums."""
    with h5py.File(f"{run}/lightcone_halos.hdf5") as f:
        halos = {name: f["Halos"][name][:] for name in f["Halos"]}
        side = f["Header"].attrs["BoxSize"]
    x, b = cone["Coordinates"], 0.2 * side / 16
    pairs = cKDTree(x).query_pairs(b, output_type="ndarray")
    _, label = connected_components(coo_matrix((np.ones(len(pairs)), pairs.T), shape=(len(x), len(x))), directed=False)
    number = np.bincount(label)
    velocity = cone["Velocities"] * np.sqrt(cone["Ascale"])[:, None]
    mean = lambda v: np.array([np.bincount(label, weights=v[:, k]) for k in range(3)]).T / number[:, None]
    large = number >= 32
    places, velocities, number = mean(x)[large], mean(velocity)[large], number[large]
    distance = np.linalg.norm(halos["Coordinates"], axis=1)
    assert (np.diff(distance) >= 0).all() and distance.max() < far and len(distance) > 20
    near = cKDTree(places)
    off, which = near.query(halos["CentreOfMass"])
    assert off.max() < 1e-12 and len(set(which)) == len(which), off.max()
    assert (number[which] == halos["NumParticles"]).all()
    assert abs(velocities[which] - halos["Velocities"]).max() < 6e-5 and velocities.std() > 50
    assert (np.linalg.norm(halos["Coordinates"] - halos["CentreOfMass"], axis=1) < halos["Extents"]).all()
    # Those that are not there have their centres beyond the borders.
    missing = np.setdiff1d(np.arange(len(places)), which)
    assert (np.linalg.norm(places[missing], axis=1) > far - 15).all() and len(missing) < 0.3 * len(places)
    assert abs(light_distance(cosmology, 1 / (1 + halos["Redshifts"])) - distance).max() < 4e-9


run, opening = sys.argv[1:3]
if opening == "kappa":
    check_kappa(run)
    sys.exit()
if opening == "same":
    check_same(run, sys.argv[3])
    sys.exit()
cone = particles(run)
assert inside(cone["Coordinates"], opening).all()
assert cone["Ascale"].min() > 1 / 1.081 and cone["Ascale"].max() < 1
number = check_shells(run, cone, opening)
if opening == "halos":
    with h5py.File(f"{run}/lightcone_shell_002.hdf5") as outermost:
        check_halos(run, cone, dict(outermost["Header"].attrs), outermost["Header"].attrs["Far"])
print(f"{run}: {number} particles")
if len(sys.argv) > 3:
    whole = particles(sys.argv[3])
    part = inside(whole["Coordinates"], opening)
    # Forces on other ranks differ in their last digits, so particles at the borders may be on the other side.
    other_ranks = opening == "full"
    if not other_ranks:
        assert (whole["ParticleIDs"][part] == cone["ParticleIDs"]).all()
        assert np.allclose(whole["Coordinates"][part], cone["Coordinates"], rtol=0, atol=1e-9)
    assert abs(int(part.sum()) - number) <= (3e-4 * number if other_ranks else 0), (part.sum(), number)
