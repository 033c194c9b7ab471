# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# A universe in a box: from the parameters to the power spectrum, the mass function and a picture. The cells run in
# Jupyter, VS Code and Spyder, or all together: `python box.py`. 32^3 particles take seconds; try 64^3 or 128^3.
# %%
import multiwalk as mw

p = mw.Parameters(run={"directory": "box"}, model={"kind": "box", "box_size": "30 Mpc/h"}, ic={"grid": 32},
                  force={"accuracy": "fast"}, output={"redshifts": [0]})
sim = mw.Simulation(p, overwrite=True)
spectra = []


# %% Your function, called while the run goes on: `s.particles.position` is the run's own memory.
@sim.at(redshifts=[8, 3, 0])
def look(s):
    spectra.append(s.power_spectrum())
    print(f"z = {s.redshift:.1f}: velocities of {s.particles.velocity.std():.0f} km/s along an axis")


# %% Run to the end. Ctrl-C would stop with a checkpoint, from which mw.Simulation.resume("box") continues.
sim.run()

# %% Power spectra compared with linear theory.
mw.plot.power(*spectra).figure.savefig("power.png", dpi=120)

# %% The largest halo, and the mass function of all.
halos = sim.halos()
print(halos, f"within a virial radius of {halos[0]['rvir']:.2f} Mpc/h")
mw.plot.mass_function(halos).figure.savefig("mass_function.png", dpi=120)

# %% A picture, and the projected density as an array with its extent.
sim.image(pixels=600).save("box.png")
mw.plot.projection(sim.projection(width="5 Mpc/h", center=halos[0])).figure.savefig("halo.png", dpi=120)
