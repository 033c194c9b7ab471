# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # A star cluster
#
# The stars of a small cluster exchange energy in encounters: the core contracts, and the halo expands. This run follows
# a Plummer sphere of 256 stars for 50 N-body time units (Heggie and Mathieu: G = M = 1, energy -1/4). It sums over all
# pairs and uses the fourth-order Hermite scheme with block steps.
# %%
import matplotlib.pyplot as plt
import numpy as np

import multiwalk as mw

p = mw.Parameters(run={"directory": "star_cluster", "threads": 1},
                  model={"kind": "plummer", "particles": 256, "seed": 3},
                  force={"softening": 1 / 256}, time={"integrator": "hermite", "t_end": 50})
sim = mw.Simulation(p, overwrite=True, progress=False)

# %% [markdown]
# Your function is called at the given times. `s.particles` holds the run's own arrays, so you can compute anything with
# numpy.
# %%
times = np.linspace(0, 50, 101)
radii, energy = [], []


@sim.at(times=times)
def look(s):
    stars = s.particles
    r = np.linalg.norm(stars.position - np.median(stars.position, axis=0), axis=1)
    radii.append(np.percentile(r, [10, 25, 50, 75, 90]))
    kinetic = 0.5 * np.dot(stars.mass, (stars.velocity**2).sum(axis=1))
    energy.append(kinetic + 0.5 * np.dot(stars.mass, stars.potential))


sim.run()

# %% [markdown]
# The Lagrangian radii enclose 10 to 90% of the stars. The total energy shows how accurate the integrator is.
# %%
figure, (above, below) = plt.subplots(2, sharex=True, height_ratios=[3, 1],
                                      figsize=(7, 5), layout="constrained")
above.semilogy(times, radii, label=["10%", "25%", "50%", "75%", "90%"])
above.set(ylabel="Lagrangian radius", ylim=(0.1, 8))
above.legend(ncols=5, loc="upper left", frameon=False)
below.plot(times, np.array(energy) / energy[0] - 1)
below.set(xlabel="time", ylabel="energy error")
figure.savefig("lagrangian_radii.png")
print(f"{sim.step_count} blocks of steps; energy error {energy[-1] / energy[0] - 1:.1e}")
