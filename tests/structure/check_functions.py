#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_functions.py BUILD [ROOT]: no function of the sources is longer than 60 lines or has a cyclomatic complexity above 15.

Lizard counts both: that of the Python environment of BUILD, where tests/check.sh installs it, or of this Python. Skipped
(77) without it. Prints file:line, the name and both numbers of each breach; fails if there is any."""
import pathlib
import sys

from check_arguments import sources

sys.dont_write_bytecode = True
sys.path += map(str, pathlib.Path(sys.argv[1]).glob("python/lib/python3*/site-packages"))
try:
    import lizard
except ImportError:
    print("SKIPPED: no lizard here, which counts lines and branches of functions (pip install lizard)")
    sys.exit(77)

MOST_LINES = 60
MOST_BRANCHES = 15
# Kernels, whose branches are changed only with a measurement of their speed.
EXCUSED = {"multiwalk::pair_sum_kernel": 16, "multiwalk::WarpWalk::visit": 20}


def main():
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2]
    count, found = 0, False
    names = {str(path): name for path, name in sources(root)}
    for file in lizard.analyze_files(list(names), threads=2):
        for function in file.function_list:
            count += 1
            lines, branches = function.length, function.cyclomatic_complexity
            if lines > MOST_LINES or branches > EXCUSED.get(function.name, MOST_BRANCHES):
                print(f"{names[file.filename]}:{function.start_line}: {function.name} has {lines} lines ({MOST_LINES} at most) and a "
                      f"complexity of {branches} ({MOST_BRANCHES} at most)")
                found = True
    if count == 0:
        print("FAILED: lizard found no function")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
