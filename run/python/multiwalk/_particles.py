# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles as numpy arrays that share the memory of C++, and measurements of them."""
from __future__ import annotations

import operator
import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _multiwalk
from ._measurements import Halos, Image, PowerSpectrum, Projection, flag, require_extension
from ._multiwalk import InputError

#: Units of the arrays; those of isolated systems are the model's, with G = 1.
UNITS = {"position": "Mpc/h", "velocity": "km/s", "momentum": "km/s", "mass": "1e10 Msun/h", "id": "",
         "acceleration": "(km/s)^2 h/Mpc", "potential": "(km/s)^2"}
_AXES = {"x": 0, "y": 1, "z": 2, 0: 0, 1: 1, 2: 2}


class StaleView(RuntimeError):
    """An array of particles that have moved since; take it again, or copy it before the next step."""


class ParticleArray(np.ndarray):
    """A read-only view of the particles' own memory. After the next step, reading it raises `StaleView`: particles have
    moved and changed their order. ``x.copy()`` is an array of your own."""

    _owner: Any = None
    _generation: int = 0
    _name: str = ""

    def __array_finalize__(self, parent: Any) -> None:
        self._owner = getattr(parent, "_owner", None)
        self._generation = getattr(parent, "_generation", 0)
        self._name = getattr(parent, "_name", "")

    @property
    def stale(self) -> bool:
        """Whether the particles have moved since."""
        return self._owner is not None and self._owner.generation != self._generation

    def _fresh(self) -> np.ndarray:
        if self.stale:
            raise StaleView(f"this array of '{self._name}' is from an earlier step: particles have moved since; "
                            "take particles." + self._name + " again, or .copy() it in time")
        return self.view(np.ndarray)

    def __getitem__(self, index: Any) -> Any:
        self._fresh()
        return super().__getitem__(_plain(index))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(out, ParticleArray) for out in options.get("out") or ()):
            raise ValueError("arrays of particles are read-only: copy them first")
        return getattr(ufunc, method)(*(_plain(i) for i in inputs), **{k: _plain(v) for k, v in options.items()})

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function(*_deeply(args), **{k: _deeply(v) for k, v in kwargs.items()})

    def _of_fresh(self, attribute: str) -> Any:
        return getattr(self._fresh(), attribute)

    def __iter__(self) -> Any:
        return iter(self._fresh())

    def __repr__(self) -> str:
        return "stale array of " + self._name if self.stale else repr(self.view(np.ndarray))

    def __str__(self) -> str:
        return repr(self) if self.stale else str(self.view(np.ndarray))

    def __reduce__(self) -> Any:
        return self._fresh().__reduce__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._fresh().__reduce_ex__(protocol)

    def __dlpack__(self, **options: Any) -> Any:
        return self._fresh().__dlpack__(**options)

    def __copy__(self) -> np.ndarray:  # type: ignore[override]
        return self._fresh().copy()

    def __deepcopy__(self, memo: Any) -> np.ndarray:  # type: ignore[override]
        return self._fresh().copy()


def _from_fresh(name: str) -> Any:
    def method(self: ParticleArray, *args: Any, **options: Any) -> Any:
        return getattr(self._fresh(), name)(*(_plain(a) for a in args), **{k: _plain(v) for k, v in options.items()})

    method.__name__, method.__doc__ = name, getattr(np.ndarray, name).__doc__
    return method


# Methods that numpy runs without a call of the above: they would read a stale array, or return one that looks fresh.
for _name in ("all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip", "compress", "copy",
              "cumprod", "cumsum", "diagonal", "dot", "dump", "dumps", "item", "max", "mean", "min", "nonzero", "prod",
              "ravel", "repeat", "reshape", "round", "searchsorted", "std", "sum", "take", "tobytes", "tofile", "tolist",
              "trace", "var", "flatten", "__float__", "__int__", "__bool__", "__contains__", "__complex__", "__index__"):
    setattr(ParticleArray, _name, _from_fresh(_name))
for _name in ("data", "flat", "imag", "real"):
    setattr(ParticleArray, _name, property(operator.methodcaller("_of_fresh", _name)))


def _plain(value: Any) -> Any:
    if isinstance(value, ParticleArray):
        return value._fresh()
    return tuple(_plain(v) for v in value) if type(value) is tuple else value


def _deeply(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_deeply(v) for v in value)
    return _plain(value)


class Particles:
    """This rank's particles. Arrays are views without a copy, read-only; see `ParticleArray`.

    Attributes
    ----------
    position : (N, 3) float64
        Comoving, Mpc/h.
    velocity : (N, 3) float32
        Peculiar velocity, km/s; in a comoving system a copy, computed from `momentum`.
    momentum : (N, 3) float32
        a^2 dx/dt in a comoving system, km/s: the array that steps change.
    mass : (N,) float32
        1e10 Msun/h.
    id : (N,) uint64
        The order of particles changes from step to step; ids do not.
    acceleration, potential : (N, 3), (N,) float32
        Of the last evaluation of forces: G sum m d/R^3 and -G sum m/R in comoving coordinates; zero before the first.

    Isolated systems have G = 1 and the model's units.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __len__(self) -> int:
        return self._owner.facts()["count"]

    def array(self, name: str) -> ParticleArray:
        """The array of this name, as the attribute gives it."""
        return self._taken(name)[0]

    def _taken(self, name: str) -> tuple[ParticleArray, dict]:
        """The array, and facts of the same moment: another thread may make a step before the next call."""
        values, facts = self._owner.array(name)
        view = values.view(ParticleArray)
        view._owner, view._generation, view._name = self._owner, facts["generation"], name
        return view, facts

    position = property(lambda self: self.array("position"))
    momentum = property(lambda self: self.array("momentum"))
    mass = property(lambda self: self.array("mass"))
    id = property(lambda self: self.array("id"))
    acceleration = property(lambda self: self.array("acceleration"))
    potential = property(lambda self: self.array("potential"))

    @property
    def velocity(self) -> np.ndarray:
        momentum, facts = self._taken("momentum")
        return momentum.view(np.ndarray) / np.float32(facts["time"]) if facts["comoving"] else momentum

    def with_units(self, name: str, package: str = "unyt") -> Any:
        """A copy of an array with units of `unyt` or `astropy`, which must be installed."""
        facts = self._owner.facts()
        if not facts["comoving"]:
            raise InputError("an isolated system has the model's own units, which neither package knows")
        values, h = np.array(getattr(self, name), dtype=np.float64), facts["h"]
        factor, unit = {"position": (1 / h, "Mpc"), "velocity": (1, "km/s"), "momentum": (1, "km/s"), "id": (1, ""),
                        "mass": (1e10 / h, "Msun"), "acceleration": (h, "km**2/s**2/Mpc"),
                        "potential": (1, "km**2/s**2")}[name]
        if package == "unyt":
            import unyt

            return unyt.unyt_array(values * factor, unit or "dimensionless")
        if package == "astropy":
            from astropy import units

            return units.Quantity(values * factor, unit.replace("Msun", "solMass"))
        raise InputError(f"package = {package!r}: use 'unyt' or 'astropy'")

    def __repr__(self) -> str:
        return f"{len(self)} particles: position, velocity, momentum, mass, id, acceleration, potential"


def length(value: Any, h: Optional[float], name: str) -> float:
    """A length in Mpc/h from a number or a string such as "20 Mpc/h"."""
    if isinstance(value, str):
        if h is None:
            raise InputError(f"{name} = {value!r}: an isolated system has model units: give a plain number")
        try:
            return _multiwalk.length_from('"' + value.replace('"', "") + '"', h)
        except InputError:
            raise InputError(f"{name} = {value!r}: give a length such as '20 Mpc', '10 Mpc/h' or a number in Mpc/h") \
                from None
    return _above_0(value, name, "length")


def _above_0(value: Any, name: str, what: str) -> float:
    try:
        number = float("nan") if isinstance(value, (bool, np.bool_, str)) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise InputError(f"{name} = {value!r}: give a {what} above 0")
    return number


def _whole(value: Any, name: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise InputError(f"{name} = {value!r}: give a whole number from {least} to {most}")
    return number


def _place(center: Any) -> tuple[float, float, float]:
    """A position from a halo, a row of a halo table or three numbers."""
    place = getattr(center, "position", None)
    if place is None and getattr(getattr(center, "dtype", None), "names", None):
        place = center["position"]
    try:
        numbers = [float(v) for v in np.asarray(center if place is None else place, dtype=float).reshape(3)]
    except (TypeError, ValueError):
        raise InputError(f"center = {center!r}: give a halo or three coordinates") from None
    if not np.all(np.isfinite(numbers)):
        raise InputError(f"center = {numbers}: coordinates must be finite")
    return numbers[0], numbers[1], numbers[2]


class System:
    """Particles of initial conditions, a snapshot or a simulation, and what can be measured of them. Measurements are
    collective on several ranks, and all ranks get the results except for images, which rank 0 has."""

    _ranks: Any = None

    def _particle_owner(self) -> Any:
        raise NotImplementedError

    @property
    def particles(self) -> Particles:
        """This rank's particles."""
        return Particles(self._particle_owner())

    @property
    def time(self) -> float:
        """Expansion factor, or model time of an isolated system."""
        return self._particle_owner().facts()["time"]

    @property
    def redshift(self) -> Optional[float]:
        """None for an isolated system."""
        facts = self._particle_owner().facts()
        return 1 / facts["time"] - 1 if facts["comoving"] else None

    @property
    def box_size(self) -> Optional[float]:
        """Side of the periodic box, Mpc/h; None in a vacuum."""
        return self._particle_owner().facts()["box_size"]

    def power_spectrum(self, *, mesh: int = 0, assignment: str = "pcs", folds: int = 2, interlacing: bool = True,
                       subtract_shot_noise: bool = False) -> PowerSpectrum:
        """Power spectrum of a periodic box; unpacks as ``k, P`` in h/Mpc and (Mpc/h)^3.

        ``mesh``: cells per side; 0: as in a run's outputs. ``assignment``: 'cic', 'tsc', 'pcs'. Each fold doubles the
        largest k."""
        import json

        if not isinstance(assignment, str):
            raise InputError(f"assignment = {assignment!r}: use 'cic', 'tsc' or 'pcs'")
        text = self._particle_owner().power(_whole(mesh, "mesh", 0, 65536), assignment, _whole(folds, "folds", 0, 24),
                                            flag(interlacing, "interlacing"),
                                            flag(subtract_shot_noise, "subtract_shot_noise"))
        return PowerSpectrum(json.loads(text))

    def halos(self, *, linking: float = 0.2, min_particles: int = 32) -> Halos:
        """Halos by friends of friends, the most massive first; for comoving systems only."""
        columns, facts = self._particle_owner().halos(_above_0(linking, "linking", "number"),
                                                      _whole(min_particles, "min_particles", 1, 2**31 - 1))
        return Halos.from_columns(columns, facts)

    def image(self, *, width: Any = None, center: Any = None, pixels: int = 800, axis: Union[int, str] = "z") -> Image:
        """The projected density, which a notebook displays; ``save`` writes it.

        Without ``center``, the view of a run's images: a slab of a quarter of a box, or the whole of another system.
        ``center``: a halo or three coordinates; ``width``: side of the cube drawn about it, such as "20 Mpc/h"."""
        look = self._look(width, center, pixels, axis)
        return Image(self._particle_owner().image(look))

    def projection(self, *, width: Any = None, center: Any = None, pixels: int = 800,
                   axis: Union[int, str] = "z") -> Projection:
        """The projected density as an array, with its extent and unit."""
        look = self._look(width, center, pixels, axis)
        values, across, facts = self._particle_owner().map(look)
        return Projection(values, across, look.centre, look.axis, facts)

    def _look(self, width: Any, center: Any, pixels: Any, axis: Any) -> _multiwalk.Look:
        facts = self._particle_owner().facts()
        look = _multiwalk.Look()
        look.pixels = _whole(pixels, "pixels", 16, 16384)
        if isinstance(axis, bool) or not isinstance(axis, (str, int)) or axis not in _AXES:
            raise InputError(f"axis = {axis!r}: use 'x', 'y' or 'z'")
        look.axis = _AXES[axis]
        if width is not None:
            look.width = length(width, facts["h"], "width")
        if center is not None:
            look.centre = _place(center)
            if width is None:
                radius = float(center["r200c"]) if hasattr(center, "dtype") and center.dtype.names else 0.0
                if not radius > 0:
                    raise InputError("image: give the width of the cube about this center")
                look.width = 5 * radius
        elif width is not None and facts["box_size"]:
            look.centre = (facts["box_size"] / 2,) * 3
        elif width is not None:
            look.centre = (0.0, 0.0, 0.0)
        return look


class InitialConditions(System):
    """Particles before their first step."""

    def __init__(self, owner: Any, parameters: Any, ranks: Any) -> None:
        self._owner, self._parameters, self._ranks = owner, parameters, ranks

    def _particle_owner(self) -> Any:
        return self._owner

    def write(self, path: Union[str, os.PathLike]) -> Sequence[str]:
        """Writes a snapshot in GADGET's HDF5 layout; returns the paths of its files. Collective."""
        require_extension(path, (".hdf5", ".h5"), "snapshot")
        stem, extension = os.path.splitext(os.fspath(path))
        if extension not in (".hdf5", ".h5"):
            stem, extension = os.fspath(path), ".hdf5"
        return self._owner.write(stem, extension, self._parameters._checked)

    def __repr__(self) -> str:
        z = self.redshift
        return f"InitialConditions: {len(self.particles)} particles" + (f" at z = {z:.4g}" if z is not None else "")


class Snapshot(System):
    """A snapshot file or set of files. The header is read at once, the particles at first use."""

    def __init__(self, path: Union[str, os.PathLike]) -> None:
        self.path = os.fspath(path)
        self.header = _multiwalk.snapshot_header(self.path)
        self._owner: Any = None

    def _particle_owner(self) -> Any:
        if self._owner is None:
            self._owner = _multiwalk.snapshot_particles(self.path)
        return self._owner

    time = property(lambda self: self.header["time"])
    box_size = property(lambda self: self.header["box_size"])
    redshift = property(lambda self: 1 / self.header["time"] - 1 if self.header["comoving"] else None)
    position = property(lambda self: self.particles.position)
    velocity = property(lambda self: self.particles.velocity)
    mass = property(lambda self: self.particles.mass)
    id = property(lambda self: self.particles.id)

    def __len__(self) -> int:
        return self.header["count"]

    def __repr__(self) -> str:
        epoch = f"z = {self.redshift:.4g}" if self.redshift is not None else f"t = {self.time:.5g}"
        size = f", box of {self.box_size:g} Mpc/h" if self.box_size else ""
        return f"Snapshot {self.path}: {len(self)} particles, {epoch}{size} ({self.header['layout']} layout)"


def open(path: Union[str, os.PathLike]) -> Snapshot:  # noqa: A001 - multiwalk.open
    """A snapshot of Multiwalk, GADGET, AREPO, SWIFT or monofonIC; its arrays are read at first use."""
    return Snapshot(path)
