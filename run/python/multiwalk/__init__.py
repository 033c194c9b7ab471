# SPDX-License-Identifier: GPL-3.0-or-later
"""Multiwalk: cosmological N-body simulation with multiple-walk trees on CPUs and GPUs.

    import multiwalk as mw
    a, phi = mw.forces(x, m, softening=0.01)               # forces on your own arrays
    p = mw.Parameters.from_toml("lcdm_box.toml", force={"accuracy": "fast"})
    sim = mw.Simulation(p).run()                           # a whole run, with its files and report
    snap = mw.open("run/snapshot_000.hdf5")                # particles of a snapshot
"""
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import plot
    from ._ensemble import Ensemble, Realisation, Stopped, ensemble
    from ._forces import Forces, direct_forces, forces, pinned_empty
    from ._measurements import Halos, Image, PowerSpectrum, Projection
    from ._multiwalk import Error, InputError, build_text
    from ._multiwalk import version as __version__
    from ._parameters import Parameters, UnknownKey
    from ._particles import InitialConditions, ParticleArray, Particles, Snapshot, StaleView, System, open
    from ._simulation import RankError, Simulation, initial_conditions

__all__ = ["Ensemble", "Error", "Forces", "Halos", "Image", "InitialConditions", "InputError", "Parameters",
           "ParticleArray", "Particles", "PowerSpectrum", "Projection", "RankError", "Realisation", "Simulation",
           "Snapshot", "StaleView", "Stopped", "System", "UnknownKey", "__version__", "build_text", "direct_forces",
           "ensemble", "forces", "initial_conditions", "open", "pinned_empty", "plot"]

#: Names are imported from their modules on first use: numpy and the compiled module take a while to load.
_MODULES = {
    "_ensemble": ("Ensemble", "Realisation", "Stopped", "ensemble"),
    "_forces": ("Forces", "direct_forces", "forces", "pinned_empty"),
    "_measurements": ("Halos", "Image", "PowerSpectrum", "Projection"),
    "_multiwalk": ("Error", "InputError", "build_text"),
    "_parameters": ("Parameters", "UnknownKey"),
    "_particles": ("InitialConditions", "ParticleArray", "Particles", "Snapshot", "StaleView", "System", "open"),
    "_simulation": ("RankError", "Simulation", "initial_conditions"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    if name == "__version__":
        value = importlib.import_module("._multiwalk", __name__).version
    elif name in _HOMES:
        value = getattr(importlib.import_module("." + _HOMES[name], __name__), name)
    else:
        raise AttributeError(f"module 'multiwalk' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
