#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of Multiwalk and of peers at equal 99% error, for each end that was timed."""
import argparse
import collections
import glob
import json
import math
import os
import sys

ENDS = {"host": "forces, from host arrays to host arrays", "resident": "forces, particles resident on the device",
        "step": "a whole step"}
OURS = "Multiwalk"


def rows_of(path):
    """The rows of a file of ours.sh or peer_row.py, or of a folder of them."""
    if os.path.isdir(path):
        return [row for name in sorted(glob.glob(f"{path}/*.json")) for row in rows_of(name)]
    try:
        with open(path) as file:
            found = json.load(file)
        if "code" in found:
            return [found]
        return [our_row(found, os.path.basename(path))]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        sys.exit(f"table.py: {path} holds no row: {type(fault).__name__} {fault}")


def our_row(found, name):
    """Of the JSON of bench forces or of bench steps; the name of the file is the setting."""
    step = "steps" in found
    seconds = found["seconds"]["median"] if step else found["seconds_median"]
    end = "step" if step else "resident" if found["resident"] else "host"
    error = found["error"]
    return {"code": f"{OURS} {found['backend']}", "setting": name.removesuffix(".json").split("_")[-1], "end": end,
            "seconds": seconds, "particles": found["particles"], "median": error["median"], "p99": error["p99"]}


def at_error(rows, p99):
    """(seconds, settings) at this 99% error, between the rows on both sides; None if one side has no row."""
    rows = sorted(rows, key=lambda row: row["p99"])
    below, above = [r for r in rows if r["p99"] <= p99], [r for r in rows if r["p99"] >= p99]
    if not below or not above:
        return None
    a, b = below[-1], above[0]
    if a["p99"] == b["p99"]:
        return a["seconds"], a["setting"]
    part = math.log(p99 / a["p99"]) / math.log(b["p99"] / a["p99"])
    return a["seconds"] * (b["seconds"] / a["seconds"]) ** part, f"{a['setting']} to {b['setting']}"


def print_end(end, rows, p99):
    codes = collections.defaultdict(list)
    for row in rows:
        codes[row["code"]].append(row)
    found = {code: at_error(of_code, p99) for code, of_code in codes.items()}
    ours = [result[0] for code, result in found.items() if result and code.startswith(OURS)]
    print(f"\n{ENDS[end]}\n{'code':<28}{'seconds':>10}{'particles/s':>14}{'of our speed':>14}  settings")
    for code, result in found.items():
        if result is None:
            known = ", ".join(f"{row['p99']:.2e}" for row in sorted(codes[code], key=lambda row: row["p99"]))
            print(f"{code:<28}no 99% errors on both sides of {p99:.2e}: {known}")
            continue
        seconds, settings = result
        share = f"{min(ours) / seconds:.2f}" if ours else "-"
        print(f"{code:<28}{seconds:>10.4g}{codes[code][0]['particles'] / seconds:>14.4g}{share:>14}  {settings}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("rows", nargs="+", help="files of ours.sh and peer_row.py, or folders of them")
    arguments.add_argument("--p99", type=float, default=1e-3, help="the 99%% error (default: %(default)s)")
    given = arguments.parse_args()
    rows = [row for path in given.rows for row in rows_of(path)]
    if not rows:
        sys.exit("table.py: there are no rows")
    numbers = {row["particles"] for row in rows}
    if len(numbers) > 1:
        sys.exit(f"table.py: rows are of different numbers of particles: {sorted(numbers)}")
    unknown = [row["code"] for row in rows if row["p99"] is None]
    if unknown:
        sys.exit(f"table.py: no 99% error is known for {unknown[0]}: compare 1000 particles or more")
    print(f"{rows[0]['particles']} particles, at a 99% error of {given.p99:g}")
    for end in ENDS:
        of_end = [row for row in rows if row["end"] == end]
        if of_end:
            print_end(end, of_end, given.p99)


main()
