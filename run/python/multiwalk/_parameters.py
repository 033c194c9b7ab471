# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a run, by their names in the parameter file."""
from __future__ import annotations

import html
import numbers
import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Optional, Union, cast

import numpy as np

from . import _multiwalk
from ._multiwalk import InputError

Value = Union[bool, int, float, str, list, None]

_QUOTED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class UnknownKey(InputError, KeyError):
    """A section or key that the parameter file does not know; the message names the nearest."""

    __str__ = InputError.__str__


_LONGEST = 65536  #: elements of a list


def _toml(value: Any, name: str) -> str:
    """The value as TOML, for the checks of the parameter file."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if not isinstance(text, str):
            raise InputError(f"{name} must not be bytes: give a string")
        return '"' + "".join(_QUOTED.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}") for c in text) + '"'
    if isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim == 1):
        if len(value) > _LONGEST:
            raise InputError(f"{name} has {len(value)} elements: give at most {_LONGEST}")
        return "[" + ", ".join(_toml(element, name) for element in value) + "]"
    raise InputError(f"{name} = {value!r}: a parameter is a number, a string, True, False or a list of them")


def _rows() -> list[_multiwalk.ParameterHelp]:
    return _multiwalk.parameter_help()


class Section(MutableMapping):
    """A section of parameters, such as ``p["force"]``. Setting a value checks all parameters."""

    def __init__(self, parameters: "Parameters", name: str) -> None:
        self._parameters, self._name = parameters, name

    def __getitem__(self, key: str) -> Value:
        return self._parameters._value(f"{self._name}.{key}")

    def __setitem__(self, key: str, value: Any) -> None:
        self._parameters.update({self._name: {key: value}})

    def __delitem__(self, key: str) -> None:
        """Restores the value of the file, or the default."""
        self._parameters._forget(f"{self._name}.{key}")

    def __iter__(self) -> Iterator[str]:
        return (key.split(".", 1)[1] for key in _multiwalk.parameter_names() if key.startswith(self._name + "."))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"{self._name}: {dict(self)}"


class Parameters(Mapping):
    """All parameters of a run: a dictionary of sections, with the names, units, checks and defaults of the parameter
    file. ``multiwalk.Parameters.help("force")`` explains them.

    >>> p = Parameters(model={"kind": "box", "box_size": "100 Mpc"}, ic={"grid": 64})
    >>> p["force"]["accuracy"] = "fast"
    """

    def __init__(self, *, text: str = "", name: str = "parameters", **sections: Mapping[str, Any]) -> None:
        self._text, self._name = text, name
        self._settings: dict[str, str] = {}
        self._checked = _multiwalk.CheckedParameters(text, name, [])
        self.update(sections)

    @classmethod
    def from_toml(cls, path: Union[str, os.PathLike], **sections: Mapping[str, Any]) -> "Parameters":
        """Reads a parameter file; sections override it: ``force={"accuracy": "fast"}``."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{os.fspath(path)}: cannot read this parameter file: {error}") from None
        return cls(text=text, name=os.fspath(path), **sections)

    def update(self, sections: Optional[Mapping[str, Mapping[str, Any]]] = None, **more: Mapping[str, Any]) -> None:
        """Sets several values and then checks all of them together; if they are not valid, nothing changes."""
        settings = dict(self._settings)
        for section, values in {**(sections or {}), **more}.items():
            if not isinstance(section, str) or not isinstance(values, Mapping):
                raise InputError(f"{section} = {values!r}: give a dictionary of keys, as {section}={{'key': value}}")
            for key, value in values.items():
                name = f"{section}.{key}"
                if value is None:
                    settings.pop(name, None)
                else:
                    settings[name] = _toml(value, name)
        self._accept(settings)

    def copy(self, **sections: Mapping[str, Any]) -> "Parameters":
        """The same parameters, with some values changed."""
        twin = type(self)(text=self._text, name=self._name)
        twin._accept(dict(self._settings))
        twin.update(sections)
        return twin

    def to_toml(self) -> str:
        """Every key with its value, as a parameter file."""
        return self._checked.to_toml()

    def given(self) -> dict[str, Value]:
        """The values that are not defaults: those of the file and those that were set."""
        return {name: cast(Value, self._checked.value(name)) for name in _multiwalk.parameter_names()
                if self._checked.is_given(name)}

    @staticmethod
    def help(name: Optional[str] = None) -> "ParameterHelp":
        """The table of all parameters, of a section, or of a key ("force.theta")."""
        rows = [row for row in _rows() if name is None or row.key == name or row.key.startswith(f"{name}.")]
        if not rows:
            raise UnknownKey(f"unknown key {name}; {_multiwalk.key_advice(str(name))}")
        return ParameterHelp(rows)

    def __getitem__(self, section: str) -> Any:
        if isinstance(section, str) and "." in section:
            return self._value(section)
        if section not in _sections():
            raise UnknownKey(f"unknown section {section}; there are {', '.join(_sections())}")
        return Section(self, section)

    def __setitem__(self, name: str, value: Any) -> None:
        section, _, key = str(name).partition(".")
        self.update({section: {key: value} if key else value})

    def __iter__(self) -> Iterator[str]:
        return iter(_sections())

    def __len__(self) -> int:
        return len(_sections())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and self.to_toml() == other.to_toml()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return _restored, (self._text, self._name, self._settings)

    def __repr__(self) -> str:
        lines = [f"{name} = {value!r}" for name, value in self.given().items()]
        return "Parameters(\n  " + "\n  ".join(lines or ["all defaults"]) + "\n)"

    def _repr_html_(self) -> str:
        units = {row.key: row.unit for row in _rows()}
        return _table(("parameter", "value", "unit"),
                      [(name, str(value), units[name]) for name, value in self.given().items()])

    def _value(self, name: str) -> Value:
        if name not in _multiwalk.parameter_names():
            raise UnknownKey(f"unknown key {name}; {_multiwalk.key_advice(name)}")
        return cast(Value, self._checked.value(name))

    def _forget(self, name: str) -> None:
        if name not in self._settings:
            raise UnknownKey(f"{name} was not set here")
        settings = dict(self._settings)
        del settings[name]
        self._accept(settings)

    def _accept(self, settings: dict[str, str]) -> None:
        lines = [f"{name}={value}" for name, value in settings.items()]
        self._checked = _multiwalk.CheckedParameters(self._text, self._name, lines)
        self._settings = settings


class ParameterHelp:
    """Rows of the parameter table, which a notebook displays."""

    def __init__(self, rows: list[_multiwalk.ParameterHelp]) -> None:
        self.rows = rows

    def __repr__(self) -> str:
        return "\n".join(f"{row.key} = {row.default_value}{' ' + row.unit if row.unit else ''}"
                         f"{'  (' + row.range + ')' if row.range else ''}\n    {row.help}" for row in self.rows)

    def _repr_html_(self) -> str:
        return _table(("parameter", "unit", "default", "range", "meaning"),
                      [(r.key, r.unit, r.default_value, r.range, r.help) for r in self.rows])


def _restored(text: str, name: str, settings: dict[str, str]) -> Parameters:
    parameters = Parameters(text=text, name=name)
    parameters._accept(settings)
    return parameters


def _sections() -> list[str]:
    return list(dict.fromkeys(name.split(".")[0] for name in _multiwalk.parameter_names()))


def _table(head: tuple[str, ...], rows: list[tuple]) -> str:
    def line(tag: str, cells: tuple) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line("th", head) + "".join(line("td", row) for row in rows) + "</table>"
