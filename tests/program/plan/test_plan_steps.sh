#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_plan_steps.sh MULTIWALK SOURCE_FOLDER: the steps, evaluations and time that `plan` prints are those of its JSON, which
# are near those of the run.
set -u
multiwalk=$(realpath "$1")
examples=$(realpath "$2")/run/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

compare() {
  local file=$1
  shift
  local settings=(--set 'run.backend="cpu"' --set run.threads=1 --set output.error_sample=0 --set output.census_epochs=0
    --set output.images=false --set output.snapshots=false "$@")
  "$multiwalk" plan "$examples/$file" "${settings[@]}" --json plan.json >plan.txt &&
    "$multiwalk" run "$examples/$file" "${settings[@]}" --quiet --set 'run.directory="run"' >/dev/null 2>log.txt ||
    { echo "FAILED: $file $*: $(cat log.txt)"; exit 1; }
  python3 - "$file $*" <<'PYTHON' || failures=$((failures + 1))
import csv, json, re, sys
plan, text = json.load(open("plan.json")), open("plan.txt").read()
rows = list(csv.DictReader(open("run/steps.csv")))[1:]  # the first row is the start
steps = len(rows)
evaluations = sum(float(r["evaluations"]) for r in rows) / plan["particles"] or steps  # of block steps; else one a step
print(f"{sys.argv[1]}: {plan['steps']:.0f} steps planned, {steps} made, {plan['evaluations']:.1f} and {evaluations:.1f} evaluations")


def line(name):
    return re.search(rf"^{name} +(.*)$", text, re.M)[1]


def seconds(words):  # to 3 digits or a second
    units = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}
    return sum(float(n) * units[u] for n, u in re.findall(r"([\d.]+) (ms|s|min|h|d)\b", words))


whole = plan["evaluations"] * plan["seconds_per_step"]
numbers = [float(n) for n in re.findall(r"[\d.]+", line("steps"))]
wrong = [what for what, good in {
    "steps": abs(plan["steps"] - steps) <= 1,
    "evaluations": abs(plan["evaluations"] / evaluations - 1) < 0.2,
    "seconds": abs(plan["seconds"] / whole - 1) < 1e-9,
    "seconds of a step": abs(plan["seconds_per_step"] * plan["particles_per_second"] / plan["particles"] - 1) < 1e-9,
    "the line of steps": abs(numbers[0] - plan["steps"]) <= 0.5 and
                         (len(numbers) < 2 or abs(numbers[1] - plan["evaluations"]) <= 0.5),
    "the line of a step": abs(seconds(line("a step")) - plan["seconds_per_step"]) <= 0.06 * plan["seconds_per_step"] + 5e-4,
    "the line of the run": abs(seconds(line("run")) - whole) <= 0.01 * whole + 0.06,
}.items() if not good]
print(*("FAILED: " + what for what in wrong), sep="\n")
sys.exit(bool(wrong))
PYTHON
  rm -rf run
}

compare lcdm_box.toml --set ic.grid=16 --set model.box_size=8 --set time.z_end=1 --set output.redshifts=[3]
compare lcdm_sphere.toml --set ic.grid=24 --set time.z_end=15 --set output.redshifts=[]
compare plummer.toml --set model.particles=2000 --set time.t_end=0.5 --set 'time.steps="block"' --set output.times=[] \
  --set force.softening=0.001
exit $((failures > 0))
