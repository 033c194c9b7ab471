# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # Your own analysis during a run
#
# A function of yours reads the particles at any redshift, while the run has them in memory: nobody has to store snapshots.
# This one measures how dense cells of 8 Mpc/h are, and how fast pairs of particles approach each other.
# %%
import matplotlib.pyplot as plt
import numpy as np

import multiwalk as mw

p = mw.Parameters(run={"directory": "in_situ"}, model={"kind": "box", "box_size": "64 Mpc/h"}, force={"accuracy": "fast"},
                  ic={"grid": 32, "z_start": 24}, time={"eta": 0.2}, output={"redshifts": [], "error_sample": 0})
sim = mw.Simulation(p, overwrite=True)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
random = np.random.default_rng(1)

# %% [markdown]
# Positions are comoving, in Mpc/h, and velocities are peculiar, in km/s. Pairs are those of 100 particles with all others.
# %%
edges = np.geomspace(0.5, 30, 13)


@sim.at(redshifts=[3, 1, 0])
def look(s):
    x, v, box = s.particles.position, s.particles.velocity, s.box_size
    counts = np.histogramdd(x, bins=8, range=3 * [(0, box)])[0]
    cells, edge = np.histogram(counts / counts.mean(), bins=np.geomspace(0.05, 20, 17))
    left.stairs(cells / counts.size, edge, label=f"z = {s.redshift:.0f}", linewidth=2)
    one = random.choice(len(x), 100, replace=False)
    apart = (x - x[one, None] + box / 2) % box - box / 2
    r = np.linalg.norm(apart, axis=2)
    approach = ((v - v[one, None]) * apart).sum(axis=2) / np.maximum(r, 1e-9)
    pairs, total = np.histogram(r, edges)[0], np.histogram(r, edges, weights=approach)[0]
    right.semilogx(np.sqrt(edges[1:] * edges[:-1]), total / pairs, "o-")
    print(f"z = {s.redshift:.0f}: density contrast of cells {counts.std() / counts.mean():.2f}, {pairs.sum()} pairs")


sim.run()

# %% [markdown]
# Gravity empties voids and fills halos. Pairs approach each other where halos form, while those far apart follow the flow.
# %%
left.set(xscale="log", xlabel="density / mean", ylabel="fraction of cells")
left.legend(frameon=False)
right.set(xlabel="separation [Mpc/h]", ylabel="mean velocity apart [km/s]")
figure
