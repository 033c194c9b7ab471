# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in a periodic box: the Ewald test of Abacus."""
import shutil
import subprocess
from pathlib import Path

import numpy as np

from kit.charts import BLUE, INK, RED, chart
from kit.comparison import Comparison, NotRun
from kit.program import CRITICAL_DENSITY, G, read_snapshot

FORCES = True
BLANK = Comparison(
    "Forces in a periodic box: Abacus' Ewald test",
    "65,536 particles with accelerations from Ewald sums in quad-double precision, Tests/Ewald of abacus-public "
    "(Garrison et al. 2021, MNRAS 508, 575). Its own errors at order 8: median 1.01e-5, 99% 1.37e-4, largest 2.28e-3",
    "force.accuracy = standard within the tolerances of Abacus' own test (1e-4, 1e-3 and 1e-2), reference with smaller "
    "errors than Abacus; the accelerations that a run writes")
FILES = ("reference_ewald_pos.double3", "reference_ewald_acc.double3")
#: Median, 99th percentile and maximum of the relative error that were seen, and that Abacus' test allows or Abacus has.
SEEN = {"standard": (6.9e-5, 4.1e-4, 3.1e-3), "reference": (7.7e-7, 4.2e-6, 3.6e-5)}
MOST = {"standard": (1e-4, 1e-3, 1e-2), "reference": (1.01e-5, 1.37e-4, 2.28e-3)}


def data(context) -> list[np.ndarray]:
    """Positions in a box of side 1 and accelerations for G = 1 and a total mass of 1, fetched once."""
    given = Path(context.abacus)
    folders = [given, given / "Tests" / "Ewald", context.cache / "abacus"]
    folder = next((f for f in folders if all((f / name).exists() for name in FILES)), None)
    if folder is None:
        folder = fetch(context)
    return [np.fromfile(folder / name, dtype=np.float64).reshape(-1, 3) for name in FILES]


def fetch(context) -> Path:
    clone, folder = context.cache / "abacus_clone", context.cache / "abacus"
    shutil.rmtree(clone, ignore_errors=True)
    context.cache.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["git", "clone", "--quiet", "--depth", "1", context.abacus, str(clone)], capture_output=True,
                              text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotRun(f"{context.abacus} cannot be fetched ({error}); name a copy of it with --abacus")
    if done.returncode != 0 or not all((clone / "Tests" / "Ewald" / name).exists() for name in FILES):
        last = (done.stderr.strip().splitlines() or ["it has no Tests/Ewald"])[-1]
        raise NotRun(f"{context.abacus} cannot be fetched ({last}); name a copy of it with --abacus")
    folder.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(clone / "Tests" / "Ewald" / name, folder / name)
    shutil.rmtree(clone)
    return folder


def errors(context, position, exact, accuracy: str) -> np.ndarray:
    name, side = f"ewald_{accuracy}", 1.0
    particles = {"position": position + 0.5, "velocity": np.zeros_like(position)}
    path = context.program.write_box(name, particles, side=side, a=0.5)
    folder = context.program.run(name, context.data("boxes/ewald.toml"), "model.kind=file", f"model.file={path}",
                                 f"force.accuracy={accuracy}", accept=(0, 3))
    found = read_snapshot(folder / "snapshot_000.hdf5")["acceleration"]
    unit = G * CRITICAL_DENSITY * side  # G times the mass of the box / side^2
    return np.linalg.norm(found / unit - exact, axis=1) / np.linalg.norm(exact, axis=1)


def compare(context) -> Comparison:
    position, exact = data(context)
    result = Comparison(BLANK.title, BLANK.reference, BLANK.setting)
    with chart("Errors of 65,536 forces") as drawn:
        axes = drawn.axes[0]
        for (accuracy, seen), colour in zip(SEEN.items(), (BLUE, RED)):
            error = np.sort(errors(context, position, exact, accuracy))
            measured = (np.median(error), np.quantile(error, 0.99), error[-1])
            for what, value, usual, most in zip(("median", "99%", "largest"), measured, seen, MOST[accuracy]):
                result.measure(f"{accuracy}: {what} relative error", value, min(3 * usual, most))
            share = 1 - np.arange(len(error)) / len(error)
            axes.loglog(error, share, color=colour, label=accuracy)
        axes.plot([1.01e-5, 1.37e-4, 2.28e-3], [0.5, 0.01, 1 / len(error)], "o", color=INK,
                  label="Abacus, order 8")
        axes.set(xlabel="relative error", ylabel="share of forces with a larger error", xlim=(1e-8, 1e-1))
        axes.legend()
    result.charts.append(drawn.svg)
    return result
