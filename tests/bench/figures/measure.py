#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""measure.py PROGRAM [--minutes M] [-o FOLDER] [NAME...]: started by readme_figures.sh, which says what it does."""
from __future__ import annotations

import argparse
import datetime
import shutil
import sys
import time
from pathlib import Path

import recipes
import table
from machine import Machine, Missing, ProgramFailed


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/bench/readme_figures.sh", description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, gpu or cpu (default: gpu cpu)")
    parser.add_argument("--minutes", type=float, default=10, help="for gpu and for cpu (default: 10)")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="folder of table and report pages")
    parser.add_argument("--list", action="store_true", help="names of figures, where they run and their usual seconds")
    return parser.parse_intermixed_args()


def chosen(names: list[str], minutes: float) -> list[tuple[recipes.Recipe, float]]:
    """Figures and the seconds after which none of their group begins."""
    found: list[tuple[recipes.Recipe, float]] = []
    for name in names or ["gpu", "cpu"]:
        group = [recipe for recipe in recipes.ALL if name in ("gpu", "cpu") and recipe.group == name]
        found += [(recipe, 60 * minutes) for recipe in group]
        if not group:
            one = [recipe for recipe in recipes.ALL if recipe.name == name]
            if not one:
                sys.exit(f"no figure is called {name}: gpu, cpu, {', '.join(recipe.name for recipe in recipes.ALL)}")
            found.append((one[0], float("inf")))
    return found


def measure(recipe: recipes.Recipe, machine: Machine, path: Path) -> str:
    """Replaces the figure's rows in the table: "" or why it did not."""
    begin = time.monotonic()
    machine.need(recipe.gpus)
    result = recipe.measure(machine)
    rows = table.read(path)
    for name in [name for name, row in rows.items() if row.run() == recipe.name]:
        del rows[name]
    for quantity, value, unit, error in result.rows:
        row = table.Row(f"{recipe.name}.{quantity}", value, unit, error or "-", machine.commit,
                        datetime.date.today().isoformat(), result.machine, result.command)
        rows[row.figure] = row
        print(f"  {row.figure}: {value:.6g} {unit}" + (f" ({error})" if error else ""))
    table.write(rows, path)
    for name, page in result.pages:
        shutil.copy(page, path.parent / name)
    print(f"  {time.monotonic() - begin:.0f} s")


def main() -> int:
    given = arguments()
    if given.list:
        for recipe in recipes.ALL:
            print(f"{recipe.name:18} {recipe.group:6} {recipe.seconds:5} s   {recipe.what}")
        return 0
    tasks = chosen(given.names, given.minutes)
    path = table.TABLE
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        path = given.output / table.TABLE.name
        if not path.exists():
            shutil.copy(table.TABLE, path)
    failed, used = 0, {"gpu": 0.0, "cpu": 0.0}
    with Machine(given.program.resolve()) as machine:
        for recipe, limit in tasks:
            print(f"{recipe.name}: {recipe.what}")
            begin = time.monotonic()
            if limit < float("inf") and used[recipe.group] + recipe.seconds > limit:
                print(f"  left as it is: takes about {recipe.seconds} s, and {limit - used[recipe.group]:.0f} s remain; name it")
                continue
            try:
                measure(recipe, machine, path)
            except Missing as reason:
                print(f"  left as it is: {reason}")
            except ProgramFailed as reason:
                print(f"  FAILED, left as it is: {reason}")
                failed += 1
            if recipe.group in used:
                used[recipe.group] += time.monotonic() - begin
    print(f"the table: {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
