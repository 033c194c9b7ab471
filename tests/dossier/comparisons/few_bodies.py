# SPDX-License-Identifier: GPL-3.0-or-later
"""Orbits of few bodies: REBOUND's IAS15."""
import numpy as np

from kit.charts import BLUE, INK, RED, TEAL, chart
from kit.comparison import Comparison, package, version
from kit.program import read_snapshot

FORCES = True
BLANK = Comparison(
    "Orbits of few bodies: REBOUND's IAS15",
    "IAS15 (Rein & Spiegel 2015, MNRAS 446, 1424), 15th order, errors near rounding",
    "Hermite's fourth order with time.eta = 0.001, two corrections a step and pairs in double precision")

_V = np.array([-0.93240737, -0.86473146, 0.0])
_FIGURE_EIGHT = np.array([[1, 0.97000436, -0.24308753, 0, *(-_V / 2)], [1, -0.97000436, 0.24308753, 0, *(-_V / 2)],
                          [1, 0, 0, 0, *_V]])
_E = 0.9  # at apocentre, semi-major axis 1, total mass 1
_SPEED = np.sqrt((1 - _E) / (1 + _E))
_ECCENTRIC = np.array([[0.5, (1 + _E) / 2, 0, 0, 0, _SPEED / 2, 0], [0.5, -(1 + _E) / 2, 0, 0, 0, -_SPEED / 2, 0]])
_PYTHAGOREAN = np.array([[3, 1.0, 3, 0, 0, 0, 0], [4, -2, -1, 0, 0, 0, 0], [5, 1, -1, 0, 0, 0, 0]])
#: Rows of mass, position and velocity; last time; largest error of a position that was seen.
ORBITS = {
    "figure-eight": (_FIGURE_EIGHT, 19.0, 1.2e-8),
    "eccentric binary, e = 0.9": (_ECCENTRIC, 31.4, 1.8e-7),
    "Pythagorean three bodies": (_PYTHAGOREAN, 10.0, 1.7e-6),
}


def reference(rebound, table: np.ndarray, times) -> np.ndarray:
    """(times, bodies, 3)"""
    simulation = rebound.Simulation()
    simulation.integrator = "ias15"
    for m, x, y, z, vx, vy, vz in table:
        simulation.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    found = []
    for time in times:
        simulation.integrate(time, exact_finish_time=1)
        found.append([[p.x, p.y, p.z] for p in simulation.particles])
    return np.array(found)


def ours(context, name: str, table: np.ndarray, times) -> np.ndarray:
    path = context.program.write_bodies(name, table)
    folder = context.program.run(name, context.data("boxes/few_bodies.toml"), f"model.file={path}",
                                 f"time.t_end={times[-1]!r}", f"output.times=[{', '.join(repr(t) for t in times)}]")
    return np.array([read_snapshot(folder / f"snapshot_{i:03d}.hdf5")["position"] for i in range(len(times))])


def compare(context) -> Comparison:
    rebound = package("rebound")
    result = Comparison(BLANK.title, f"{version('rebound')}: {BLANK.reference}", BLANK.setting)
    with chart("Distance of our bodies from IAS15's") as errors:
        for (what, (table, last, seen)), colour in zip(ORBITS.items(), (BLUE, RED, TEAL)):
            times = [float(t) for t in np.linspace(0, last, 101)[1:]]
            exact, found = reference(rebound, table, times), ours(context, what.split()[0].strip(","), table, times)
            distance = np.linalg.norm(found - exact, axis=2).max(axis=1)
            result.error(f"{what}: largest error of a position until t = {last:g}", distance.max(), seen)
            errors.axes[0].semilogy(np.array(times) / last, np.maximum(distance, 1e-16), color=colour, label=what)
            if what.startswith("Pyth"):
                result.charts.append(paths(what, exact, found))
        errors.axes[0].set(xlabel="time / last time", ylabel="largest distance")
        errors.axes[0].legend()
    result.charts.insert(0, errors.svg)
    return result


def paths(what: str, exact: np.ndarray, found: np.ndarray) -> str:
    with chart(what) as drawn:
        axes = drawn.axes[0]
        for body, colour in enumerate((BLUE, RED, TEAL)):
            axes.plot(*exact[:, body, :2].T, color=INK, linewidth=1, label="IAS15" if body == 0 else None)
            axes.plot(*found[:, body, :2].T, "o", color=colour, markersize=3, label="Multiwalk" if body == 0 else None)
        axes.set(xlabel="x", ylabel="y", aspect="equal")
        axes.legend()
    return drawn.svg
