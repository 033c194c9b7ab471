# SPDX-License-Identifier: GPL-3.0-or-later
"""The non-linear power spectrum: EuclidEmulator2."""
import contextlib
import io

import numpy as np

from kit.charts import BLUE, INK, RED, chart, limits
from kit.comparison import Comparison, package, version
from kit.program import read_table

FORCES = True
BLANK = Comparison(
    "Non-linear power spectrum: EuclidEmulator2",
    "Euclid Collaboration: Knabenhans et al. (2021, MNRAS 505, 2840), boost over linear theory within 1%",
    "A pair of boxes of 256 Mpc/h with fixed amplitudes, 96^3 particles each (256^3 with --gpu). At 96^3 the missing small "
    "halos and short waves lower the spectrum by a few per cent from k = 0.4 h/Mpc on, so that the comparison ends there")
RANGE = (0.1, 0.4)  # h/Mpc
LONGEST = 0.08  # h/Mpc: the three lowest bins, where an error of growth shows best
#: Ratios that were seen at z = 0, 1 and, for the longest waves, at z = 1, with 96^3 and with 256^3 particles.
SEEN = {False: (0.987, 0.992, 0.997), True: (0.995, 1.002, 0.998)}
EMULATOR = 0.01  # its own error


def emulated(euclid, redshifts) -> tuple:
    """k in h/Mpc and the boosts at the redshifts; A_s belongs to sigma8 = 0.8102."""
    with contextlib.redirect_stdout(io.StringIO()):
        cosmology = dict(Omm=0.3111, Omb=0.0490, h=0.6766, ns=0.9665, As=2.0322e-9, w=-1.0, wa=0.0, mnu=0.0)
        k, boost = euclid.PyEuclidEmulator().get_boost(cosmology, list(redshifts))
    return k, [boost[i] for i in range(len(redshifts))]


def about(seen: float) -> tuple[float, float]:
    """(high, low): as far from what was seen as the emulator may be from the truth."""
    return seen + EMULATOR, seen - EMULATOR


def compare(context) -> Comparison:
    euclid = package("euclidemu2")
    runs = context.emulator_boxes()
    result = Comparison(BLANK.title, f"{version('euclidemu2')}: {BLANK.reference}", BLANK.setting)
    redshifts = (0.0, 1.0)
    k, boosts = emulated(euclid, redshifts)
    with chart("Boost of the power spectrum over linear theory", rows=2) as drawn:
        above, below = drawn.axes
        for z, boost, output, colour in zip(redshifts, boosts, (2, 1), (BLUE, RED)):
            tables = [read_table(run / f"power_{output:03d}.csv") for run in runs]
            found = sum(table["power"] for table in tables) / len(tables) / tables[0]["linear"]
            bins = tables[0]["k"]
            ratio = found / np.interp(bins, k, boost)
            inside = (bins > RANGE[0]) & (bins < RANGE[1])
            seen = SEEN[context.gpu]
            result.measure(f"z = {z:g}: mean P(k) / emulator at k = 0.1 to 0.4 h/Mpc", ratio[inside].mean(), *about(seen[int(z)]))
            if z == 1:
                result.ratio(f"z = 1: mean P(k) / emulator at k < {LONGEST:g} h/Mpc", ratio[bins < LONGEST].mean(), seen[2])
            shown = bins < 1
            above.loglog(bins[shown], np.interp(bins[shown], k, boost), color=INK, linewidth=1)
            above.loglog(bins[shown], found[shown], "o", markersize=3, color=colour, label=f"z = {z:g}")
            below.semilogx(bins[shown], ratio[shown], color=colour)
        limits(below, 0.98, 1.02)
        above.set(ylabel="boost")
        below.set(xlabel="k [h/Mpc]", ylabel="ratio", ylim=(0.85, 1.1))
        above.legend()
    result.charts.append(drawn.svg)
    return result
