# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is: measured figures with their limits, and charts."""
from __future__ import annotations

from dataclasses import dataclass, field


class NotRun(Exception):
    """The data or the package of a comparison are not to be had; the message says which and how to get them."""


@dataclass
class Figure:
    """One measured figure that passes from `low` to `high`, both included."""

    what: str
    value: float
    high: float
    low: float = 0.0

    @property
    def passed(self) -> bool:
        return self.low <= self.value <= self.high  # false for nan

    @property
    def share(self) -> float:
        """Of the tolerance."""
        middle = (self.low + self.high) / 2 if self.low else 0.0
        return abs(self.value - middle) / (self.high - middle)


@dataclass
class Comparison:
    title: str  #: what is compared
    reference: str  #: whose result: paper, code and version
    setting: str = ""  #: our run, and what limits the comparison
    figures: list[Figure] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)  #: SVG
    seconds: float = 0.0
    reason: str = ""  #: why it was not run, or how it broke off
    outcome: str = ""  #: "pass", "fail" or "not run"; empty: by the figures

    def measure(self, what: str, value: float, high: float, low: float = 0.0) -> None:
        self.figures.append(Figure(what, float(value), float(high), float(low)))

    def error(self, what: str, value: float, seen: float, times: float = 3) -> None:
        """An error that may be `times` as large as the one seen: 3, or 5 for what scatters from machine to machine."""
        self.measure(what, value, times * seen)

    def ratio(self, what: str, value: float, seen: float, times: float = 3) -> None:
        """A ratio that may be as many times as far from 1 as seen."""
        self.measure(what, value, 1 + times * abs(seen - 1), 1 - times * abs(seen - 1))

    def verdict(self) -> str:
        if self.outcome:
            return self.outcome
        return "pass" if self.figures and all(figure.passed for figure in self.figures) else "fail"


def package(name: str, distribution: str = ""):
    """A module, or NotRun that says how to install it."""
    import contextlib
    import importlib
    import io

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # euclidemu2 advertises another package
            return importlib.import_module(name)
    except ImportError as error:
        raise NotRun(f"the package {distribution or name} is missing ({error}): pip install {distribution or name}")


def version(distribution: str) -> str:
    from importlib import metadata

    try:
        return f"{distribution} {metadata.version(distribution)}"
    except metadata.PackageNotFoundError:
        return distribution
