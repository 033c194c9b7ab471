# SPDX-License-Identifier: GPL-3.0-or-later
"""Angular power of the light cone: lensing convergence and counts in shells, against projections of the run's own P(k)."""
import json

import numpy as np

from kit.charts import BLUE, INK, chart, limits
from kit.comparison import Comparison

FORCES = False
BLANK = Comparison(
    "Angular power of the light cone",
    "Limber approximation and, for shells, the flat sky without it, from the power spectra that the runs measured",
    "A pair of boxes of 500 Mpc/h with fixed amplitudes, 64^3 particles each, shells to z = 1. Power with its shot noise at "
    "100 <= l <= 1000, and without it where it exceeds the shot noise; modes and copies of the box limit single bands")
RANGE = (100, 1000)


def columns(maps: list) -> dict:
    """Means over the runs, by band; `signal` is without shot noise."""
    bands = [found["bands"] for found in maps]
    table = {key: np.mean([[b[key] for b in run] for run in bands], axis=0) for key in ("l", "first", "last", "measured")}
    name = "flat_sky" if "flat_sky" in bands[0][0] else "limber"
    table["predicted"] = np.mean([[b[name] for b in run] for run in bands], axis=0)
    table["weight"] = (table["last"] + 1) ** 2 - table["first"] ** 2
    shot = np.mean([found["shot_noise"] for found in maps])
    table["signal"], table["predicted_signal"] = table["measured"] - shot, table["predicted"] - shot
    table["clear"] = table["predicted_signal"] > shot
    return table


def compared(table: dict) -> np.ndarray:
    """The bands within RANGE whose signal exceeds the shot noise."""
    return (table["first"] >= RANGE[0] - 5) & (table["last"] <= RANGE[1]) & table["clear"]


def deviations_over_scatter(table: dict) -> np.ndarray:
    """measured / predicted - 1 over sqrt(2 / modes), the scatter of a band with (last + 1)^2 - first^2 independent modes."""
    return ((table["measured"] / table["predicted"] - 1) * np.sqrt(table["weight"] / 2))[compared(table)]


def mean_ratio(table: dict, above: str, below: str, inside) -> float:
    return (table[above] * table["weight"])[inside].sum() / (table[below] * table["weight"])[inside].sum()


def compare(context) -> Comparison:
    skies = [json.loads((run / "sky_spectra.json").read_text()) for run in context.sky_boxes()]
    result = Comparison(BLANK.title, BLANK.reference, BLANK.setting)
    kappa = columns([sky["kappa"] for sky in skies])
    inside = (kappa["first"] >= RANGE[0] - 5) & (kappa["last"] <= RANGE[1])
    ratio = kappa["measured"] / kappa["predicted"]
    result.measure("convergence, largest deviation of a band of l with its shot noise", abs(ratio[inside] - 1).max(), 0.02)
    result.measure("convergence, mean over l with its shot noise", mean_ratio(kappa, "measured", "predicted", inside), 1.02, 0.98)
    clear = inside & kappa["clear"]
    result.measure("convergence, mean over l without shot noise", mean_ratio(kappa, "signal", "predicted_signal", clear), 1.02, 0.98)
    shells = [columns([sky["shells"][s] for sky in skies]) for s in range(2, len(skies[0]["shells"]))]
    means = [mean_ratio(t, "signal", "predicted_signal", compared(t)) for t in shells]
    result.measure("shells beyond z = 0.2, mean over l and shells without shot noise", np.mean(means), 1.01, 0.99)
    scatter = np.concatenate([deviations_over_scatter(t) for t in shells])
    result.measure(f"the same, rms of the deviations of {scatter.size} single bands over the scatter of a Gaussian sky",
                   np.sqrt(np.mean(scatter**2)), 1.3, 0.7)
    with chart("Convergence of sources at z = 1", rows=2) as drawn:
        above, below = drawn.axes
        l = kappa["l"]
        above.loglog(l, l * (l + 1) * kappa["predicted"] / (2 * np.pi), color=INK, linewidth=1)
        above.loglog(l, l * (l + 1) * kappa["measured"] / (2 * np.pi), "o", markersize=3, color=BLUE)
        below.semilogx(l, ratio, color=BLUE)
        limits(below, 0.98, 1.02)
        above.set(ylabel="l (l + 1) C / 2 pi")
        below.set(xlabel="l", ylabel="ratio", ylim=(0.85, 1.15))
    result.charts.append(drawn.svg)
    return result
