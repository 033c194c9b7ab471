# SPDX-License-Identifier: GPL-3.0-or-later
"""Waves along an axis: Zel'dovich's exact solution, and the growth of short waves on a lattice."""
from dataclasses import dataclass

import numpy as np

from kit.charts import BLUE, INK, RED, chart
from kit.comparison import Comparison
from kit.program import read_snapshot

FORCES = True
BLANK = Comparison(
    "Plane waves: exact collapse, and growth on a lattice",
    "Zel'dovich (1970), exact until shells cross; linear theory of a simple cubic lattice (Joyce & Marcos 2007, "
    "paper II, Phys. Rev. D 76, 103505), here for sheets of particles summed in closed form",
    "Einstein-de Sitter boxes. The collapse, of 16 sheets with 64^2 particles each, ends at 0.75 of the expansion factor of "
    "shell crossing, while the sheets are farther apart than the particles in them; waves of 4 and 2.67 particles a "
    "wavelength of 32^3 particles grow by a decade in a")
SIDE = 16.0  # Mpc/h
GRID = 32  # particles a side, for short waves
SHEETS = (16, 64, 64)  # particles along x, y and z, for the collapse


@dataclass
class Wave:
    """Displacements -amplitude sin(k q) along x that grow as a^rate between two expansion factors."""

    waves: int  #: in the box
    amplitude: float
    rate: float
    span: tuple

    @property
    def k(self) -> float:
        return 2 * np.pi * self.waves / SIDE


def evolved(context, name: str, wave: Wave, shape) -> tuple:
    """Lattice coordinate and displacement along x at the end, and velocity / (a H), from a lattice of that shape."""
    k, amplitude, rate, span = wave.k, wave.amplitude, wave.rate, wave.span
    lattice = (np.indices(shape).reshape(3, -1).T + 0.5) * SIDE / np.array(shape)
    position, velocity = lattice.copy(), np.zeros_like(lattice)
    position[:, 0] -= amplitude * np.sin(k * lattice[:, 0])
    velocity[:, 0] = -rate * amplitude * np.sin(k * lattice[:, 0]) * 100 / np.sqrt(span[0])  # a H = 100 / sqrt(a)
    path = context.program.write_box(name, {"position": position, "velocity": velocity}, side=SIDE, a=span[0])
    folder = context.program.run(name, context.data("boxes/plane_wave.toml"), "model.kind=file", f"model.file={path}",
                                 f"time.z_end={1 / span[1] - 1!r}")
    found = read_snapshot(folder / "snapshot_000.hdf5")
    moved = np.mod(found["position"][:, 0] - lattice[:, 0] + SIDE / 2, SIDE) - SIDE / 2
    return lattice[:, 0], moved, found["velocity"][:, 0] * np.sqrt(span[1]) / 100


def lattice_rate(waves: int) -> float:
    """Growth exponent of a longitudinal wave along an axis: the force of displaced sheets of particles is that of smooth
    sheets and of the reciprocal vectors g of a sheet, which fall as exp(-|g| distance)."""
    ints = np.arange(-6, 7)
    g = 2 * np.pi * np.hypot(*np.meshgrid(ints, ints)).ravel()
    g, j = g[g > 0], np.arange(1, 20)[:, None]
    sheets = (g * np.exp(-g * j)).sum(axis=1)
    excess = (sheets * (1 - np.cos(2 * np.pi * waves / GRID * j[:, 0]))).sum()
    return (np.sqrt(1 + 24 * (1 + excess)) - 1) / 4


def collapse(context, result: Comparison) -> None:
    k, start, end = 2 * np.pi / SIDE, 0.05, 0.75
    q, moved, speed = evolved(context, "pancake", Wave(1, start / k, 1.0, (start, end)), SHEETS)
    exact = -end / k * np.sin(k * q)
    scale = np.sqrt(np.mean(exact**2))
    result.error("collapse: rms error of displacements", np.sqrt(np.mean((moved - exact) ** 2)) / scale, 3.5e-4)
    result.error("collapse: rms error of velocities", np.sqrt(np.mean((speed - exact) ** 2)) / scale, 2.1e-4)
    first = np.unique(q, return_index=True)[1]
    with chart("A pancake just before its shells cross", rows=2) as drawn:
        above, below = drawn.axes
        fine = np.linspace(0, SIDE, 400)
        above.plot(fine - end / k * np.sin(k * fine), -end / k * np.sin(k * fine), color=INK, linewidth=1, label="exact")
        above.plot((q + moved)[first], speed[first], "o", color=BLUE, markersize=4, label="Multiwalk")
        above.set(ylabel="velocity / aH [Mpc/h]")
        above.legend()
        below.plot((q + moved)[first], ((moved - exact) / scale)[first], "o-", color=BLUE, markersize=3)
        below.set(xlabel="x [Mpc/h]", ylabel="error / rms")
    result.charts.append(drawn.svg)


def short_waves(context, result: Comparison) -> None:
    start, end, spacing = 0.02, 0.2, SIDE / GRID
    found = {}
    for waves, seen in ((8, 8.3e-4), (12, 8.9e-4)):
        rate = lattice_rate(waves)
        wave = Wave(waves, 0.004 * spacing, rate, (start, end))
        q, moved, _ = evolved(context, f"short_wave_{waves}", wave, (GRID,) * 3)
        shape = np.sin(wave.k * q)
        growth = -(moved * shape).sum() / (shape**2).sum() / wave.amplitude
        found[waves] = np.log(growth) / np.log(end / start)
        result.error(f"{GRID / waves:.3g} particles a wavelength: growth / lattice theory - 1",
                     abs(growth / (end / start) ** rate - 1), seen)
    with chart("Growth of short waves on a lattice") as drawn:
        axes, every = drawn.axes[0], np.arange(1, 17)
        axes.plot(every / 16, [lattice_rate(n) for n in every], color=INK, label="lattice theory")
        axes.axhline(1, color=RED, linewidth=1, label="fluid")
        axes.plot([n / 16 for n in found], list(found.values()), "o", color=BLUE, label="Multiwalk")
        axes.set(xlabel="wavenumber / Nyquist", ylabel="d ln displacement / d ln a")
        axes.legend()
    result.charts.append(drawn.svg)


def compare(context) -> Comparison:
    result = Comparison(BLANK.title, BLANK.reference, BLANK.setting)
    collapse(context, result)
    if not context.small:
        short_waves(context, result)
    return result
