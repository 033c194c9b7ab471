#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a run and an ensemble show: lines, one line per output, nothing but warnings.
#   test_progress.sh MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >run.toml <<'T'
[run]
directory = "run"
[model]
kind = "plummer"
particles = 300
[time]
t_end = 0.04
max_dt = 0.01
[output]
times = [0.02, 0.04]
[force]
softening = 0.05
T
# run OPTION...: leaves what it shows in out.txt and err.txt.
run() { "$multiwalk" run run.toml --overwrite "$@" >out.txt 2>err.txt || report "run $*: $(cat err.txt)"; }

run --quiet
[ ! -s out.txt ] && [ ! -s err.txt ] || report "--quiet says: $(cat out.txt err.txt)"
grep -q 'finished: ' run/log.txt && grep -q 'step      4 ' run/log.txt || report "the log of a quiet run is not whole"
run --progress none
[ ! -s out.txt ] || report "--progress none says: $(cat out.txt)"
run --progress outputs
[ "$(grep -c '^wrote the output at t = ' out.txt)" -eq 2 ] ||
  report "not a line for each output: $(cat out.txt)"
[ "$(grep -vc '^wrote the output at t = [0-9.]*, step [0-9]*, [0-9]*% of the run$' out.txt)" -eq 1 ] ||
  report "more than outputs and an end: $(cat out.txt)"
tail -n 1 out.txt | grep -q '^finished: ' || report "no end: $(cat out.txt)"
run --progress lines
grep -q '^back end: ' out.txt && grep -q '^step ' out.txt || report "--progress lines says: $(cat out.txt)"

run --quiet --set model.box_size=3
[ ! -s out.txt ] && [ "$(cat err.txt)" = "WARNING: no effect in this run: model.box_size (for sphere, box and hubble_lattice)" ] ||
  report "--quiet with a warning says: $(cat out.txt err.txt)"
run --progress outputs --set model.box_size=3
grep -q '^WARNING: no effect' out.txt || report "no warning: $(cat out.txt)"

refuses 'excludes|--quiet' "$multiwalk" run run.toml --quiet --progress lines
refuses 'progress' "$multiwalk" run run.toml --progress loud
[ $failures -eq 0 ] && echo "runs show what was asked for"
exit $((failures > 0))
