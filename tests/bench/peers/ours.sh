#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ours.sh MULTIWALK SNAPSHOT FOLDER [ALPHA...]: speeds and errors of Multiwalk on the particles of a Newtonian snapshot for
# each alpha of the relative criterion, as files for table.py: forces from host arrays to host arrays, forces with particles
# that stay on the GPU (where there is one), and whole steps. Environment variables: BACKEND (cuda), SOFTENING
# (0.01), STEP (0.0078125), EXPANSION (5), REPEATS (10), SAMPLE (1000).
set -euo pipefail
fail() { echo "ours.sh: $*" >&2; exit 1; }
[ $# -ge 3 ] || fail "usage: ours.sh MULTIWALK SNAPSHOT FOLDER [ALPHA...]"
multiwalk=$1 snapshot=$2 folder=$3
shift 3
[ -x "$multiwalk" ] || fail "$multiwalk is no program: build target multiwalk"
[ -f "$snapshot" ] || fail "$snapshot is not there: multiwalk ic PARAM.toml -o $snapshot makes it"
snapshot=$(realpath "$snapshot")
alphas=("$@")
[ $# -gt 0 ] || alphas=(0.002 0.004 0.0058 0.008 0.012)
backend=${BACKEND:-cuda} softening=${SOFTENING:-0.01} step=${STEP:-0.0078125} expansion=${EXPANSION:-5}
repeats=${REPEATS:-10} sample=${SAMPLE:-1000}
mkdir -p "$folder"

measure() {
  local output=$1
  shift
  "$multiwalk" bench "$@" --sample "$sample" --json "$output" >"$folder/log.txt" 2>&1 ||
    fail "multiwalk bench $1: $(tail -n 1 "$folder/log.txt")"
}

forces() {
  local kind=$1 alpha=$2
  shift 2
  measure "$folder/forces_${kind}_alpha-$alpha.json" forces --model "$snapshot" --backend "$backend" --mac relative \
    --theta 1 --alpha "$alpha" --softening "$softening" --expansion "$expansion" --repeats "$repeats" "$@"
}

steps() {
  measure "$folder/steps_alpha-$1.json" steps "$folder/steps.toml" --set "force.alpha=$1" --steps "$repeats"
}

cat >"$folder/steps.toml" <<T
[run]
backend = "$backend"
[model]
kind = "file"
file = "$snapshot"
[force]
mac = "relative"
theta = 1
softening = $softening
expansion = $expansion
[time]
t_end = 1000
max_dt = $step
T
for alpha in "${alphas[@]}"; do
  forces host "$alpha"
  if [ "$backend" != cpu ]; then forces resident "$alpha" --resident; fi
  steps "$alpha"
done
rm -f "$folder/log.txt" "$folder/steps.toml"
