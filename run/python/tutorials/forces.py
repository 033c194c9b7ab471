# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# Forces on your own arrays: trees compared with sums over all pairs, and a star cluster that moves under these forces.
# %%
import numpy as np

import multiwalk as mw

random = np.random.default_rng(1)
n = 4000
radius = 1 / np.sqrt(random.uniform(0, 1, n) ** (-2 / 3) - 1)  # a Plummer sphere of unit mass and scale
direction = random.normal(size=(n, 3))
x = radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]
x, m = x[radius < 20], 1 / n

# %% Trees and pairs. Any units will do: G is an argument.
exact, _ = mw.direct_forces(x, m, softening=0.01)
for accuracy in ("fast", "standard", "reference"):
    a, phi = mw.forces(x, m, softening=0.01, accuracy=accuracy)
    error = np.linalg.norm(a - exact, axis=1) / np.linalg.norm(exact, axis=1)
    print(f"{accuracy:>9}: 99% of the forces are within {np.percentile(error, 99):.1e}")

# %% A leapfrog in five lines: the cluster starts at rest and collapses.
v, dt = np.zeros_like(x), 0.02
a, phi = mw.forces(x, m, softening=0.05)
start = 0.5 * m * phi.sum()
for step in range(40):
    v += a * dt / 2
    x += v * dt
    a, phi = mw.forces(x, m, softening=0.05, previous=a)
    v += a * dt / 2
energy = 0.5 * m * (v**2).sum() + 0.5 * m * phi.sum()
print(f"half of the mass is now within {np.median(np.linalg.norm(x, axis=1)):.2f}; energy error {energy / start - 1:.1e}")

# %% Trees and sums in a periodic box.
y = random.uniform(0, 100, (n, 3))
trees, _ = mw.forces(y, 1.0, box=100.0, softening=0.5)
ewald, _ = mw.direct_forces(y[:500], 1.0, box=100.0, softening=0.5)
print(f"{len(trees)} forces by trees and a mesh; {len(ewald)} by Ewald summation")
