# SPDX-License-Identifier: GPL-3.0-or-later
"""A box of GADGET-4's own, from its parameter file: P(k) of both codes from the same waves."""
from pathlib import Path

import h5py
import numpy as np
from matplotlib.ticker import NullFormatter

from kit.charts import BLUE, GOLD, RED, TEAL, chart, limits
from kit.comparison import Comparison, NotRun
from kit.program import read_table

FORCES = True
BLANK = Comparison(
    "A box from GADGET-4's parameter file",
    "GADGET-4 (Springel et al. 2021, MNRAS 506, 2871)",
    "The example DM-L50-N128 of GADGET-4 with 64^3 particles. Its parameter file is translated by multiwalk params "
    "--from-gadget4, and the program makes the initial conditions from GADGET-4's seed. P(k) of both codes is measured by "
    "multiwalk power. GADGET-4 interpolates displacements from a mesh, so that its waves are weaker near the Nyquist "
    "wavenumber of 4.0 h/Mpc")
RANGES = ((0.0, 1.0, 4.5e-4), (1.0, 2.0, 1.2e-3))  # h/Mpc, rms that was seen


def measured_power(context, snapshot: Path, table: Path) -> np.ndarray:
    table.parent.mkdir(parents=True, exist_ok=True)
    context.program.call("power", snapshot, "--csv", table)
    return read_table(table)


def gadget_spectra(context) -> dict:
    """Redshift: k [h/Mpc] and P [(Mpc/h)^3] of GADGET-4: from the snapshots of --gadget4, or the stored table."""
    if context.gadget4 is None:
        stored = read_table(context.data("gadget4/power.csv"))
        return {float(z): stored[stored["z"] == z] for z in np.unique(stored["z"])}
    found = sorted(context.gadget4.glob("snapshot_???.hdf5"))
    if not found:
        raise NotRun(f"{context.gadget4} holds no snapshot_000.hdf5 of GADGET-4")
    tables = [measured_power(context, path, context.program.folder / "gadget4" / f"{path.stem}.csv") for path in found]
    return {redshift(path): table for path, table in zip(found, tables)}


def redshift(snapshot: Path) -> float:
    """GADGET-4 writes at the end of the step that is nearest to the output's time."""
    with h5py.File(snapshot) as file:
        return abs(1 / float(file["Header"].attrs["Time"]) - 1)


def translated(context) -> Path:
    path = context.program.folder / "gadget4" / "box.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    files = context.data("gadget4")
    path.write_text(context.program.call("params", "--from-gadget4", files / "param.txt", "--config", files / "Config.sh"))
    return path


def compare(context) -> Comparison:
    result = Comparison(BLANK.title, BLANK.reference, BLANK.setting)
    theirs = gadget_spectra(context)
    redshifts = sorted(theirs, reverse=True)
    toml = translated(context)
    conditions = context.program.initial_conditions("gadget4", toml)
    run = context.program.run("gadget4", toml, "model.kind=file", f"model.file={conditions}", f"output.redshifts={redshifts}",
                              f"time.z_end={redshifts[-1]}", "output.images=false", "output.halos=false")
    snapshots = dict(zip(redshifts, sorted(run.glob("snapshot_*.hdf5"))))
    with chart("P(k) / that of GADGET-4") as drawn:
        axes = drawn.axes[0]
        for z, colour in zip(redshifts, (GOLD, TEAL, RED, BLUE)):
            ours = measured_power(context, snapshots[z], context.program.folder / "gadget4" / f"ours_{z:.2f}.csv")
            table, k = theirs[z], theirs[z]["k"]
            ratio = np.exp(np.interp(np.log(k), np.log(ours["k"]), np.log(ours["power"]))) / table["power"]
            for low, high, seen in RANGES:
                inside = (k > low) & (k < high)
                what = f"z = {z:.2f}, k from {low:g} to {high:g} h/Mpc: rms of P(k) / GADGET-4's - 1"
                result.error(what, np.sqrt(np.mean((ratio[inside] - 1) ** 2)), seen)
            axes.semilogx(k[k < 4], ratio[k < 4], color=colour, label=f"z = {z:.2f}")
        limits(axes, 0.998, 1.002)
        axes.set(xlabel="k [h/Mpc]", ylabel="ratio", ylim=(0.98, 1.04))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend()
    result.charts.append(drawn.svg)
    return result
