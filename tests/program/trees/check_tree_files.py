# SPDX-License-Identifier: GPL-3.0-or-later
"""check_tree_files.py READER FOLDER: the catalogues and merger trees in a run's FOLDER as READER (ytree or yt) reads them."""

import glob
import sys

import h5py
import numpy as np

reader, folder = sys.argv[1:]
catalogues = sorted(glob.glob(folder + "/fof_subhalo_hbt_tab_*.0.hdf5"))
assert len(catalogues) >= 4

tracks = []
for name in catalogues:
    with h5py.File(name) as f:
        header, group, subhalo = f["Header"].attrs, f["Group"], f["Subhalo"]
        if header["Nsubhalos_Total"] == 0:
            tracks.append(set())
            continue
        first, count = group["GroupFirstSub"][:], group["GroupNsubs"][:]
        rank, number, track = subhalo["SubhaloRankInGr"][:], subhalo["SubhaloGroupNr"][:], subhalo["SubhaloTrackId"][:]
        assert len(np.unique(track)) == len(track) == count.sum() and (first[count == 0] == -1).all()
        for g in np.flatnonzero(count):
            own = slice(first[g], first[g] + count[g])
            assert (number[own] == g).all() and (rank[own] == np.arange(count[g])).all()
            assert subhalo["SubhaloLen"][own].sum() <= group["GroupLen"][g]
            assert np.array_equal(group["GroupPos"][g], subhalo["SubhaloPos"][first[g]])
        assert (subhalo["SubhaloLen"][:] >= 20).all() and (subhalo["SubhaloVmax"][:] > 0).all()
        assert (subhalo["SubhaloHalfmassRad"][:] > 0).all()
        tracks.append(set(track))
assert len(tracks[-1]) > 20
kept = len(tracks[-2] & tracks[-1]) / len(tracks[-2])
assert kept > 0.7, kept  # the others merge

with h5py.File(folder + "/trees.hdf5") as f:
    table, halos = f["TreeTable"], f["TreeHalos"]
    track, main, output = halos["SubhaloTrackId"][:], halos["TreeMainProgenitor"][:], halos["SnapNum"][:]
    descendant = halos["TreeDescendant"][:]
    for start, length in zip(table["StartOffset"][:], table["Length"][:]):
        assert descendant[start] == -1 and (descendant[start + 1 : start + length] >= 0).all()
        at = start
        while main[at] >= 0:
            before = start + main[at]
            assert descendant[before] == at - start and output[before] < output[at]
            assert track[before] == track[at] or (track[at] not in set(track[start : start + length][output[start : start + length] < output[at]]))
            at = before

if reader == "ytree":
    import ytree

    arbor = ytree.load(folder + "/trees.hdf5")
    with h5py.File(catalogues[-1]) as f:
        masses, ids = f["Subhalo/SubhaloMass"][:], f["Subhalo/SubhaloTrackId"][:]
        places = f["Subhalo/SubhaloPos"][:] / 1000
    last = arbor["SnapNum"].astype(int) == len(catalogues) - 1
    assert last.sum() == len(masses)
    assert np.isclose(np.sort(arbor["mass"][last].to("1e10*Msun/h")), np.sort(masses)).all()
    assert np.isclose(np.sort(arbor["position_x"][last].to("Mpc/h")), np.sort(places[:, 0])).all()
    assert sum(tree.tree_size for tree in arbor) == sum(map(len, tracks))
    tree = arbor[0]
    assert int(tree["SubhaloTrackId"]) == ids[np.argmax(masses)]
    assert (np.diff(tree["prog", "redshift"]) > 0).all() and len(tree["prog", "mass"]) >= 3
    for node in tree["tree"]:
        if node.descendent is not None:
            assert node.descendent["SnapNum"] > node["SnapNum"]

if reader == "yt":
    import yt

    yt.set_log_level(50)
    ds = yt.load(catalogues[-1], unit_base={"UnitLength_in_cm": 3.085678e21})
    data = ds.all_data()
    with h5py.File(catalogues[-1]) as f:
        assert np.allclose(data["Subhalo", "particle_position"].to("code_length"), f["Subhalo/SubhaloPos"][:])
        assert np.allclose(data["Group", "particle_mass"].to("code_mass"), f["Group/GroupMass"][:])
