# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # Forces on your own arrays
#
# This tutorial compares tree forces with direct sums over all pairs, on your own particles. Any units will do, because
# the gravitational constant is an argument.
# %%
import matplotlib.pyplot as plt
import numpy as np

import multiwalk as mw

random = np.random.default_rng(1)
x, m = random.normal(size=(4000, 3)), np.full(4000, 1 / 4000)

# %% [markdown]
# `accuracy` may be a word or a number. Each curve shows the distribution of the errors of 4000 forces.
# %%
exact, _ = mw.direct_forces(x, m, softening=0.01)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for accuracy in ("fast", "standard", "reference"):
    a, phi = mw.forces(x, m, softening=0.01, accuracy=accuracy)
    error = np.linalg.norm(a - exact, axis=1) / np.linalg.norm(exact, axis=1)
    ax.stairs(*np.histogram(error, np.geomspace(1e-6, 1e-1, 61)), label=accuracy)
    print(f"{accuracy:>9}: 99% are within {np.percentile(error, 99):.1e}")
ax.set(xscale="log", xlabel="relative error of a force", ylabel="particles")
ax.legend(frameon=False)
figure.savefig("errors.png")

# %% [markdown]
# A leapfrog in five lines. The cluster starts at rest and collapses. The accelerations of the previous step
# (`previous`) decide which cells the tree opens, so each call needs only one evaluation.
# %%
v, dt = np.zeros_like(x), 0.02
a, phi = mw.forces(x, m, softening=0.05)
start = 0.5 * m @ phi
for step in range(40):
    v += a * dt / 2
    x += v * dt
    a, phi = mw.forces(x, m, softening=0.05, previous=a)
    v += a * dt / 2
error = 0.5 * m @ ((v**2).sum(axis=1) + phi) / start - 1
print(f"half-mass radius {np.median(np.linalg.norm(x, axis=1)):.2f}, energy error {error:.1e}")

# %% [markdown]
# In a periodic box, a tree and a mesh (TreePM) sum the forces of all images; `direct_forces` uses Ewald summation.
# %%
y = random.uniform(0, 100, (1000, 3))
trees, _ = mw.forces(y, 1.0, box=100.0, softening=0.5)
ewald, _ = mw.direct_forces(y, 1.0, box=100.0, softening=0.5)
print(f"they differ by {np.std(trees - ewald) / np.std(ewald):.1e} of the rms force")
