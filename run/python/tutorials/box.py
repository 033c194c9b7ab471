# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # A universe in a box
#
# From the parameters of a run to its power spectrum, mass function and pictures. 32^3 particles take seconds; try 64^3.
# This page is a notebook: [tutorials/box.py](box.py) runs in Jupyter, VS Code and Spyder, or as `python box.py`.
# %%
import multiwalk as mw

p = mw.Parameters(run={"directory": "box"}, model={"kind": "box", "box_size": "30 Mpc/h"}, ic={"grid": 32},
                  force={"accuracy": "fast"}, output={"redshifts": [0], "error_sample": 0})
sim = mw.Simulation(p, overwrite=True)
spectra = []
p

# %% [markdown]
# Your functions are called while the run goes on: `s.particles.velocity` and the other arrays are the run's own memory.
# %%
@sim.at(redshifts=[8, 3, 0])
def look(s):
    spectra.append(s.power_spectrum())
    print(f"z = {s.redshift:.1f}: velocities of {s.particles.velocity.std():.0f} km/s along an axis")


# %% [markdown]
# Run to the end. Ctrl-C would stop with a checkpoint, from which `mw.Simulation.resume("box")` continues.
# %%
sim.run()

# %% [markdown]
# Power spectra, and linear theory:
# %%
mw.plot.power(*spectra).figure.savefig("power.png", dpi=120)

# %% [markdown]
# The halos, the most massive first:
# %%
halos = sim.halos()
halos

# %%
mw.plot.mass_function(halos).figure.savefig("mass_function.png", dpi=120)

# %% [markdown]
# A picture of the box, and the projected density about the largest halo as an array with its extent:
# %%
sim.image(pixels=600)

# %%
mw.plot.projection(sim.projection(width="5 Mpc/h", center=halos[0])).figure.savefig("halo.png", dpi=120)
