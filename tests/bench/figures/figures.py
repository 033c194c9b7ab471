#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""figures.py check|update [ROOT]: compares the figures that pages state with the table of measured ones, or writes them there.

places.txt lists texts of pages with names of figures in braces: {RUN.QUANTITY:FORMAT}, or {RUN.gpu} and {RUN.cores} of the
machine. check fails for a place that is not in its page or has other figures than the table, for a figure of README.md and
run/examples/results/README.md without a place (a number with a unit of measurement, or alone in a cell), and for a row measured before the last release
(date-released of CITATION.cff) or with a commit that is unknown or had uncommitted changes.
"""
from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import table

COMPLETE = ("README.md", "run/examples/results/README.md")  #: pages of which every figure needs a row
NUMBER = r"[\d.,]*\d(?:e[-+]?\d+)?"
UNITS = r"(?:(?:effective|raw) )?(?:ms|s|seconds|minutes|hours|[TG]flops|dollars|joules|k?J|bytes|[GM]i?B|[kM]?W)\b|%"
FIGURE = re.compile(rf"(?<![\w.^/-]){NUMBER}\s?(?:{UNITS})|(?<![\w.^/-])\d[\d.]*e-?\d+")
CELL = re.compile(rf"\|\s*(?:\*\*)?{NUMBER}(?:\*\*)?(?: / (?:\*\*)?{NUMBER}(?:\*\*)?)?(?=\s*\|)")
NAME = re.compile(r"\{([\w.]+)(?::([^}]*))?\}")


@dataclass
class Place:
    line: int
    page: str
    text: str

    def pattern(self) -> re.Pattern:
        """The text with any figures, and with line breaks anywhere between its words."""
        parts = NAME.split(self.text)  # text, name, format, text, ...
        texts = [r"\s+(?:# )?".join(map(re.escape, re.split(r"\s+", part))) for part in parts[0::3]]
        return re.compile(r"([^\s*]*[^\s*,;.)])".join(texts))

    def names(self) -> list[tuple[str, str]]:
        return NAME.findall(self.text)


def places(path: Path) -> list[Place]:
    found, page = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            page = line[3:]
        elif line and not line.startswith("#"):
            found.append(Place(number, page, line))
    return found


def figure_text(name: str, form: str, rows: dict[str, table.Row]) -> str:
    """What a page should say, or a KeyError."""
    if name in rows:
        return re.sub(r"e([-+])0*(\d)", lambda e: ("e-" if e[1] == "-" else "e") + e[2], format(rows[name].value, form or "g"))
    run, _, quantity = name.rpartition(".")
    machine = next((row.machine.split(", ") for row in rows.values() if row.run() == run), None)
    if machine is None or quantity not in ("gpu", "cores"):
        raise KeyError(name)
    return machine[0] if quantity == "gpu" else machine[1].split()[0]


class Check:
    def __init__(self, root: Path):
        self.root = root
        folder = root / "tests/bench/figures"
        self.rows = table.read(folder / "table.tsv")
        self.places = places(folder / "places.txt")
        self.faults: list[str] = []
        self.texts = {page: (root / page).read_text() for page in {*COMPLETE, *(place.page for place in self.places)}}

    def fault(self, page: str, offset: int, what: str) -> None:
        self.faults.append(f"{page}:{self.texts[page].count(chr(10), 0, offset) + 1}: {what}")

    def check_place(self, place: Place, covered: list[tuple[int, int]]) -> None:
        text = self.texts[place.page]
        found = list(place.pattern().finditer(text))
        if not found:
            self.faults.append(f"tests/bench/figures/places.txt:{place.line}: not in {place.page}: {place.text}")
        for match in found:
            covered.append(match.span())
            for group, (name, form) in enumerate(place.names(), 1):
                try:
                    wanted = figure_text(name, form, self.rows)
                except KeyError:
                    self.fault(place.page, match.start(group), f"{match[group]} has no row {name} in the table")
                    continue
                if match[group] != wanted:
                    self.fault(place.page, match.start(group), f"says {match[group]}, the table {wanted} ({name})")

    def check_pages(self) -> None:
        for page, text in self.texts.items():
            covered: list[tuple[int, int]] = []
            for place in self.places:
                if place.page == page:
                    self.check_place(place, covered)
            if page not in COMPLETE:
                continue
            for match in [*FIGURE.finditer(text), *CELL.finditer(text)]:
                if not any(begin < match.end() and match.start() < end for begin, end in covered):
                    self.fault(page, match.start(), f"the figure '{match[0].strip('| ')}' has no place in places.txt")

    def check_rows(self) -> None:
        cited = (self.root / "CITATION.cff").read_text()
        released = re.search(r"^date-released: (\S+)$", cited, re.M)[1]
        for row in self.rows.values():
            if row.date < released:
                self.faults.append(f"table.tsv: {row.figure} was measured on {row.date}, before the last release of {released}")
            if not re.fullmatch(r"[0-9a-f]{8,40}", row.commit):
                self.faults.append(f"table.tsv: {row.figure} has the commit '{row.commit}'")
        for commit in sorted({row.commit for row in self.rows.values()} if self.whole_history() else ()):
            if self.git("cat-file", "-e", commit + "^{commit}") is None:
                self.faults.append(f"table.tsv: the commit {commit} is unknown")

    def git(self, *arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True, text=True)
        except FileNotFoundError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def whole_history(self) -> bool:
        return (self.root / ".git").exists() and self.git("rev-parse", "--is-shallow-repository") == "false"

    def update(self) -> None:
        for place in self.places:
            def with_figures(match: re.Match) -> str:
                text, begin = "", match.start()
                for group, (name, form) in enumerate(place.names(), 1):
                    text += match.string[begin:match.start(group)] + figure_text(name, form, self.rows)
                    begin = match.end(group)
                return text + match.string[begin:match.end()]
            self.texts[place.page] = place.pattern().sub(with_figures, self.texts[place.page])
        for page, text in self.texts.items():
            (self.root / page).write_text(text)


def main() -> int:
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    check = Check(Path(sys.argv[2]) if len(sys.argv) == 3 else table.ROOT)
    if sys.argv[1] == "update":
        check.update()
    check.check_pages()
    check.check_rows()
    print("\n".join(check.faults or [f"{len(check.rows)} figures: pages and table agree"]))
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
