#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_plan_memory.sh MULTIWALK SOURCE_FOLDER MPIEXEC: the peak that `plan` foretells is within 20% of the run's own, for
# spheres and boxes, together or by rungs, with halos, a light cone, maps, and on several ranks, from their first forces
# to an output with everything. With MULTIWALK_QUICK=1: the smallest.
set -u
multiwalk=$(realpath "$1")
examples=$(realpath "$2")/run/examples
mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# compare RANKS FILE SETTINGS...
compare() {
  local ranks=$1 file=$2
  shift 2
  local settings=(--set 'run.backend="cpu"' --set run.threads=2 --set output.error_sample=100) plan=()
  for setting in "$@"; do settings+=(--set "$setting"); done
  [ "$ranks" = 1 ] || plan=(--ranks "$ranks")
  "$multiwalk" plan "$examples/$file" "${settings[@]}" "${plan[@]}" --json plan.json >/dev/null &&
    "$mpiexec" -n "$ranks" "$multiwalk" run "$examples/$file" "${settings[@]}" --quiet --set 'run.directory="run"' \
      >/dev/null 2>log.txt || { echo "FAILED: $file $*: $(cat log.txt)"; exit 1; }
  python3 - "$ranks ranks, $file $*" <<'PYTHON' || failures=$((failures + 1))
import json, sys
plan = json.load(open("plan.json"))
if "rows" in plan:
    memory = plan["rows"][-1]["memory"]
    planned = memory["program"] + max(memory["initial_conditions"], memory["step"])
else:
    planned = plan["bytes"]["peak"]
peak = json.load(open("run/report.json"))["memory"]["host"]
print(f"{sys.argv[1]}: planned {planned / 1e6:.1f} MB, took {peak / 1e6:.1f} MB, ratio {planned / peak:.3f}")
sys.exit(not 0.8 < planned / peak < 1.2)
PYTHON
  rm -rf run
}

sphere=(lcdm_sphere.toml time.z_end=23.9 output.redshifts=[23.9] output.census_epochs=1)
box=(lcdm_box.toml time.z_end=48.8 output.redshifts=[48.8] output.census_epochs=1)
compare 1 "${sphere[@]}" ic.grid=48
compare 1 "${box[@]}" ic.grid=48
[ -n "${MULTIWALK_QUICK:-}" ] && exit $((failures > 0))
compare 1 "${sphere[@]}" ic.grid=100
for grid in 64 80; do compare 1 "${box[@]}" ic.grid=$grid; done
compare 1 "${sphere[@]}" ic.grid=100 'time.steps="block"'
compare 1 "${box[@]}" ic.grid=80 time.max_steps=3 'time.steps="global"'
compare 1 "${box[@]}" ic.grid=80 ic.lpt_order=3 output.halos=false output.images=false output.power=false
compare 1 "${box[@]}" ic.grid=80 grids.cells=256 lightcone.shells=true lightcone.nside=512 lightcone.z_near=48.82 lightcone.z_far=48.9
compare 2 "${sphere[@]}" ic.grid=128
compare 2 "${box[@]}" ic.grid=96
compare 4 "${box[@]}" ic.grid=128 output.images=false
compare 1 plummer.toml model.particles=500000 time.max_steps=2 output.times=[0]
exit $((failures > 0))
