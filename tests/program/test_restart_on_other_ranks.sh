#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run stopped on 2 ranks goes on with 5 and with 1, says so, and ends with the same particles near the same places; on 2
# again it ends bit for bit as if never stopped. A run refused, and a signal to one rank, end all ranks with one line.
#   test_restart_on_other_ranks.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$support/resumed_runs.sh"
trap 'rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "stopped"
[model]
kind = "plummer"
particles = 2000
[time]
t_end = 0.12
max_dt = 0.01
[force]
softening = 0.05
[output]
images = false
error_sample = 100
census_epochs = 2
T

on 2 "$multiwalk" run run.toml --set 'run.directory="whole"' >whole.log 2>&1 || fail "the undisturbed run"
on 2 "$multiwalk" run run.toml --set time.max_steps=5 >stopped.log 2>&1
[ $? -eq 3 ] || fail "a run with max_steps must end with exit code 3"
for ranks in 2 5 1; do
  cp -r stopped on_$ranks
  on $ranks "$multiwalk" run --restart on_$ranks --set time.max_steps=0 >on_$ranks.log 2>&1 || fail "restart on $ranks"
  [ -s on_$ranks/report.html ] || fail "no report on $ranks"
  warned=$(grep -c 'made on 2 ranks' on_$ranks.log)
  [ "$warned" -eq $((ranks == 2 ? 0 : 1)) ] || fail "$warned warnings on $ranks ranks"
  "$multiwalk" info --check on_$ranks/snapshot_000.hdf5 >info.log || fail "the snapshot made on $ranks"
  grep -q 'particles  *2000$' info.log || fail "particles lost on $ranks: $(grep particles info.log)"
done
same {whole,on_2}/snapshot_000.hdf5

# The same of a box with block steps.
cat >box.toml <<'T'
[run]
directory = "box_stopped"
[model]
kind = "box"
box_size = 20
[ic]
grid = 16
z_start = 9
[time]
z_end = 7
steps = "block"
eta = 0.002
[force]
accuracy = "fast"
[output]
images = false
error_sample = 0
T
on 2 "$multiwalk" run box.toml --set 'run.directory="box_whole"' >box_whole.log 2>&1 || fail "the undisturbed box"
on 2 "$multiwalk" run box.toml --set time.max_steps=2 >box_stopped.log 2>&1
[ $? -eq 3 ] || fail "a box with max_steps must end with exit code 3"
for ranks in 2 3; do
  cp -r box_stopped box_on_$ranks
  on $ranks "$multiwalk" run --restart box_on_$ranks --set time.max_steps=0 >box_on_$ranks.log 2>&1 ||
    fail "restart of the box on $ranks"
  "$multiwalk" info --check box_on_$ranks/snapshot_000.hdf5 >info.log || fail "the box's snapshot made on $ranks"
done
same {box_whole,box_on_2}/snapshot_000.hdf5
awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "rung_1") column = i} NR > 1 && $column > 0 {found = 1} END {exit !found}' \
  box_on_2/rungs.csv || fail "the box's particles are on one rung"
cmp box_whole/rungs.csv box_on_2/rungs.csv || fail "rungs.csv of the resumed box"

# One line on stderr for all ranks, nothing written.
on 3 "$multiwalk" run run.toml --set force.theta=0 --set 'run.directory="no"' >/dev/null 2>refused.log && fail "theta = 0"
[ "$(grep -c multiwalk: refused.log)" -eq 1 ] || fail "not one line"
on 3 "$multiwalk" run run.toml --set 'decomposition.grid=[2,1,1]' --set 'run.directory="no"' >/dev/null 2>refused.log &&
  fail "a grid of 2 on 3 ranks"
grep -q 'decomposition.grid' refused.log || fail "no word of the grid"
on 2 "$multiwalk" run run.toml --set 'run.backend="direct"' --set 'run.directory="no"' >/dev/null 2>refused.log &&
  fail "direct summation on 2 ranks"
[ ! -e no ] || fail "a refused run left a directory"

# The signal reaches one rank only; all end at the same step with a checkpoint.
on 3 sh -c 'echo $$ >pid.${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}; exec "$0" "$@"' "$multiwalk" run run.toml \
  --set time.t_end=500 --set 'run.directory="signal"' >signal.log 2>&1 &
launcher=$!
for _ in $(seq 600); do
  grep -q '^step' signal.log && break
  sleep 0.1
done
kill -USR1 "$(cat pid.1)" || fail "no rank 1 to signal"
wait $launcher
[ $? -eq 3 ] || fail "a signal to one rank must end all with exit code 3"
grep -q 'caught SIGUSR1' signal.log || fail "no word of the signal"
echo "restarts on 2, 5 and 1 ranks, refusals and a signal to one rank: as they should be"
