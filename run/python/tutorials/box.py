# %% [markdown]
# <!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# # A universe in a box
#
# This tutorial goes from the parameters of a run to its power spectrum, mass function and pictures. The run takes
# seconds with 32^3 particles; try 64^3, too. This page is a notebook: its source, `run/python/tutorials/box.py`, runs
# in Jupyter, VS Code and Spyder, or as a plain `python` script.
# %%
import multiwalk as mw

p = mw.Parameters(run={"directory": "box"}, ic={"grid": 32}, force={"accuracy": "fast"},
                  model={"kind": "box", "box_size": "50 Mpc/h"},
                  output={"redshifts": [0], "halos": True, "error_sample": 0})
sim = mw.Simulation(p, overwrite=True, progress=False)
spectra = []
p

# %% [markdown]
# Your functions are called during the run. `s.particles.velocity` and the other arrays are views of the run's own
# memory.
# %%
@sim.at(redshifts=[8, 3, 0])
def look(s):
    spectra.append(s.power_spectrum())
    speed = s.particles.velocity.std()
    print(f"z = {s.redshift:.1f}: velocities of {speed:.0f} km/s along an axis")


# %% [markdown]
# Now run to the end. Without `progress=False` you would see a progress bar. Ctrl-C would stop the run with a
# checkpoint, from which `mw.Simulation.resume("box")` continues.
# %%
sim.run()

# %% [markdown]
# Plot the power spectra and compare them with linear theory:
# %%
mw.plot.power(*spectra).figure.savefig("power.png", dpi=120)

# %% [markdown]
# Find the halos; the most massive comes first:
# %%
halos = sim.halos()
halos

# %% [markdown]
# Compare their mass function with the fit from the run's report:
# %%
fits = sim.report["outputs"][-1]["halos"]["mass_functions"]
ax = mw.plot.mass_function(halos, bins=8, mass="mass", fits=fits)
ax.figure.savefig("mass_function.png", dpi=120)

# %% [markdown]
# Draw the box. Then get the projected density around the most massive halo, as an array with its extent, and plot it:
# %%
image = sim.image(pixels=600)
image.save("box.png")
image

# %%
halo = sim.projection(width="5 Mpc/h", center=halos[0])
mw.plot.projection(halo).figure.savefig("halo.png", dpi=120)
