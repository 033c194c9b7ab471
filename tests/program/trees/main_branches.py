# SPDX-License-Identifier: GPL-3.0-or-later
"""main_branches.py TREES [LEAST]: of the halos of the last output with at least LEAST particles (1000), how many main branches
reach half their mass without a missing output, and how often masses jump by a factor of 3 between outputs."""

import sys

import h5py
import numpy as np

least = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
with h5py.File(sys.argv[1]) as f:
    halos = {name: f["TreeHalos/" + name][:] for name in ("SnapNum", "TreeID", "TreeDescendant", "TreeMainProgenitor", "SubhaloLen")}
    starts = f["TreeTable/StartOffset"][:][halos["TreeID"]]
last = halos["SnapNum"].max()
roots = unbroken = steps = jumps = 0
for root in np.flatnonzero((halos["SnapNum"] == last) & (halos["SubhaloLen"] >= least)):
    roots += 1
    branch = [root]
    while halos["TreeMainProgenitor"][branch[-1]] >= 0:
        branch.append(starts[root] + halos["TreeMainProgenitor"][branch[-1]])
    number, output = halos["SubhaloLen"][branch].astype(float), halos["SnapNum"][branch]
    half = np.flatnonzero(number <= number[0] / 2)
    end = half[0] if len(half) else len(branch) - 1
    unbroken += len(half) > 0 and (np.diff(output[: end + 1]) == -1).all()
    ratio = number[:-1] / number[1:]
    large = np.maximum(number[:-1], number[1:]) >= 100
    steps += large.sum()
    jumps += (large & ((ratio > 3) | (ratio < 1 / 3))).sum()
print(f"{roots} halos, {unbroken} main branches unbroken to half their mass ({100 * unbroken / max(roots, 1):.1f}%)")
print(f"{jumps} jumps of mass by a factor of 3 in {steps} steps from output to output ({100 * jumps / max(steps, 1):.2f}%)")
