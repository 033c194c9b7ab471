# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of results by matplotlib, which must be installed. Each function draws into ``ax`` or a new figure and
returns the axes."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._measurements import Halos, PowerSpectrum, Projection
from ._particles import _above_0

_COLOURS = ("#3182bd", "#d6604d", "#2ca25f", "#9467bd", "#b8860b")  #: seen on white and on black


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(**size)[1]


def power(*spectra: PowerSpectrum, ax: Any = None, shot_noise: bool = True) -> Any:
    """Power spectra with linear theory (dashed) and shot noise (dotted), one colour each."""
    ax = _axes(ax, figsize=(6, 4.2), layout="constrained")
    for i, spectrum in enumerate(spectra):
        colour = _COLOURS[i % len(_COLOURS)]
        label = f"z = {spectrum.redshift:.3g}" if spectrum.redshift is not None else None
        ax.fill_between(spectrum.k, np.maximum(spectrum.power - spectrum.sigma, 1e-300),
                        spectrum.power + spectrum.sigma, color=colour, alpha=0.15, linewidth=0)
        ax.plot(spectrum.k, spectrum.power, color=colour, label=label)
        if np.isfinite(spectrum.linear).any():
            ax.plot(spectrum.k, spectrum.linear, color=colour, linestyle="--", linewidth=1)
        if shot_noise and i == 0:
            ax.axhline(spectrum.shot_noise, color="0.5", linestyle=":", linewidth=1)
    positive = np.concatenate([s.power[s.power > 0] for s in spectra] or [np.ones(1)])
    ax.set(xscale="log", yscale="log", xlabel="k [h/Mpc]", ylabel="P(k) [(Mpc/h)$^3$]")
    ax.set_ylim(positive.min() / 2, positive.max() * 2)
    if any(s.redshift is not None for s in spectra):
        ax.legend(frameon=False, title="solid: measured, dashed: linear", title_fontsize="small")
    return ax


def mass_function(halos: Halos, *, ax: Any = None, bins: Any = 12, mass: str = "m200m", fits: Optional[dict] = None) -> Any:
    """dn/dlnM of halos with Poisson errors. ``fits``: an entry of a run's ``report["outputs"][i]["halos"]``
    ["mass_functions"], whose fit is drawn with them (``m200m`` or ``mass``)."""
    ax = _axes(ax, figsize=(6, 4.2), layout="constrained")
    masses, density, error = halos.mass_function(bins, mass)
    filled = density > 0
    ax.errorbar(masses[filled], density[filled], yerr=error[filled], fmt="o", color=_COLOURS[0], markersize=4,
                label="halos")
    entry = (fits or {}).get("fof" if mass == "mass" else "mean200")
    if entry:
        points = [(b["mass"], b["fitted"]) for b in entry["bins"] if b.get("fitted")]
        if points:
            ax.plot(*zip(*points), color=_COLOURS[1], label=str(entry.get("fit", "fit")))
    from matplotlib.ticker import NullFormatter

    ax.set(xscale="log", yscale="log", xlabel=f"{mass} [M$_\\odot$/h]", ylabel="dn/dlnM [(h/Mpc)$^3$]")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(frameon=False)
    return ax


def projection(image: Projection, *, ax: Any = None, cmap: str = "inferno", decades: float = 3) -> Any:
    """Surface density on a logarithmic scale of this number of decades, with its extent and unit."""
    from matplotlib.colors import LogNorm

    decades = _above_0(decades, "decades", "number")
    ax = _axes(ax, figsize=(6, 5), layout="constrained")
    top = float(np.percentile(image.values, 99.9)) or 1.0
    shown = ax.imshow(np.maximum(image.values, top * 10**-decades), extent=image.extent, cmap=cmap,
                      norm=LogNorm(top * 10**-decades, top))
    unit = f" [{image.length_unit}]" if image.length_unit else ""
    ax.set(xlabel=image.axes[0] + unit, ylabel=image.axes[1] + unit)
    ax.figure.colorbar(shown, ax=ax, label="surface density" + (f" [{image.unit}]" if image.unit else ""))
    if image.redshift is not None:
        ax.set_title(f"z = {image.redshift:.2f}", fontsize="medium")
    return ax
