#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_benches.sh MULTIWALK: options and output of `bench steps`, `bench forces` and `accuracy`, and what a run
# reports about its own measurements, on small models.
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
tells "the error of all" '^error .*of 1500 particles' steps --sample all
if steps --order sideways >out.txt 2>&1; then echo "an order without sense was accepted" && failures=1; fi

forces() { "$multiwalk" bench forces --backend cpu --particles 1500 --softening 0.05 "$@"; }
tells "fastest and median evaluation" '^seconds +[0-9.]+ fastest, [0-9.]+ median of 5;' forces --repeats 5
tells "figures of the median" '"seconds_median": [0-9.e-]+' forces --json -
hides "errors that were not asked for" '^error' forces --sample 0
tells "the error of all" '^error .*of 1500 particles' forces --sample all
for size in 'forces --sample many' 'forces --sample -1' 'direct --sample 0'; do
  # shellcheck disable=SC2086
  if "$multiwalk" bench $size >out.txt 2>&1; then echo "bench $size was accepted" && failures=1; fi
  grep -q 'is not a whole number >= [01], nor all' out.txt || { echo "bench $size: $(cat out.txt)" && failures=1; }
done
tells "the error that monopoles share" 'monopole BH86 of equal 99% error' forces --effective
tells "the median that monopoles share" 'monopole BH86 of equal median error' forces --effective --sample 999

"$multiwalk" ic sphere.toml -o sphere.hdf5 >/dev/null
accuracy() { "$multiwalk" accuracy sphere.hdf5 --backend cpu --theta 0.5 "$@"; }
tells "a 99% error with its interval" ' [0-9.e-]+ \([0-9.e-]+ to [0-9.e-]+\) ' accuracy --sample 1000
tells "the median of a small sample with its interval" 'median in [0-9.e-]+ to [0-9.e-]+' accuracy --sample 100
hides "a 99% error of a small sample" '\([0-9.e-]+ to|nan' accuracy --sample 100
if forces --resident >out.txt 2>&1 || ! grep -q 'stay on a device (--resident) only if' out.txt; then
  echo "particles without a device stay on one: $(cat out.txt)" && failures=1
fi

run() { "$multiwalk" run sphere.toml --overwrite --set 'run.directory="run"' --set 'output.times=[0]' --set time.max_steps=3 "$@"; }
run --set output.census_epochs=1 >run.txt 2>&1 || [ $? -eq 3 ] || { cat run.txt; failures=1; }
for pattern in '^measurements: force errors of 1000 particles at each output; effective interactions at 1 epoch' \
  '^force error: median .* 99% .* of 1000 particles' \
  '^measuring took [0-9.]+% of the run: .* for force errors, .* for effective interactions, '; do
  grep -qE "$pattern" run.txt && grep -qE "${pattern#^}" run/log.txt || { echo "a run does not say '$pattern': $(cat run.txt)"; failures=1; }
done
tr -d ' \n' <run/report.json | grep -qE '"measuring":\{"census":[0-9.e-]+,"errors":[0-9.e-]+,"seconds":[0-9.e-]+,"share":0' ||
  { echo "the report does not say what measuring took"; failures=1; }
run --set output.error_sample=0 --set output.census_epochs=0 >run.txt 2>&1 || true
grep -q '^measurements: no force errors (output.error_sample); no effective' run.txt ||
  { echo "a run does not say that it measures nothing: $(cat run.txt)"; failures=1; }
! grep -q 'measuring took' run.txt || { echo "measurements that were not made took time"; failures=1; }
run --set 'output.times=[0,0.015625]' --set output.images=false >run.txt 2>&1 || [ $? -eq 3 ] || { cat run.txt; failures=1; }
[ "$(grep -c '"peculiar"' run/report.json)" -eq 2 ] || { echo "force errors are not those of both outputs: $(cat run.txt)"; failures=1; }
run --set 'output.times=[0]' --set time.max_steps=0 --set time.t_end=0.015625 --set output.images=false --set output.error_sample=12 \
  --set output.final_error_sample=34 >run.txt 2>&1 || { cat run.txt; failures=1; }
[ "$(grep -o '^force error: .* of [0-9]* particles' run.txt | grep -o '[0-9]* particles' | paste -sd,)" = '12 particles,34 particles' ] ||
  { echo "samples of the first and the last output: $(cat run.txt)"; failures=1; }
# Some sizes that are tried are slower than the best ones, if nothing else slows those.
for _ in 1 2 3; do
  run --set model.particles=100000 --set time.max_steps=30 --set output.error_sample=0 --set output.census_epochs=0 >run.txt 2>&1 || true
  if grep -q 'measuring took .* for slow sizes' run.txt; then break; fi
  rm -f run/sizes.json
done
grep -q 'measuring took .* for slow sizes' run.txt || { echo "the tuner's trials are not counted: $(cat run.txt)"; failures=1; }
exit $failures
