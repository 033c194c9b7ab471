#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_plan_memory.sh MULTIWALK SOURCE_FOLDER: the peak that `plan` foretells is within 10% of the run's own, for three
# sizes of sphere and of box, from their first forces to an output with everything. With MULTIWALK_QUICK=1: the smallest.
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
  local settings=(--set 'run.backend="cpu"' --set run.threads=2 --set output.error_sample=100 "$@")
  "$multiwalk" plan "$examples/$file" "${settings[@]}" --json plan.json >/dev/null &&
    "$multiwalk" run "$examples/$file" "${settings[@]}" --quiet --set 'run.directory="run"' >/dev/null 2>log.txt ||
    { echo "FAILED: $file $*: $(cat log.txt)"; exit 1; }
  python3 - "$file $*" <<'PYTHON' || failures=$((failures + 1))
import json, sys
plan = json.load(open("plan.json"))["bytes"]["peak"]
peak = json.load(open("run/report.json"))["memory"]["host"]
print(f"{sys.argv[1]}: planned {plan / 1e6:.1f} MB, took {peak / 1e6:.1f} MB, ratio {plan / peak:.3f}")
sys.exit(not 0.9 < plan / peak < 1.1)
PYTHON
  rm -rf run
}

[ -n "${MULTIWALK_QUICK:-}" ] && larger=no || larger=yes
for grid in 48 $([ $larger = no ] || echo 80 100); do
  compare lcdm_sphere.toml --set ic.grid=$grid --set time.z_end=23.9 --set output.redshifts=[23.9] \
    --set output.census_epochs=1
done
for grid in 48 $([ $larger = no ] || echo 64 80); do
  compare lcdm_box.toml --set ic.grid=$grid --set time.z_end=48.8 --set output.redshifts=[48.8] \
    --set output.census_epochs=1
done
exit $((failures > 0))
