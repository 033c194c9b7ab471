#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_shortened.py CTEST BUILD: tests/shortened.txt is true: every line has a kind, a name that something has, a reason and
a substitute; a test has `part` exactly if it reads MULTIWALK_QUICK; and every pattern that a test of ctest hands to a program
(--gtest_filter) names tests of it. Skipped (77) where a program is not built, but for that of kernels, which needs nvcc."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = "tests/shortened.txt"
PROGRAMS = {"long": "physics_tests", "optimised": "unit_tests", "checked": "device_tests", "unchecked": "device_tests",
            "initcheck": "device_tests"}
KINDS = {*PROGRAMS, "part", "preset", "kernels", "elsewhere"}


def names_of_tests(listing):
    """Full names from --gtest_list_tests: suites begin a line and end in a point, their tests are indented."""
    suite, names = "", []
    for line in listing.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def matches(pattern, names):
    """As gtest matches: * is any text, ? any character, and nothing else is special."""
    text = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return [name for name in names if re.fullmatch(text, name)]


class Checkout:
    def __init__(self, ctest, build):
        shown = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        self.build = pathlib.Path(build)
        self.commands = {test["name"]: test.get("command", []) for test in json.loads(shown.stdout)["tests"]}
        self.listed, self.missing = {}, set()

    def tests_of(self, program):
        """The tests of a program of the build, or None if it is not built."""
        path = program if program.is_absolute() else self.build / "tests" / program
        if path not in self.listed:
            self.listed[path] = None
            if path.exists():
                listing = subprocess.run([path, "--gtest_list_tests"], capture_output=True, text=True, check=True)
                self.listed[path] = names_of_tests(listing.stdout)
        if self.listed[path] is None:
            self.missing.add(path.name)
        return self.listed[path]

    def reads_quick(self, name):
        """Whether a script of the test's command does, or, if that is called run.sh, a file beside it."""
        scripts = [pathlib.Path(word) for word in self.commands[name] if word.startswith(str(ROOT / "tests"))]
        files = [file for script in scripts for file in (script.parent.iterdir() if script.name == "run.sh" else [script])]
        return any(re.search('[{."]MULTIWALK_QUICK', file.read_text(errors="replace")) for file in files
                   if file.is_file() and "check_shortened" not in file.name)


def unknown(kind, name, checkout):
    """Whether nothing has the name, as far as that can be told here."""
    if kind == "part":
        return name not in checkout.commands
    if kind == "preset":
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        return name not in [preset["name"] for preset in presets]
    if kind == "kernels":
        return not re.match(r"-D(CMAKE|MULTIWALK)_[A-Z_]+=.", name)
    if kind == "elsewhere":
        return not (ROOT / name).is_file()
    if kind == "long" and "." not in name:
        return not matches(name, checkout.commands)
    tests = checkout.tests_of(pathlib.Path(PROGRAMS[kind]))
    return tests is not None and not matches(name, tests)


def breaches(checkout):
    parts, seen = set(), set()
    for number, line in enumerate((ROOT / LIST).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        kind, _, rest = line.partition(" ")
        cells = [cell.strip() for cell in rest.split(" | ")]
        if kind not in KINDS or len(cells) != 3 or not all(cells):
            yield f"{LIST}:{number}: not KIND NAME | why | what instead"
            continue
        for name in cells[0].split(":"):
            if (kind, name) in seen:
                yield f"{LIST}:{number}: {kind} {name} is there twice"
            seen.add((kind, name))
            if unknown(kind, name, checkout):
                yield f"{LIST}:{number}: {kind} {name}: nothing has this name"
            if kind == "part":
                parts.add(name)
    for name in sorted(parts & set(checkout.commands)):
        if not checkout.reads_quick(name):
            yield f"{LIST}: part {name}: this test does not read MULTIWALK_QUICK"
    for name in sorted(set(checkout.commands) - parts):
        if checkout.reads_quick(name):
            yield f"{LIST}: the test {name} reads MULTIWALK_QUICK, but is no part"
    for name, command in checkout.commands.items():
        filters = [word.partition("=")[2] for word in command if word.startswith("--gtest_filter=")]
        program = next((pathlib.Path(word) for word in command if word.endswith("_tests")), None)
        tests = checkout.tests_of(program) if filters and program else None
        for pattern in re.split("[:-]", ":".join(filters)) if tests else []:
            if pattern and not matches(pattern, tests):
                yield f"the test {name}: no test of {program.name} is called {pattern}"


def main():
    checkout = Checkout(sys.argv[1], sys.argv[2])
    found = list(breaches(checkout))
    print(*found, sep="\n")
    if found:
        return 1
    if checkout.missing:
        print(f"SKIPPED in part: not built here: {', '.join(sorted(checkout.missing))}")
    return 77 if checkout.missing - {"device_tests"} else 0


sys.exit(main())
