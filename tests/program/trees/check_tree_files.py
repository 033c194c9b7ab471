# SPDX-License-Identifier: GPL-3.0-or-later
"""check_tree_files.py READER FOLDER: the catalogues and merger trees in a run's FOLDER as READER (ytree or yt) reads them."""

import glob
import sys

import h5py
import numpy as np
from check_tree_links import check_links

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

check_links(folder + "/trees.hdf5", catalogues)

if reader == "ytree":
    import ytree

    arbor = ytree.load(folder + "/trees.hdf5")
    with h5py.File(catalogues[-1]) as f:
        masses, ids = f["Subhalo/SubhaloMass"][:], f["Subhalo/SubhaloTrackId"][:]
        places = f["Subhalo/SubhaloPos"][:] / 1000
    last = arbor["SnapNum"].astype(int) == len(catalogues) - 1
    assert last.sum() > 10
    roots = [root for tree in arbor[last] for root in tree.get_root_nodes() if root["SnapNum"] == len(catalogues) - 1]
    row = [int(root["SubhaloNr"]) for root in roots]
    assert sorted(row) == list(range(len(masses)))
    assert np.allclose([float(root["mass"].to("1e10*Msun/h")) for root in roots], masses[row], rtol=1e-6, atol=0)
    assert np.allclose([float(root["position_x"].to("Mpc/h")) for root in roots], places[row, 0], rtol=1e-6, atol=0)
    with h5py.File(catalogues[-1]) as f:
        m200 = f["Group/Group_M_Crit200"][:]
        centrals = f["Subhalo/SubhaloRankInGr"][:] == 0
        expected = np.where(centrals, m200[f["Subhalo/SubhaloGroupNr"][:]], 0)
    assert np.allclose([float(root["group_mass"].to("1e10*Msun/h")) for root in roots], expected[row], rtol=1e-6, atol=0)
    assert sum(len(tree["forest", "mass"]) for tree in arbor) == sum(map(len, tracks))
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
        for field, dataset, unit in (("particle_position", "Subhalo/SubhaloPos", "code_length"),
                                     ("particle_velocity", "Subhalo/SubhaloVel", "code_velocity"),
                                     ("particle_mass", "Subhalo/SubhaloMass", "code_mass")):
            assert np.allclose(data["Subhalo", field].to(unit), f[dataset][:], rtol=1e-6, atol=0), field
        assert np.allclose(data["Group", "particle_mass"].to("code_mass"), f["Group/GroupMass"][:], rtol=1e-6, atol=0)
