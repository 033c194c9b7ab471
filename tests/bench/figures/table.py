# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of measured figures: reading, and replacing rows."""
from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TABLE = HERE / "table.tsv"


@dataclass
class Row:
    figure: str  #: RUN.QUANTITY
    value: float
    unit: str
    error: str  #: standard deviation of steps, or an interval of 95%; "-": one program, run once
    commit: str
    date: str  #: of the measurement
    machine: str  #: GPUs, cores, processor
    command: str

    def run(self) -> str:
        return self.figure.split(".")[0]


HEADER = "\t".join(field.name for field in fields(Row))


def read(path: Path = TABLE) -> dict[str, Row]:
    lines = path.read_text().splitlines()
    if not lines or lines[0] != HEADER:
        raise SystemExit(f"{path}: its first line is not '{HEADER}'")
    rows = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(fields(Row)) or cells[0] in rows:
            raise SystemExit(f"{path}:{number}: not a row of {len(fields(Row))} cells with a name of its own")
        rows[cells[0]] = Row(cells[0], float(cells[1]), *cells[2:])
    return rows


def write(rows: dict[str, Row], path: Path = TABLE) -> None:
    lines = [HEADER] + ["\t".join(f"{cell:.10g}" if isinstance(cell, float) else cell for cell in astuple(row))
                        for row in sorted(rows.values(), key=lambda row: row.figure)]
    partial = path.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n")
    partial.replace(path)
