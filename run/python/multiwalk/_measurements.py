# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of measurements, which a notebook displays."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np

from ._multiwalk import InputError
from ._parameters import _table


def require_extension(path: Union[str, os.PathLike], written: tuple[str, ...], what: str) -> None:
    """Refuses names of other formats, such as x.pdf; a number, as in density_0.5, is no format."""
    extension = os.path.splitext(os.fspath(path))[1]
    if extension.lower() not in written and any(c.isalpha() for c in extension):
        raise InputError(f"{os.fspath(path)}: the {what} is written as {' or '.join(written)}, not as {extension}")


def flag(value: Any, name: str) -> bool:
    """True or False; a text such as "no" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} = {value!r}: give True or False")
    return bool(value)


class PowerSpectrum:
    """k in h/Mpc, powers in (Mpc/h)^3; unpacks as ``k, power``.

    Attributes: ``k``, ``power``, ``sigma`` (sample variance of the modes), ``modes``, ``linear`` (linear theory at this
    epoch; NaN where unknown), ``shot_noise``, ``redshift``, ``details`` (all that ``multiwalk power --json`` writes).
    """

    def __init__(self, details: dict) -> None:
        bins = details["bins"]
        column = lambda name: np.array([np.nan if b[name] is None else b[name] for b in bins], dtype=float)  # noqa: E731
        self.k, self.power, self.sigma = column("k"), column("power"), column("sigma")
        self.linear = column("linear")
        self.modes = np.array([b["modes"] for b in bins], dtype=np.int64)
        self.shot_noise: float = details["shot_noise"]
        self.redshift: Optional[float] = details["redshift"]
        self.details = details

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.k, self.power))

    def __len__(self) -> int:
        return len(self.k)

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame({"k": self.k, "power": self.power, "sigma": self.sigma, "modes": self.modes,
                                 "linear": self.linear})

    def __repr__(self) -> str:
        if not len(self):
            return "PowerSpectrum: no bins"
        epoch = f" at z = {self.redshift:.4g}" if self.redshift is not None else ""
        return (f"PowerSpectrum{epoch}: {len(self)} bins, k = {self.k[0]:.4g} to {self.k[-1]:.4g} h/Mpc, "
                f"shot noise {self.shot_noise:.4g} (Mpc/h)^3")

    def _repr_html_(self) -> str:
        rows = [(f"{k:.4g}", f"{p:.5g}", f"{s:.3g}", f"{l:.5g}", m)
                for k, p, s, l, m in list(zip(self.k, self.power, self.sigma, self.linear, self.modes))[:20]]
        return f"<p>{self!r}</p>" + _table(("k [h/Mpc]", "P [(Mpc/h)^3]", "sigma", "linear P", "modes"), rows)


class Halos(np.ndarray):
    """A structured array of halos, the most massive first: ``halos["mass"]``, ``halos[0]["position"]``.

    Columns: id, particles, mass, position, centre_of_mass, velocity, sigma_1d, extent, v_max, r_v_max, m200c, r200c,
    m500c, r500c, m200m, r200m, mvir, rvir, c200c, spin, lambda_peebles, lambda_bullock. ``units`` has their units:
    masses in Msun/h, comoving lengths in Mpc/h, peculiar velocities in km/s.
    """

    units: dict = {}
    redshift: Optional[float] = None
    volume: Optional[float] = None  #: of the box, (Mpc/h)^3

    @classmethod
    def from_columns(cls, columns: tuple, facts: dict) -> "Halos":
        dtype = [(name, values.dtype, values.shape[1:]) for name, _, values in columns]
        table = np.empty(len(columns[0][2]), dtype=dtype).view(cls)
        for name, _, values in columns:
            table[name] = values
        table.units = {name: unit for name, unit, _ in columns}
        table.redshift = 1 / facts["time"] - 1 if facts["comoving"] else None
        table.volume = facts["box_size"] ** 3 if facts["box_size"] else None
        return table

    def __array_finalize__(self, parent: Any) -> None:
        self.units = getattr(parent, "units", {})
        self.redshift, self.volume = getattr(parent, "redshift", None), getattr(parent, "volume", None)

    def __getitem__(self, index: Any) -> Any:
        result = super().__getitem__(index)
        return result.view(np.ndarray) if isinstance(result, Halos) and result.dtype.names is None else result

    def to_pandas(self) -> Any:
        """A pandas table; vectors become three columns, such as position_x."""
        import pandas

        columns = {}
        for name in self.dtype.names or ():
            values = self[name]
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update({f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")})
        return pandas.DataFrame(columns)

    def mass_function(self, bins: Union[int, Any] = 10, mass: str = "mass") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Masses, dn/dlnM in (h/Mpc)^3 and its Poisson error, in bins of ln M. Needs a periodic box."""
        if not self.volume:
            raise InputError("mass_function: the volume is known for a periodic box only")
        if np.ndim(bins) > 0 and not np.isfinite(np.asarray(bins, dtype=float)).all():
            raise InputError(f"bins = {bins!r}: edges of ln M must be finite")
        logs = np.log(self[mass][self[mass] > 0])
        if not len(logs):
            return np.empty(0), np.empty(0), np.empty(0)
        counts, edges = np.histogram(logs, bins)
        per = self.volume * np.diff(edges)
        return np.exp((edges[1:] + edges[:-1]) / 2), counts / per, np.sqrt(counts) / per

    def __repr__(self) -> str:
        if self.dtype.names is None or self.ndim != 1:
            return super().__repr__()
        largest = f"; the largest has {self['mass'][0]:.4g} Msun/h" if len(self) else ""
        return f"{len(self)} halos{largest}"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> Optional[str]:
        if self.dtype.names is None or self.ndim != 1:
            return None
        rows = [(i, int(h["particles"]), f"{h['mass']:.4g}", *(f"{v:.4g}" for v in h["position"]), f"{h['m200c']:.4g}",
                 f"{h['r200c']:.4g}", f"{h['v_max']:.4g}", f"{h['c200c']:.3g}") for i, h in enumerate(self[:12])]
        head = ("", "particles", "mass [Msun/h]", "x [Mpc/h]", "y", "z", "M200c [Msun/h]", "R200c [Mpc/h]",
                "v_max [km/s]", "c200c")
        more = f"<p>{len(self)} halos, the first 12 are shown</p>" if len(self) > 12 else f"<p>{len(self)} halos</p>"
        return _table(head, rows) + more


class Image:
    """A picture as PNG; empty on ranks other than the first."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the PNG file, whole or not at all; does nothing on ranks other than the first."""
        require_extension(path, (".png",), "image")
        name = os.fspath(path)
        if self.png:
            with open(name + ".partial", "wb") as file:
                file.write(self.png)
            os.replace(name + ".partial", name)

    def _repr_png_(self) -> Optional[bytes]:
        return self.png or None

    def __repr__(self) -> str:
        return f"Image: PNG of {len(self.png)} bytes" if self.png else "Image: on rank 0"


class Projection:
    """Surface density as an array.

    Attributes: ``values`` (height, width), row 0 at the top; ``extent`` (left, right, bottom, top) for matplotlib's
    imshow; ``unit`` of the values and ``length_unit`` of the extent; ``redshift``. Empty on ranks other than the first.
    """

    def __init__(self, values: np.ndarray, across: float, centre: Optional[tuple], axis: int, facts: dict) -> None:
        self.values = values
        up = across * values.shape[0] / values.shape[1] if values.size else 0.0
        first, second = (axis + 1) % 3, (axis + 2) % 3
        if centre is None and facts["box_size"]:
            centre = (facts["box_size"] / 2,) * 3
        x, y = (centre[first], centre[second]) if centre is not None else (0.0, 0.0)
        self.extent = (x - across / 2, x + across / 2, y - up / 2, y + up / 2)
        self.axes = ("xyz"[first], "xyz"[second])
        comoving = facts["comoving"]
        self.unit = "1e10 Msun/h (Mpc/h)^-2" if comoving else ""
        self.length_unit = "Mpc/h" if comoving else ""
        self.redshift = 1 / facts["time"] - 1 if comoving else None
        self.time = facts["time"]

    def __repr__(self) -> str:
        return f"Projection: {self.values.shape} pixels over {self.extent}"
