# SPDX-License-Identifier: GPL-3.0-or-later
"""check_tree_links.py FOLDER: the links of trees.hdf5 in FOLDER against those that follow from its catalogues, one by one."""

import glob
import sys

import h5py
import numpy as np

LINKS = ("Descendant", "FirstDescendant", "NextDescendant", "FirstProgenitor", "MainProgenitor", "Progenitor",
         "NextProgenitor", "FirstHaloInFOFgroup", "NextHaloInFOFgroup")


def expected_halos(catalogues: list) -> dict:
    """Every subhalo by (output, row): track, mass, group, rank, M200 of its group, and the tracks' ends."""
    halos, ends = {}, {}
    for output, name in enumerate(catalogues):
        with h5py.File(name) as f:
            for track, heir in zip(f["Ends"].get("TrackId", ()), f["Ends"].get("Descendant", ())):
                ends[track] = (output, heir)
            if f["Header"].attrs["Nsubhalos_Total"] == 0:
                continue
            s = {name: f["Subhalo/Subhalo" + name][:] for name in ("TrackId", "Mass", "GroupNr", "RankInGr")}
            m200 = f["Group/Group_M_Crit200"][:]
            for row, track in enumerate(s["TrackId"]):
                group, rank = s["GroupNr"][row], s["RankInGr"][row]
                halos[output, row] = {"track": track, "mass": s["Mass"][row], "group": (output, group), "rank": rank,
                                      "m200": m200[group] if rank == 0 else 0}
    add_descendants(halos, ends)
    return halos


def add_descendants(halos: dict, ends: dict) -> None:
    lives = {}
    for key in sorted(halos):
        lives.setdefault(halos[key]["track"], []).append(key)
    for key, halo in halos.items():
        track, after = halo["track"], key[0] + 1
        while True:
            later = [k for k in lives.get(track, ()) if k[0] >= after]
            if later or track not in ends or ends[track][1] < 0:
                break
            after, track = max(after, ends[track][0]), ends[track][1]
        halo["descendant"] = later[0] if later else None


def connected(halos: dict) -> dict:
    """The name of the tree of each halo: the smallest key in it, found by walking over all links again and again."""
    neighbours = {key: set() for key in halos}
    first = {}
    for key, halo in halos.items():
        for other in (halo["descendant"], first.setdefault(halo["group"], key)):
            if other is not None:
                neighbours[key].add(other)
                neighbours[other].add(key)
    name = {}
    for key in sorted(halos):
        todo = [key]
        while todo:
            at = todo.pop()
            if at not in name:
                name[at] = key
                todo.extend(neighbours[at])
    return name


def check_links(trees: str, catalogues: list) -> None:
    halos = expected_halos(catalogues)
    with h5py.File(trees) as f:
        start = f["TreeTable/StartOffset"][:]
        assert (np.cumsum(f["TreeTable/Length"][:])[:-1] == start[1:]).all() and start[0] == 0
        t = {name: f["TreeHalos/" + name][:] for name in ("SnapNum", "SubhaloNr", "GroupNr", "TreeID", "TreeIndex",
                                                          "Group_M_Crit200", "SubhaloMass", "SubhaloTrackId")}
        raw = {link: f["TreeHalos/Tree" + link][:] for link in LINKS}
    key = list(zip(t["SnapNum"].tolist(), t["SubhaloNr"].tolist()))
    assert sorted(key) == sorted(halos)  # each once
    assert (start[t["TreeID"]] + t["TreeIndex"] == np.arange(len(key))).all()
    to = {link: [key[start[tree] + i] if i >= 0 else None for tree, i in zip(t["TreeID"], raw[link])] for link in LINKS}
    name = connected(halos)
    assert len(set(zip(t["TreeID"].tolist(), (name[k] for k in key)))) == len(set(name.values())) == len(start)
    progenitors = {k: [] for k in halos}
    for k, halo in halos.items():
        if halo["descendant"] is not None:
            progenitors[halo["descendant"]].append(k)
    groups = {}
    for k in sorted(halos):
        groups.setdefault(halos[k]["group"], []).append(k)
    place = {k: row for row, k in enumerate(key)}
    for k, halo in halos.items():
        row = place[k]
        assert t["SubhaloTrackId"][row] == halo["track"] and t["SubhaloMass"][row] == halo["mass"]
        assert t["GroupNr"][row] == halo["group"][1] and t["Group_M_Crit200"][row] == np.float32(halo["m200"])
        assert to["Descendant"][row] == halo["descendant"] and to["NextDescendant"][row] is None
        by_mass = sorted(progenitors[k], key=lambda p: (halos[p]["track"] != halo["track"], -halos[p]["mass"], halos[p]["track"]))
        chain, p = [], to["FirstProgenitor"][row]
        while p is not None:
            chain.append(p)
            p = to["NextProgenitor"][place[p]]
        assert chain == by_mass, (k, chain, by_mass)
        assert to["MainProgenitor"][row] == to["Progenitor"][row] == to["FirstProgenitor"][row]
        for i, p in enumerate(by_mass):
            assert to["FirstDescendant"][place[p]] == (k if i == 0 else None)
        if halo["descendant"] is None:
            assert to["FirstDescendant"][row] is None
        group = groups[halo["group"]]
        assert to["FirstHaloInFOFgroup"][row] == group[0] and halos[group[0]]["rank"] == 0
        assert [group[0], *map(lambda g: to["NextHaloInFOFgroup"][place[g]], group)] == [*group, None]
    roots = [name[k] for k, halo in halos.items() if halo["descendant"] is None]
    assert sum(len(p) > 1 for p in progenitors.values()) > 3 and len(set(roots)) < len(roots)  # mergers, and trees of several


if __name__ == "__main__":
    check_links(sys.argv[1] + "/trees.hdf5", sorted(glob.glob(sys.argv[1] + "/fof_subhalo_hbt_tab_*.0.hdf5")))
