#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three pairs of small boxes: killed with SIGKILL again and again and continued, stopped gently, as tasks at the same time, on two
# ranks; the results are those of an undisturbed ensemble. Failures and wrong inputs end with one clear line.
# With MULTIWALK_QUICK=1: two pairs, no kills, and neither tasks nor programs at the same time.
#   test_ensemble.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh" "$@"
source "$support/../support/refusals.sh"
limit=(timeout 200)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >box.toml <<'T'
[run]
title = "Small boxes"
checkpoint_every = "0.05 s"
[model]
kind = "box"
box_size = 16
[ic]
z_start = 24
grid = 16
[time]
z_end = 2
max_dlna = 0.1
eta = 0.3
[output]
redshifts = [5]
snapshots = false
images = false
halos = true
error_sample = 0
census_epochs = 0
T
quick=${MULTIWALK_QUICK:-}
pairs=$([ -n "$quick" ] && echo 2 || echo 3)
runs=$((2 * pairs))
ensemble=("$multiwalk" ensemble box.toml --seeds 1:$((pairs + 1)) --paired)   # no function: $! is then the program itself
names=(seed_000{1,2}{,_paired} $([ $pairs -eq 2 ] || echo seed_0003{,_paired}))

# The statistics on the page: what the runs took differs.
statistics() { grep -o '"outputs":\[.*\],"pairs":[0-9]*' "$1/ensemble.html"; }
# same DIRECTORY: as the undisturbed ensemble.
same() {
  local name n
  for name in "${names[@]}"; do
    for n in 000 001; do
      cmp "whole/$name/power_$n.csv" "$1/$name/power_$n.csv" || report "$1/$name/power_$n.csv differs"
    done
  done
  [ -n "$(statistics whole)" ] && [ "$(statistics whole)" = "$(statistics "$1")" ] || report "the statistics of $1 differ"
  [ "$(grep -c '"state": "finished"' "$1/ensemble.json")" -eq $runs ] || report "ensemble.json of $1 lacks finished runs"
}

"${ensemble[@]}" -o whole >whole.log 2>&1 || report "the undisturbed ensemble: $(tail -1 whole.log)"
grep -q "^realisation 4 of $runs, seed 2, paired: whole/seed_0002_paired" whole.log || report "no word of realisation 4"
grep -q "^collected $runs of $runs realisations: whole/ensemble.hdf5" whole.log || report "no word of what was collected"
same whole

# Nothing is made twice.
"${ensemble[@]}" -o whole >again.log 2>&1 || report "the finished ensemble once more"
[ "$(grep -c 'finished already' again.log)" -eq $runs ] && ! grep -q 'first forces' again.log || report "runs were made again"

# Killed at random moments.
killed_runs() {
  local kills=0
  while [ $kills -lt 8 ]; do
    "${ensemble[@]}" -o killed >>killed.log 2>&1 &
    sleep "0.$((RANDOM % 9))$((RANDOM % 90 + 10))"
    kill -9 $! 2>/dev/null || break
    wait $! 2>/dev/null
    kills=$((kills + 1))
  done
  rm -f killed/ensemble.json   # the directories have all that is needed
  "${ensemble[@]}" -o killed >>killed.log 2>&1 || report "the ensemble after $kills kills: $(tail -1 killed.log)"
  same killed
  echo "$kills kills: results as undisturbed"
}
[ -n "$quick" ] || killed_runs

# Stopped with a checkpoint, and continued.
"${ensemble[@]}" -o stopped >stopped.log 2>&1 &
for _ in $(seq 200); do grep -qs 'back end: ' stopped/seed_0001/log.txt && break; sleep 0.05; done
sleep 0.1
kill -TERM $!
wait $!
[ $? -eq 3 ] || report "SIGTERM: exit code is not 3"
grep -q 'caught SIGTERM' stopped.log && grep -q 'the same command continues it' stopped.log || report "SIGTERM: $(tail -1 stopped.log)"
[ ! -e stopped/ensemble.hdf5 ] || report "an ensemble that stopped was collected"
"${ensemble[@]}" -o stopped >>stopped.log 2>&1 || report "the stopped ensemble"
same stopped

at_the_same_time() {
  local first task pids i
  # Two tasks at a time; the last one collects.
  for first in 0 2 4; do
    pids=()
    for task in $first $((first + 1)); do
      "${ensemble[@]}" -o tasks --task $task --quiet >task_$task.log 2>&1 &
      pids+=($!)
    done
    for i in 0 1; do wait "${pids[i]}" || report "task $((first + i)): $(tail -1 task_$((first + i)).log)"; done
  done
  same tasks
  rm tasks/ensemble.hdf5 tasks/ensemble.json
  "$multiwalk" ensemble -o tasks --collect >collect.log || report "collecting"
  grep -q 'collected 6 of 6' collect.log || report "collected: $(cat collect.log)"

  # Two programs in one directory make every run once.
  "${ensemble[@]}" -o shared >shared_1.log 2>&1 & "${ensemble[@]}" -o shared >shared_2.log 2>&1 & wait
  "${ensemble[@]}" -o shared >shared_3.log 2>&1 || report "the shared ensemble"
  same shared
}
[ -n "$quick" ] || at_the_same_time

# On two ranks sums have another order.
on 2 "$multiwalk" ensemble box.toml --seeds 1,2 -o ranks >ranks.log 2>&1 || report "on two ranks: $(tail -1 ranks.log)"
[ "$(grep -c '^collected 2 of 2' ranks.log)" -eq 1 ] || report "on two ranks: $(tail -1 ranks.log)"

# A realisation that fails does not stop the others, and is made when its obstacle is gone.
mkdir failing
cp whole/parameters.toml failing
touch failing/seed_0002
refuses 'failing: 1 of 3 realisations failed .seed_0002.: ensemble.json has their errors; remove the cause' \
  "$multiwalk" ensemble box.toml --seeds 1:4 -o failing
grep -q '"error": "failing/seed_0002 is a file' failing/ensemble.json || report "no error in ensemble.json"
grep -q 'collected 2 of 3' out.txt || report "the others were not collected"
rm failing/seed_0002
"$multiwalk" ensemble box.toml --seeds 1:4 -o failing >failing.log 2>&1 || report "after the obstacle was gone"
cmp {whole,failing}/seed_0002/power_001.csv || report "the run that had failed differs"

# Wrong inputs.
refuses 'whole holds an ensemble with other parameters: time.eta is 0.3 there and 0.2 here; give another -o' \
  "$multiwalk" ensemble box.toml --seeds 1:4 -o whole --set time.eta=0.2
refuses 'seeds 4:1: 4:1 contains no seed' "$multiwalk" ensemble box.toml --seeds 4:1 -o new
refuses 'seeds 1,x: "x" is not a seed' "$multiwalk" ensemble box.toml --seeds 1,x -o new
refuses 'seed 2 appears twice' "$multiwalk" ensemble box.toml --seeds 2,1:3 -o new
refuses 'give the seeds' "$multiwalk" ensemble box.toml -o new
refuses 'give a parameter file' "$multiwalk" ensemble --seeds 1 -o new
refuses 'output is required' "$multiwalk" ensemble box.toml --seeds 1
refuses 'task 6: there are 6' "$multiwalk" ensemble box.toml --seeds 1:4 --paired -o new --task 6
refuses 'leave out --set model.seed=3' "$multiwalk" ensemble box.toml --seeds 1 -o new --set model.seed=3
refuses 'unknown key time.etha' "$multiwalk" ensemble box.toml --seeds 1 -o new --set time.etha=3
refuses 'new holds no ensemble' "$multiwalk" ensemble -o new --collect
refuses 'missing.toml' "$multiwalk" ensemble missing.toml --seeds 1 -o new
refuses 'holds other files and no ensemble' "$multiwalk" ensemble box.toml --seeds 1 -o .
[ ! -e new ] || report "a refused ensemble left its directory"

[ $failures -eq 0 ] && echo "ensembles: those that stop, fail$([ -n "$quick" ] || echo ", are killed or shared") end as undisturbed"
exit $((failures > 0))
