# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # Your own analysis during a run
#
# Your function can read the particles at any redshift while the run has them in memory, so you need not store
# snapshots. This one measures the density in cells of 8 Mpc/h, and how fast pairs of particles approach each other.
# %%
import matplotlib.pyplot as plt
import numpy as np

import multiwalk as mw

p = mw.Parameters(run={"directory": "in_situ"}, ic={"grid": 32, "z_start": 24},
                  model={"kind": "box", "box_size": "64 Mpc/h"}, time={"eta": 0.2},
                  force={"accuracy": "fast"}, output={"redshifts": [], "error_sample": 0})
sim = mw.Simulation(p, overwrite=True, progress=False)

# %% [markdown]
# Positions are comoving, in Mpc/h, and velocities are peculiar, in km/s. The pairs are formed by 200 particles with all
# others.
# %%
densities, separations = np.geomspace(0.05, 20, 17), np.geomspace(0.5, 30, 13)
fractions, velocities = {}, {}


@sim.at(redshifts=[3, 1, 0])
def look(s):
    x, v, box = s.particles.position.astype("f4"), s.particles.velocity, s.box_size
    counts = np.histogramdd(x, bins=8, range=3 * [(0, box)])[0]
    fractions[f"z = {s.redshift:.0f}"] = np.histogram(counts / counts.mean(), densities)[0] / 512
    one = np.arange(0, len(x), len(x) // 200)
    apart = (x - x[one, None] + box / 2) % box - box / 2
    r = np.linalg.norm(apart, axis=2)
    speed = ((v - v[one, None]) * apart).sum(axis=2) / np.maximum(r, 1e-9)
    pairs, total = [np.histogram(r, separations, weights=w)[0] for w in (None, speed)]
    velocities[f"z = {s.redshift:.0f}"] = total / pairs


sim.run()

# %% [markdown]
# Gravity empties voids and fills halos. Pairs approach each other where matter falls into halos, and less so inside
# halos.
# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for z in fractions:
    left.stairs(fractions[z], densities, label=z, linewidth=2)
    right.plot(np.sqrt(separations[1:] * separations[:-1]), velocities[z], "o-")
left.set(xscale="log", xlabel="density / mean", ylabel="fraction of cells")
left.legend(frameon=False)
right.set(xscale="log", xlabel="separation [Mpc/h]", ylabel="mean velocity apart [km/s]")
figure.savefig("in_situ.png")
