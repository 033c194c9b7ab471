# SPDX-License-Identifier: GPL-3.0-or-later
"""How each figure is measured."""
from __future__ import annotations

import csv
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, stdev

from machine import Machine, ProgramFailed, Result
from table import ROOT


@dataclass
class Recipe:
    name: str
    group: str  #: gpu or cpu: measured with the others of the group; alone: only when named
    seconds: int  #: usual time
    gpus: int
    what: str
    measure: Callable[[Machine], Result]


ALL: list[Recipe] = []


def recipe(group: str, seconds: int, gpus: int, what: str):
    def add(function):
        ALL.append(Recipe(function.__name__, group, seconds, gpus, what, function))
        return function
    return add


def add_errors(result: Result, errors: dict, prefix: str = "") -> None:
    """Median and 99th percentile, and the ends of its interval."""
    if "p99_interval" not in errors:
        raise ProgramFailed(f"too few particles for an interval: force errors of {errors.get('sample', 'few')}")
    result.add(f"{prefix}median", errors["median"], "", "{:.2e} to {:.2e}".format(*errors["median_interval"]))
    result.add(f"{prefix}p99", errors["p99"], "", "{:.2e} to {:.2e}".format(*errors["p99_interval"]))
    for end, value in zip(("low", "high"), errors["p99_interval"]):
        result.add(f"{prefix}p99_{end}", value, "")


PLUMMER = ("bench", "steps", "run/examples/plummer.toml", "--set=model.particles=16777216", '--set=force.mac="relative"',
           "--set=force.theta=1", "--set=force.alpha=0.005", "--set=force.group_size=192", "--steps=24", "--warm=8")


def plummer_steps(machine: Machine, *more: str, **where) -> Result:
    result = machine.call(*PLUMMER, *more, "--json=FOLDER/steps.json", **where)
    seconds = result.json("steps.json")["steps"]
    result.add("ms", 1e3 * median(seconds), "ms", f"{1e3 * stdev(seconds):.2g}")
    return result


@recipe("gpu", 20, 1, "a step of a Plummer sphere of 16.8 million particles")
def step(machine):
    result = plummer_steps(machine, "--sample=1000")
    add_errors(result, result.json("steps.json")["error"])
    return result


@recipe("gpu", 40, 1, "the same on a host with two cores")
def step_two_cores(machine):
    return plummer_steps(machine, "--set=run.threads=2", "--sample=0", two_cores=True)


@recipe("gpu", 15, 1, "force errors in a box of 64^3 particles in 50 Mpc/h at z = 0, standard")
def box_errors(machine):
    result = machine.run("lcdm_box.toml", "model.box_size=50", "time.eta=0.025", "output.redshifts=[0]", "output.error_sample=2000",
                         "output.census_epochs=0", "output.images=false", "output.halos=false", "output.power=false")
    add_errors(result, result.json()["force_error"][-1])
    return result


@recipe("gpu", 40, 1, "a sphere of eight million particles, its pictures and its report")
def sphere_8m(machine):
    result = machine.run("lcdm_sphere_8m.toml")
    report = result.json()
    steps = [step["seconds"]["total"] for step in report["steps"]]
    result.add("seconds", result.seconds, "s")
    result.add("steps", report["totals"]["steps"], "")
    result.add("step_seconds", sum(steps[1:]), "s")
    result.pages.append(("lcdm_sphere_8m.html", result.folder / "report.html"))
    return result


def spectra(result: Result) -> list[dict[float, float]]:
    """P(k) up to k = 1 h/Mpc at each output."""
    found = []
    for entry in result.json()["outputs"]:
        if "power" in entry:
            with open(result.folder / entry["power"]["file"]) as rows:
                found.append({float(row["k"]): float(row["power"]) for row in csv.DictReader(rows) if float(row["k"]) <= 1})
    return found


@recipe("alone", 300, 1, "power of 256^3 particles with fast forces and with the most accurate ones and half as long steps")
def box_power(machine):
    box = ("lcdm_512_gpu.toml", "ic.grid=256", "model.box_size=500", "output.redshifts=[3,2,1,0.5,0]", "output.halos=false",
           "output.snapshots=false", "output.images=false", "output.error_sample=0", "output.census_epochs=0", "run.final_checkpoint=false")
    result = machine.run(*box)
    best = machine.run(*box, 'force.accuracy="reference"', "time.eta=0.00625", "time.max_dlna=0.015")
    off = [max(abs(power / exact[k] - 1) for k, power in fast.items()) for fast, exact in zip(spectra(result), spectra(best), strict=True)]
    for z, value in zip(("3", "2", "1", "05", "0"), off, strict=True):
        result.add(f"z{z}", 100 * value, "%")
    result.add("late", 100 * max(off[2:]), "%")
    result.command += "; " + best.command
    return result


#: Six steps and no checkpoint, which a run that max_steps stops always writes.
HAMADA_STEPS = ('run.walks="device"', "force.group_size=256", "time.max_steps=0", "time.z_end=23.9431", "output.redshifts=[24]",
                "output.error_sample=0", "output.census_epochs=0", "run.final_checkpoint=false")


def add_steps(result: Result) -> None:
    """Seconds of a step: the median of those after the first."""
    steps = [step["seconds"]["total"] for step in result.json()["steps"] if step["step"] > 1]
    result.add("step", median(steps), "s", f"{stdev(steps):.2g}")


@recipe("gpu", 90, 1, "steps of the run of Hamada et al. (2009), all on the device")
def hamada_resident(machine):
    result = machine.run("hamada2009_gpu.toml", *HAMADA_STEPS)
    add_steps(result)
    return result


HAMADA_2009 = {"seconds_per_step": 12.42, "raw_list": 11661, "effective_list": 4921, "tflops_raw": 20.1, "tflops_effective": 8.46,
               "tflops_effective_per_device": 0.066, "price_per_gflops_effective": 19.9, "particles_per_second_per_price": 269}


def add_comparison(result: Result) -> None:
    """The figures of the steps after the first forces, and how often those of 2009 they are."""
    ours = result.json()["sustained"]
    for quantity, theirs in HAMADA_2009.items():
        result.add(quantity, ours[quantity], "")
        result.add(f"{quantity}_ratio", ours[quantity] / theirs, "")
    for quantity in ("particles", "steps"):
        result.add(quantity, ours[quantity], "")


@recipe("gpu", 230, 1, "the run of Hamada et al. (2009) with walks made by the host: whole, with its report")
def hamada_host(machine):
    result = machine.run("hamada2009_gpu.toml", stops=True)
    report = result.json()
    add_comparison(result)
    add_errors(result, report["force_error"][0])
    for percentile in ("median", "p99"):
        result.add(f"peculiar_{percentile}", 100 * report["force_error"][0]["peculiar"][percentile], "%")
    if report["sustained"]["joules_per_step"] is not None:
        result.add("joules", report["sustained"]["joules_per_step"], "J")
    result.add("seconds", result.seconds, "s")
    result.add("initial_conditions", report["initial_conditions"]["seconds"]["total"], "s")
    result.add("host_bytes", report["memory"]["host_per_particle"], "bytes")
    result.add("device_bytes", report["memory"]["device_per_particle"], "bytes")
    result.add("checkpoint_size", report["checkpoint"]["bytes"] / 1e9, "GB")
    result.add("checkpoint", report["checkpoint"]["seconds"], "s")
    result.pages.append(("hamada2009_gpu.html", result.folder / "report.html"))
    return result


@recipe("alone", 120, 4, "its steps on four devices")
def hamada_four(machine):
    result = machine.run("hamada2009_gpu.toml", *HAMADA_STEPS, gpus=4, ranks=4)
    add_steps(result)
    return result


def box_512_run(machine: Machine, *more: str, **where) -> Result:
    result = machine.run("lcdm_512_gpu.toml", "output.redshifts=[3,2,1,0.5,0]", "output.halos=true", "output.snapshots=false",
                         "output.images=false", *more, **where)
    result.add("seconds", result.seconds, "s")
    return result


@recipe("alone", 290, 1, "512^3 particles from z = 127 to 0, halos, power and errors at five outputs, final checkpoint")
def box_512(machine):
    result = box_512_run(machine)
    report = result.json()
    add_errors(result, report["force_error"][-1])
    result.add("sample", report["force_error"][-1]["sample"], "")
    return result


@recipe("alone", 430, 1, "the same on a host with two cores")
def box_512_two_cores(machine):
    return box_512_run(machine, "run.threads=2", two_cores=True)


@recipe("cpu", 200, 0, "the demo, from the start of the program to its end")
def demo(machine):
    result = machine.run("lcdm_box.toml", 'run.backend="cpu"', "run.threads=2", gpus=0, two_cores=True)
    result.add("minutes", result.seconds / 60, "minutes")
    return result


@recipe("alone", 1500, 0, "tests/check.sh in a clean clone, on a machine with two cores")
def check(machine):
    clone = machine.scratch / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    begin = time.monotonic()
    with open(machine.scratch / "check.txt", "w") as log:
        done = subprocess.run(["tests/check.sh"], cwd=clone, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        raise ProgramFailed("tests/check.sh: " + " / ".join((machine.scratch / "check.txt").read_text().splitlines()[-3:]))
    result = Result("tests/check.sh", f"{len(machine.cores)} cores, {machine.processor}", seconds, clone)
    result.add("minutes", seconds / 60, "minutes")
    return result
