# SPDX-License-Identifier: GPL-3.0-or-later
"""plain_finder.py SNAPSHOT CATALOGUE [JSON [REACH]]: subhalos of a snapshot by a plain search in phase space, independent of other
outputs, and how many there are of each size beside those of a catalogue of tracked subhalos (fof_subhalo_hbt_tab).

After the manner of Rockstar (Behroozi et al. 2013): in each group of friends of friends, friends in six dimensions at
falling linking lengths, of which each links 70% of the particles that are left; the last are seeds. Particles go to the
nearest seed in phase space; what is not bound to a seed goes to the largest. With REACH, particles farther from their seed than
REACH times its radius in phase space go to the largest at once."""

import json
import sys

import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

G = 43.00917270  # (Mpc/h) (km/s)^2 / (1e10 Msun/h)
LEAST = 20
rng = np.random.default_rng(1)


def friends(tree, length):
    pairs = tree.query_pairs(length, output_type="ndarray")
    n = tree.n
    return connected_components(coo_matrix((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(n, n)), False)[1]


def parts(label, least):
    order = np.argsort(label, kind="stable")
    edges = np.flatnonzero(np.diff(label[order])) + 1
    return [part for part in np.split(order, edges) if len(part) >= least]


def depth(x, mass, softening):
    """Potential over G (positive); of large sets from 3000 of the particles."""
    n = len(x)
    source = x if n <= 3000 else x[rng.choice(n, 3000, replace=False)]
    weight = mass * (n - 1) / max(len(source) - (n <= 3000), 1)
    total = np.empty(n)
    for first in range(0, n, 500):
        d2 = ((x[first : first + 500, None] - source[None]) ** 2).sum(axis=2)
        near = np.where(d2 > 0, 1 / np.sqrt(d2 + softening**2), 0)
        total[first : first + 500] = near.sum(axis=1)
    return weight * total


def bound(index, x, v, box, start):
    """Those of `index` that are bound; `start`: the particles of the first frame."""
    while len(index) >= LEAST:
        potential = depth(x[index], box["mass"], box["softening"])
        core = start if start is not None else index[np.argsort(energy)[: max(len(index) // 10, 10)]]
        start = None
        flow = box["hubble"] * box["a"] * (x[index] - x[core].mean(axis=0))
        energy = 0.5 * ((v[index] - v[core].mean(axis=0) + flow) ** 2).sum(axis=1) - G / box["a"] * potential
        kept = energy < 0
        if kept.sum() >= 0.995 * len(index):
            return index[kept]
        index, energy = index[kept], energy[kept]
    return index[:0]


def seeds(index, x, v):
    """Sets of particles at the ends of the hierarchy."""
    scaled = np.hstack([x[index] / x[index].std(), v[index] / v[index].std()])
    tree = cKDTree(scaled)
    nearest = tree.query(scaled, k=2)[0][:, 1]
    found = [index[part] for part in parts(friends(tree, np.quantile(nearest, 0.7)), LEAST)]
    if not found or (len(found) == 1 and len(found[0]) > 0.95 * len(index)):
        return [index]
    return [seed for part in found for seed in seeds(part, x, v)]


def distinct(found, x, v):
    """Without seeds closer to a larger one than 10 times the errors of their centres."""
    kept = []
    for seed in sorted(found, key=len, reverse=True):
        centre, n = (x[seed].mean(axis=0), v[seed].mean(axis=0)), len(seed)
        apart = [
            np.hypot(
                np.linalg.norm(centre[0] - x[k].mean(axis=0)) / (x[seed].std() / np.sqrt(n)),
                np.linalg.norm(centre[1] - v[k].mean(axis=0)) / (v[seed].std() / np.sqrt(n)),
            )
            for k in kept
        ]
        if all(d > 10 * np.sqrt(2) for d in apart):
            kept.append(seed)
    return kept


def subhalos_of(x, v, box, reach=np.inf):
    """Bound numbers of particles: the host first."""
    all_of = np.arange(len(x))
    cores = distinct(seeds(all_of, x, v), x, v) if len(x) >= 2 * LEAST else [all_of]
    if len(cores) == 1:
        return [len(bound(all_of, x, v, box, cores[0]))]
    metric = []
    for core in cores:
        radius, speed = np.sqrt(((x[core] - x[core].mean(axis=0)) ** 2).sum(axis=1).mean()), v[core].std() * np.sqrt(3)
        metric.append(((x - x[core].mean(axis=0)) ** 2).sum(axis=1) / radius**2 + ((v - v[core].mean(axis=0)) ** 2).sum(axis=1) / speed**2)
    owner = np.argmin(metric, axis=0)
    sizes = [(owner == k).sum() for k in range(len(cores))]
    host = int(np.argmax(sizes))
    owner[np.min(metric, axis=0) > reach**2] = host
    free, numbers = owner == host, []
    for k in np.argsort(sizes):
        if k == host:
            continue
        own = bound(np.flatnonzero(owner == k), x, v, box, cores[k])
        mine = np.zeros(len(x), bool)
        mine[own] = True
        free |= (owner == k) & ~mine
        numbers.append(len(own))
    return [len(bound(np.flatnonzero(free), x, v, box, cores[host]))] + numbers


def read(path):
    with h5py.File(path) as f:
        header = f["Header"].attrs
        a, side = float(header["Time"]), float(header["BoxSize"]) / 1000
        x = f["PartType1/Coordinates"][:] / 1000 % side
        v = f["PartType1/Velocities"][:] * np.sqrt(a)
        omega = float(f["Parameters"].attrs["Omega0"])
        mass = float(header["MassTable"][1])
    spacing = side / np.cbrt(len(x))
    hubble = 100 * np.sqrt(omega / a**3 + 1 - omega)
    return x, v, {"a": a, "side": side, "mass": mass, "spacing": spacing, "hubble": hubble, "softening": spacing / 25}


def find(path, reach=np.inf):
    x, v, box = read(path)
    hosts, satellites = [], []
    for part in parts(friends(cKDTree(x, boxsize=box["side"]), 0.2 * box["spacing"]), LEAST):
        near = x[part] - x[part[0]]
        near -= box["side"] * np.round(near / box["side"])
        numbers = subhalos_of(near, v[part], box, reach)
        hosts.append(numbers[0])
        satellites += numbers[1:]
    return np.array(hosts), np.array(satellites)


if __name__ == "__main__":
    hosts, satellites = find(sys.argv[1], float(sys.argv[4]) if len(sys.argv) > 4 else np.inf)
    with h5py.File(sys.argv[2]) as f:
        length, rank = f["Subhalo/SubhaloLen"][:], f["Subhalo/SubhaloRankInGr"][:]
    rows = []
    for least in (20, 50, 100, 200, 500, 1000, 2000):
        row = {"particles": least}
        for kind, mine, theirs in (
            ("all", length, np.concatenate([hosts, satellites])),
            ("hosts", length[rank == 0], hosts),
            ("satellites", length[rank > 0], satellites),
        ):
            row[kind] = [int((mine >= least).sum()), int((theirs >= least).sum())]
        rows.append(row)
        print(row)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as out:
            json.dump(rows, out)
