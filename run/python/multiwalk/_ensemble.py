# SPDX-License-Identifier: GPL-3.0-or-later
"""Many realisations of one set of parameters."""
from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union

import numpy as np

from . import _multiwalk
from ._measurements import PowerSpectrum, flag
from ._multiwalk import InputError
from ._parameters import Parameters, _toml
from ._particles import Snapshot
from ._ranks import ranks_of

_CHOSEN = ("model.seed", "ic.paired", "run.directory")  #: by the ensemble


class Stopped(RuntimeError):
    """An ensemble ended early, by Ctrl-C or by a time limit, perhaps while it waited for another program."""


class Realisation:
    """A finished run of an ensemble, read from its files."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.name = os.path.basename(directory)
        self.seed = int(self.name.split("_")[1])
        self.paired = self.name.endswith("_paired")

    @property
    def report(self) -> dict:
        with open(os.path.join(self.directory, "report.json"), encoding="utf-8") as file:
            return json.load(file)

    def power_spectrum(self, output: int = -1) -> PowerSpectrum:
        """The spectrum of an output, by default the last; measured by the run (``output.power``)."""
        power = [entry.get("power") for entry in self.report["outputs"]]
        if not power or power[output] is None:
            raise InputError(f"{self.directory}: this run measured no power spectrum")
        return PowerSpectrum(power[output])

    def snapshot(self, output: int = -1) -> Snapshot:
        """The snapshot of an output, by default the last."""
        written = [entry.get("snapshots") for entry in self.report["outputs"]]
        if not written or not written[output]:
            raise InputError(f"{self.directory}: this run wrote no snapshot")
        return Snapshot(os.path.join(self.directory, os.path.basename(written[output][0])))

    def __repr__(self) -> str:
        return f"Realisation {self.name} in {self.directory}"


class Ensemble:
    """Realisations, made one after the other as they are requested; finished ones in the directory are not made
    again. Iterate over it, then ask for `mean_power`."""

    def __init__(self, directory: str, file: str, seeds: str, paired: bool, ranks: Any) -> None:
        self.directory, self._file, self._seeds, self._paired, self._ranks = directory, file, seeds, paired, ranks
        self._names = _multiwalk.names_of_realisations(seeds, paired)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Realisation]:
        for number, name in enumerate(self._names):
            if not _multiwalk.make_realisation(self.directory, self._file, self._seeds, self._paired, number,
                                               self._ranks):
                raise Stopped(f"{self.directory}: stopped before {name} was finished; the same call continues")
            yield Realisation(os.path.join(self.directory, name))

    def mean_power(self, output: int = -1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """k, mean power of all realisations, and the error of that mean; pairs count as one realisation each."""
        spectra = [r.power_spectrum(output) for r in self]
        power = np.array([s.power for s in spectra])
        if self._paired:
            power = power.reshape(-1, 2, power.shape[1]).mean(axis=1)
        error = power.std(axis=0, ddof=1) / np.sqrt(len(power)) if len(power) > 1 else np.full(power.shape[1], np.nan)
        return spectra[0].k, power.mean(axis=0), error

    def __repr__(self) -> str:
        return f"Ensemble of {len(self)} realisations in {self.directory}"


def ensemble(parameters: Parameters, seeds: Iterable[int], *, paired: bool = False,
             directory: Union[str, os.PathLike] = "ensemble", comm: Optional[Any] = None) -> Ensemble:
    """Realisations of the same parameters with different seeds, as ``multiwalk ensemble`` makes them.

    ``paired``: each with its partner of opposite density contrast. The seed and the run directory of ``parameters`` are
    ignored. After a stop or an interruption, the same call continues. With ``comm`` all ranks make each run together.

    >>> for r in multiwalk.ensemble(p, seeds=range(10), paired=True):
    ...     k, pk = r.power_spectrum()
    """
    if not isinstance(parameters, Parameters):
        raise InputError(f"parameters = {parameters!r}: give multiwalk.Parameters")
    try:
        text = ",".join(str(operator.index(seed)) for seed in seeds)
    except TypeError:
        raise InputError(f"seeds = {seeds!r}: give whole numbers, such as range(10)") from None
    ranks = ranks_of(comm)
    folder = _multiwalk.expanded_path(os.fspath(directory))
    made = Ensemble(folder, os.path.join(folder, "ensemble.parameters.toml"), text, flag(paired, "paired"), ranks)
    failure = None
    if ranks.rank == 0:
        try:
            _write_parameters(parameters, made._file)
        except OSError as error:
            failure = f"{made.directory}: cannot keep the parameters there: {error}"
    ranks.agree(failure)
    return made


def _write_parameters(parameters: Parameters, path: str) -> None:
    sections: dict[str, list[str]] = {}
    for name, value in parameters.given().items():
        section, key = name.split(".", 1)
        if name not in _CHOSEN:
            sections.setdefault(section, []).append(f"{key} = {_toml(value, name)}")
    text = "".join(f"[{section}]\n" + "\n".join(lines) + "\n" for section, lines in sections.items())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)
