#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ten times as many steps need no more memory and no longer report or checkpoint, with trees and with direct summation. The
# table of steps has all of them, each once, also after a restart. A checkpoint of another format is refused by its version.
#   test_long_runs.sh MULTIWALK
set -u
multiwalk=$(realpath "$1")
source "$(dirname "${BASH_SOURCE[0]}")/resumed_runs.sh"
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

cat >tree.toml <<'T'
[run]
backend = "direct"
[model]
kind = "two_body"
eccentricity = 0
[force]
softening = 0
[time]
max_dt = 0.0009765625
[output]
times = []
images = false
T
sed 's/^backend.*//; s/softening = 0/softening = 0\nmethod = "direct"/; s/\[time\]/[time]\nintegrator = "leapfrog"\nsteps = "fixed"/' tree.toml \
  >direct.toml
echo 'diagnostics_every = 0.0009765625' >>direct.toml

# long NAME STEPS SETTING...: the run into NAME_STEPS/.
long() {
  local name=$1 steps=$2
  shift 2
  "$multiwalk" run $name.toml --set time.t_end=$(awk "BEGIN {printf \"%.12f\", $steps / 1024}") --set "run.directory=\"${name}_$steps\"" "$@" \
    >$name.log 2>&1
}
peak() { tr -d ' \n' <"$1/report.json" | grep -o '"memory":{[^}]*' | grep -o '"host":[0-9]*' | cut -d: -f2; }
# grows RUN RUN FILE PERCENT: the file grows by more than PERCENT from the first run to the second.
grows() { [ $((100 * $(cat "$2"/$3 | wc -c))) -gt $(((100 + $4) * $(cat "$1"/$3 | wc -c))) ]; }

for name in tree direct; do
  few=${name}_4000 many=${name}_40000
  long $name 4000 || fail "$few"
  long $name 40000 || fail "$many"
  for file in report.json report.html 'checkpoint_*.mwc'; do
    ! grows $few $many "$file" 30 || fail "$file grows with the steps: $(ls -l {$few,$many}/$file)"
  done
  for run in $few $many; do
    [ "$(wc -l <$run/steps.csv)" -eq $((${run#*_} + 2)) ] || fail "$run/steps.csv has $(wc -l <$run/steps.csv) lines"
    [ "$(tr -d ' \n' <$run/report.json | grep -o '"steps_covered":[0-9]*' | cut -d: -f2 | awk '{n += $1} END {print n}')" -eq \
      $((${run#*_} + 1)) ] || fail "the rows of $run/report.json cover other steps"
  done
  long $name 40000 --set run.directory="\"${name}_stopped\"" --set time.max_steps=30000
  [ $? -eq 3 ] || fail "$name: time.max_steps did not stop the run"
  echo 'a row that no checkpoint counts' >>${name}_stopped/steps.csv
  "$multiwalk" run --restart ${name}_stopped --set time.max_steps=0 >$name.log 2>&1 || fail "$name: restart"
  same_steps $many ${name}_stopped
done
[ "$(stat -c %s direct_40000/diagnostics.hdf5)" -gt $((40001 * 22 * 8)) ] || fail "diagnostics.hdf5 lacks rows"
# Direct runs do not report memory; each of their steps is also one of the record.
[ "$(peak tree_40000)" -lt $(($(peak tree_4000) + 20000000)) ] || fail "memory grows: $(peak tree_4000), $(peak tree_40000) bytes"

# The version is in bytes 12 to 15.
for file in tree_stopped/checkpoint_*.mwc; do printf '\1' | dd of="$file" bs=1 seek=12 conv=notrunc status=none; done
! "$multiwalk" run --restart tree_stopped --set time.t_end=50 >version.log 2>&1 || fail "a checkpoint of format 1 is read"
grep -q 'format version 1, but this program reads 4' version.log || fail "no word of the version: $(cat version.log)"
