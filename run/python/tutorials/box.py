# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # A universe in a box
#
# From the parameters of a run to its power spectrum, mass function and pictures. 32^3 particles take seconds; try 64^3.
# This page is a notebook; its source `run/python/tutorials/box.py` runs in Jupyter, VS Code and Spyder, or by `python`.
# %%
import multiwalk as mw

p = mw.Parameters(run={"directory": "box"}, ic={"grid": 32}, force={"accuracy": "fast"},
                  model={"kind": "box", "box_size": "50 Mpc/h"},
                  output={"redshifts": [0], "halos": True, "error_sample": 0})
sim = mw.Simulation(p, overwrite=True, progress=False)
spectra = []
p

# %% [markdown]
# Your functions are called while the run goes on: `s.particles.velocity` and the other arrays are the run's own memory.
# %%
@sim.at(redshifts=[8, 3, 0])
def look(s):
    spectra.append(s.power_spectrum())
    speed = s.particles.velocity.std()
    print(f"z = {s.redshift:.1f}: velocities of {speed:.0f} km/s along an axis")


# %% [markdown]
# Run to the end; without `progress=False` there would be a bar. Ctrl-C would stop with a checkpoint, from which
# `mw.Simulation.resume("box")` continues.
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

# %% [markdown]
# Their mass function beside the fit that the run's report has:
# %%
fits = sim.report["outputs"][-1]["halos"]["mass_functions"]
ax = mw.plot.mass_function(halos, bins=8, mass="mass", fits=fits)
ax.figure.savefig("mass_function.png", dpi=120)

# %% [markdown]
# A picture of the box, and the projected density about the largest halo as an array with its extent:
# %%
image = sim.image(pixels=600)
image.save("box.png")
image

# %%
halo = sim.projection(width="5 Mpc/h", center=halos[0])
mw.plot.projection(halo).figure.savefig("halo.png", dpi=120)
