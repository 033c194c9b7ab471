# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts programs on this machine and times them, from their start to their end."""
from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from table import ROOT


class Missing(Exception):
    """What a figure needs is not here."""


class ProgramFailed(Exception):
    pass


@dataclass
class Result:
    """What a recipe found: (quantity, value, unit, error) rows, report pages to keep, and how it was done."""

    command: str
    machine: str
    seconds: float
    folder: Path
    rows: list[tuple[str, float, str, str]] = field(default_factory=list)
    pages: list[tuple[str, Path]] = field(default_factory=list)

    def add(self, quantity: str, value: float, unit: str, error: str = "") -> None:
        self.rows.append((quantity, float(value), unit, error))

    def json(self, name: str = "report.json"):
        return json.loads((self.folder / name).read_text())


def output_of(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


class Machine:
    def __init__(self, program: Path):
        self.program = program
        self.scratch = Path(tempfile.mkdtemp(prefix="figures_", dir=os.environ.get("TMPDIR")))
        self.count = 0
        names = output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").split("\n")
        self.gpus = [name.split()[1] if name.startswith("NVIDIA") else name for name in names if name]  # NVIDIA H100 80GB HBM3
        self.cores = sorted(os.sched_getaffinity(0))
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
        self.processor = re.sub(r"\((R|TM)\)|,", "", found[1]) if found else os.uname().machine
        self.commit = self._commit()

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _commit(self) -> str:
        version = re.search(r"\(commit ([^)]*)\)", output_of(str(self.program), "--version"))
        if not version:
            raise SystemExit(f"{self.program} does not say its version: build the program first, or set BUILD_DIR")
        commit = os.environ.get("MULTIWALK_COMMIT") or version[1]
        if not re.fullmatch("[0-9a-f]{8,40}", commit):
            raise SystemExit(f"{self.program} has the commit '{commit or 'unknown'}': figures belong to a commit without "
                             "changes (MULTIWALK_COMMIT names that of a build outside a repository)")
        return commit

    def need(self, gpus: int) -> None:
        if len(self.gpus) < gpus:
            raise Missing(f"it needs {gpus} GPU{'s' if gpus > 1 else ''}, and there {'are' if self.gpus else 'is'} "
                          f"{len(self.gpus) or 'none'}")

    def call(self, *arguments: str, gpus: int = 1, two_cores: bool = False, ranks: int = 1, stops: bool = False) -> Result:
        """`multiwalk ARGUMENTS` in a folder of its own, which FOLDER in an argument means; stops: time.max_steps ends it."""
        self.count += 1
        folder = self.scratch / str(self.count)
        folder.mkdir()
        shown = ["multiwalk", *(a for a in arguments if "FOLDER" not in a)]
        command = [str(self.program), *(a.replace("FOLDER", str(folder)) for a in arguments)]
        threads = 2 if two_cores else max(1, len(self.cores) // ranks - (ranks > 1))
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        if gpus and "CUDA_VISIBLE_DEVICES" not in environment:
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(gpus)))
        if ranks > 1:
            command = [*shlex.split(os.environ.get("MPIEXEC") or "mpiexec"), "-n", str(ranks), *command]
            shown = ["mpiexec", "-n", str(ranks), *shown]
        if two_cores:
            pair = ",".join(map(str, self.cores[:2]))
            command, shown = ["taskset", "-c", pair, *command], ["taskset", "-c", "0,1", *shown]
        print("  " + shlex.join(shown))
        begin = time.monotonic()
        with open(folder / "output.txt", "w") as log:
            done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        seconds = time.monotonic() - begin
        if done.returncode != (3 if stops else 0):  # run/machine/exit_code.hpp
            last = (folder / "output.txt").read_text().strip().splitlines()[-3:]
            raise ProgramFailed(f"exit code {done.returncode} after {seconds:.0f} s: {' / '.join(last)}")
        cores = 2 if two_cores else len(self.cores)
        cards = [f"{f'{gpus} ' if gpus > 1 else ''}{self.gpus[0]}"] if gpus else []
        return Result(shlex.join(shown), ", ".join([*cards, f"{cores} cores", self.processor]), seconds, folder)

    def run(self, example: str, *settings: str, **where) -> Result:
        """A run of run/examples/EXAMPLE."""
        given = [word for setting in settings for word in ("--set", setting)]
        result = self.call("run", f"run/examples/{example}", *given, "--set=run.directory=\"FOLDER/run\"", "--progress=lines", **where)
        result.folder /= "run"
        return result
