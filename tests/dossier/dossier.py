#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares Multiwalk with other people's results and writes one page of charts; run.sh installs what it needs."""
from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
#: In this order; each is a module of comparisons/ with FORCES (does a force wrong by 1% show?), BLANK and compare(context).
NAMES = ("ewald", "plane_waves", "few_bodies", "boltzmann", "emulator", "mass_functions", "gadget4", "sky")


@dataclass
class Context:
    """What a comparison may use."""

    program: "Program"  # noqa: F821
    cache: Path
    abacus: str
    gpu: bool
    small: bool
    gadget4: Path | None = None  #: folder of GADGET-4's snapshots of its box
    made: dict[str, Path] = field(default_factory=dict)  #: boxes that were run

    def data(self, name: str) -> Path:
        return HERE / name

    def emulator_boxes(self) -> list[Path]:
        """The runs of a box and of its partner of opposite density."""
        grid = 256 if self.gpu else 96
        return [self._box(f"emulator_{sign}", "emulator.toml", f"ic.paired={sign}", f"ic.grid={grid}")
                for sign in ("false", "true")]

    def mass_function_box(self) -> Path:
        return self._box("mass_functions", "mass_functions.toml", f"ic.grid={192 if self.gpu else 96}")

    def _box(self, name: str, toml: str, *settings: str) -> Path:
        """The run of a box, which several comparisons may use."""
        if name not in self.made:
            self.made[name] = self.program.box(name, HERE / "boxes" / toml, *settings)
        return self.made[name]

    def sky_boxes(self) -> list[Path]:
        """The runs of a box with a light cone and of its partner of opposite density, with their angular spectra."""
        toml = HERE / "boxes" / "sky.toml"
        runs = [self.program.run(f"sky_{sign}", toml, f"ic.paired={sign}") for sign in ("false", "true")]
        for run in runs:
            self.program.call("sky", run, "--source-redshift", "1", "--lmax", "1000")
        return runs


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/dossier/run.sh", description=__doc__)
    parser.add_argument("build", nargs="?", type=Path, default=SOURCE / "build", help="folder of the program (default: build)")
    parser.add_argument("-o", "--output", type=Path, default=Path("dossier"), help="folder of page and runs (default: dossier)")
    parser.add_argument("--only", metavar="NAME,...", help="some comparisons: " + ", ".join(NAMES))
    parser.add_argument("--gpu", action="store_true", help="larger boxes, for a machine with a GPU")
    parser.add_argument("--break-force", action="store_true",
                        help="take the program multiwalk_broken of the build, whose forces are 1%% too strong: every comparison of "
                        "forces must fail")
    parser.add_argument("--reuse", action="store_true", help="take finished runs that lie in the output folder")
    parser.add_argument("--small", action="store_true", help="only what takes seconds, as the test suite does")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "multiwalk_dossier",
                        help="folder of packages and data (default: ~/.cache/multiwalk_dossier)")
    parser.add_argument("--abacus", metavar="FOLDER_OR_URL", default="https://github.com/abacusorg/abacus-public",
                        help="Abacus' repository, or its folder Tests/Ewald (default: %(default)s)")
    parser.add_argument("--gadget4", type=Path, metavar="FOLDER",
                        help="snapshots of tests/dossier/gadget4 by your own GADGET-4 (default: the stored spectra of one)")
    return parser.parse_args()


def chosen(only: str | None) -> list[str]:
    names = only.split(",") if only else list(NAMES)
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.exit(f"--only {','.join(unknown)}: there is no such comparison; choose from {', '.join(NAMES)}")
    return names


def compare(name: str, context: Context):
    """One comparison, whatever happens in it; an error of the program is a failure, not the end."""
    from importlib import import_module

    from kit.comparison import NotRun

    module = import_module(f"comparisons.{name}")
    begin = time.monotonic()
    try:
        found = module.compare(context)
    except NotRun as reason:
        found = replace(module.BLANK, outcome="not run", reason=str(reason))
    except Exception as error:  # noqa: BLE001
        found = replace(module.BLANK, outcome="fail", reason=f"broke off: {type(error).__name__}: {error}")
    found.seconds = time.monotonic() - begin
    return found


def facts(context: Context, seconds: float, broken: bool) -> dict[str, str]:
    version = context.program.call("--version").strip().splitlines()[0]
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    cores = len(os.sched_getaffinity(0))
    lines = {"Program": version, "Machine": f"{cpu}, {cores} cores" + (", with a GPU" if context.gpu else ""),
             "Date and wall time": f"{time.strftime('%Y-%m-%d')}, {seconds / 60:.1f} minutes"}
    if broken:
        lines["Broken on purpose"] = "all forces of the program are 1% too strong"
    return lines


def write(folder: Path, comparisons: dict, lines: dict[str, str]) -> None:
    from kit.page import page

    results = {name: {"outcome": c.verdict(), "seconds": round(c.seconds, 1), "reason": c.reason,
                      "figures": [vars(f) | {"passed": f.passed, "share": f.share} for f in c.figures]} for name, c in comparisons.items()}
    for path, text in ((folder / "dossier.json", json.dumps({"facts": lines, "comparisons": results}, indent=1)),
                       (folder / "dossier.html", page(comparisons, lines, SOURCE / "run" / "pages" / "style.css"))):
        partial = path.with_suffix(".partial")
        partial.write_text(text)
        partial.replace(path)


def outcome(verdicts: list[str]) -> int:
    """The exit code: 0 where something was compared and nothing failed, 1 after a failure, 77 where nothing was compared."""
    if "fail" in verdicts:
        return 1
    return 0 if "pass" in verdicts else 77


def main() -> int:
    given = arguments()
    names = chosen(given.only)
    sys.path.insert(0, str(HERE))
    from kit.program import Program

    binary = given.build.resolve() / ("tests/multiwalk_broken" if given.break_force else "multiwalk")
    if not binary.exists():
        target = " (target multiwalk_broken)" if given.break_force else " (run/quickstart.sh)"
        sys.exit(f"{binary} does not exist: build the program first{target}, or name its build folder")
    folder = given.output.resolve()
    program = Program(binary, folder / "runs", reuse=given.reuse)
    context = Context(program, given.cache.resolve(), given.abacus, given.gpu, given.small, given.gadget4)
    begin = time.monotonic()
    comparisons = {}
    for name in names:
        comparisons[name] = found = compare(name, context)
        print(f"{name}: {found.verdict()}, {found.seconds:.0f} s {found.reason}".rstrip(), flush=True)
        for figure in found.figures:
            print(f"  {'ok' if figure.passed else 'NO'}  {figure.what}: {figure.value:.4g} "
                  f"({figure.low:.4g} to {figure.high:.4g}, {figure.share:.2f} of the tolerance)", flush=True)
    write(folder, comparisons, facts(context, time.monotonic() - begin, given.break_force))
    verdicts = [found.verdict() for found in comparisons.values()]
    for name, found in comparisons.items():
        if found.verdict() == "not run":
            print(f"MISSING: {name} was not compared: {found.reason}")
    print(f"{verdicts.count('pass')} passed, {verdicts.count('fail')} failed, {verdicts.count('not run')} not run; "
          f"{folder / 'dossier.html'}")
    return outcome(verdicts)


if __name__ == "__main__":
    sys.exit(main())
