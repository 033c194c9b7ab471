#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_benches.sh MULTIWALK: options and output of `bench steps`, `bench forces`, `bench strategies` and `accuracy`, on small
# models.
set -euo pipefail
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
# tells WHAT PATTERN COMMAND...; hides WHAT PATTERN COMMAND...
tells() { "${@:3}" >out.txt 2>&1 && grep -qE -- "$2" out.txt || { echo "$1: no '$2' in: $(cat out.txt)"; failures=1; }; }
hides() { "${@:3}" >out.txt 2>&1 && ! grep -qE -- "$2" out.txt || { echo "$1: '$2' in: $(cat out.txt)"; failures=1; }; }
cat >sphere.toml <<'T'
[model]
kind = "plummer"
particles = 1500
[time]
t_end = 1
max_dt = 0.0078125
[force]
softening = 0.05
T
steps() { "$multiwalk" bench steps sphere.toml --set 'run.backend="cpu"' --steps 3 --warm 1 "$@"; }
tells "the model's order" '"order": "model"' steps --json -
tells "a random order" '"order": "random"' steps --order random --json -
tells "text of a random order" '^particles   1500 from random order' steps --order random
tells "median and fastest step" '^step +[0-9.]+ s median, [0-9.]+ s fastest of 3' steps
tells "the error of the forces" '^error .*99% [0-9.e-]+ \(.* to .*of 1000 particles' steps
hides "errors that were not asked for" '^error' steps --sample 0
if steps --order sideways >out.txt 2>&1; then echo "an order without sense was accepted" && failures=1; fi

forces() { "$multiwalk" bench forces --backend cpu --particles 1500 --softening 0.05 "$@"; }
tells "fastest and median evaluation" '^seconds +[0-9.]+ fastest, [0-9.]+ median of 5;' forces --repeats 5
tells "figures of the median" '"seconds_median": [0-9.e-]+' forces --json -
tells "the error that monopoles share" 'monopole BH86 of equal 99% error' forces --effective
tells "the median that monopoles share" 'monopole BH86 of equal median error' forces --effective --sample 999

"$multiwalk" ic sphere.toml -o sphere.hdf5 >/dev/null
accuracy() { "$multiwalk" accuracy sphere.hdf5 --backend cpu --theta 0.5 "$@"; }
tells "a 99% error with its interval" ' [0-9.e-]+ \([0-9.e-]+ to [0-9.e-]+\) ' accuracy --sample 1000
tells "the median of a small sample with its interval" 'median in [0-9.e-]+ to [0-9.e-]+' accuracy --sample 100
hides "a 99% error of a small sample" '\([0-9.e-]+ to|nan' accuracy --sample 100
tells "a 99% error with its interval" 'CPU .*\([0-9.e-]+ to [0-9.e-]+\)' "$multiwalk" bench strategies --backend cpu \
  --direct 1500 --tree 1500 --repeats 1 --no-scans
exit $failures
