# SPDX-License-Identifier: GPL-3.0-or-later
"""Multiwalk: cosmological N-body simulation with multiple-walk trees on CPUs and GPUs.

    import multiwalk as mw
    a, phi = mw.forces(x, m, softening=0.01)               # forces on your own arrays
    p = mw.Parameters.from_toml("lcdm_box.toml", force={"accuracy": "fast"})
    sim = mw.Simulation(p).run()                           # a whole run, with its files and report
    snap = mw.open("run/snapshot_000.hdf5")                # particles of a snapshot
"""
from typing import TYPE_CHECKING, Any

from ._ensemble import Ensemble, Realisation, Stopped, ensemble
from ._forces import Forces, direct_forces, forces
from ._measurements import Halos, Image, PowerSpectrum, Projection
from ._multiwalk import Error, InputError, build_text
from ._multiwalk import version as __version__
from ._parameters import Parameters, UnknownKey
from ._particles import InitialConditions, ParticleArray, Particles, Snapshot, StaleView, System, open
from ._simulation import RankError, Simulation, initial_conditions

if TYPE_CHECKING:
    from . import plot

__all__ = ["Ensemble", "Error", "Forces", "Halos", "Image", "InitialConditions", "InputError", "Parameters",
           "ParticleArray", "Particles", "PowerSpectrum", "Projection", "RankError", "Realisation", "Simulation",
           "Snapshot", "StaleView", "Stopped", "System", "UnknownKey", "__version__", "build_text", "direct_forces",
           "ensemble", "forces", "initial_conditions", "open", "plot"]


def __getattr__(name: str) -> Any:
    if name == "plot":  # matplotlib takes long to import
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'multiwalk' has no attribute {name!r}")
