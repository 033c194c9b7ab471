#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How runs end and go on: finished or not, on a full disk, from another folder, with outputs asked for too late, in job scripts.
#   test_run_ends.sh MULTIWALK FAULTS_LIBRARY EXAMPLES
set -u
multiwalk=$(realpath "$1") library=$(realpath "$2") examples=$(realpath "$3")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
limit=(timeout 60)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=1

awk 'BEGIN { for (i = 0; i < 200; ++i) { k = 10^(-3 + 4.5 * i / 199); printf "%.8e %.8e\n", k, 2e4 * k / (1 + (k / 0.02)^2)^1.4 } }' >pk.txt
cat >box.toml <<'T'
[run]
directory = "run"
threads = 1
deterministic = true
[model]
kind = "box"
box_size = 50
[ic]
grid = 12
z_start = 9
[cosmology]
transfer = "file"
transfer_file = "pk.txt"
[force]
accuracy = "fast"
[time]
z_end = 1
eta = 0.3
[output]
images = false
error_sample = 0
census_epochs = 0
redshifts = [3]
[trees]
outputs = 3
first_redshift = 4
T
says() { grep -qE -- "$1" out.txt err.txt || report "no word of '$1': $(tail -n 3 out.txt err.txt)"; }
run() { "${limit[@]}" "$multiwalk" run "$@" >out.txt 2>err.txt; }
is_finished() { grep -q '^ "finished": true' "$1/report.json"; }

# Finished: said at the end, and by a restart, which changes nothing.
run box.toml || report "a run: $(cat err.txt)"
is_finished run || report "the report of a finished run does not say so"
cp -r run before
run --restart run || report "a restart of a finished run: $(cat err.txt)"
says '^run is finished: its report is run/report.html$'
run --restart run --set time.eta=0.2 || report "the same with another setting: $(cat err.txt)"
says '; without effect: time.eta from 0.3 to 0.2'
diff -rq before run >diff.txt || report "a restart of a finished run changes files: $(cat diff.txt)"

# Killed when its report has the last output: that alone is not finished.
cut=0
for _ in 1 2 3 4 5; do
  rm -rf killed
  "$multiwalk" run box.toml --set 'run.directory="killed"' --quiet &
  until grep -qs '"z": 1.0\b\|"z": 1.000000000\|"z": 0.99999' killed/report.json || ! kill -0 $! 2>/dev/null; do :; done
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  is_finished killed && continue
  cut=$((cut + 1))
  run --restart killed || report "the restart of a killed run: $(cat err.txt)"
  is_finished killed || report "a restarted run is not finished"
  for file in trees.hdf5 main_branches.csv power_001.csv; do cmp -s {before,killed}/$file || report "$file after a kill"; done
  break
done
[ $cut -gt 0 ] || echo "no run was killed between its last output and its end"

# From another folder, where the table of linear power is not; outputs whose time has passed.
run box.toml --set 'run.directory="part"' --set time.max_steps=8
[ $? -eq 3 ] || report "max_steps: $(cat err.txt)"
refuses 'time.max_steps = 8 was reached before: there is nothing to do' "$multiwalk" run --restart part
(cd / && run_from_root() { "${limit[@]}" "$multiwalk" run --restart "$work/part" --set time.max_steps=0 --set 'output.redshifts=[8,3]' --set grids.cells=8 \
  --set 'grids.redshifts=[7.5,2]' >"$work/out.txt" 2>"$work/err.txt"; } && run_from_root) || report "a restart from another folder: $(cat err.txt)"
says 'WARNING: their time has passed, they will not be written: outputs at z = 8; density grids at z = 7.5'
says 'WARNING: changed since the checkpoint: .*(grids.cells from 0 to 8.*output.redshifts from|output.redshifts from.*grids.cells from 0 to 8)'
says '^another end than before: time.max_steps from 8 to 0'
is_finished part && [ -e part/grid_001.hdf5 ] && [ ! -e part/grid_000.hdf5 ] || report "the run from another folder: $(ls part)"

# A full disk: how much space is needed, and how to go on.
FAULT_KIND=write FAULT_AT=30 FAULT_AFTER=1 LD_PRELOAD=$library run box.toml --set 'run.directory="full"'
[ $? -eq 1 ] || report "a full disk: exit code"
says 'No space left on device.*: the rest of the run needs about [0-9.]+ ?[kM]?B of disk space; free it, then continue with: multiwalk run --restart full$'
run --restart full || report "a restart when there is space: $(cat err.txt)"
is_finished full || report "the run that met a full disk is not finished"

# Paths.
refuses 'the environment variable NOWHERE_AT_ALL, which is not set' "$multiwalk" run box.toml --set 'run.directory="$NOWHERE_AT_ALL/a"'
HOME=$work run box.toml --set 'run.directory=~/home' --set time.max_steps=1
[ -e home/report.json ] && [ ! -e '~' ] || report "run.directory = ~/home: $(cat err.txt)"

# Job scripts: the rest is queued only where time was short.
mkdir bin
printf '#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nexec "$@"\n' >bin/srun
printf '#!/bin/bash\necho "$@" >>%s/queued\n' "$work" >bin/sbatch
printf '#!/bin/bash\necho $$ >%s/pid\nexec %s "$@"\n' "$work" "$multiwalk" >bin/multiwalk
chmod +x bin/*
job() { PATH=$work/bin:$PATH SLURM_CPUS_PER_TASK=1 bash "$examples/slurm_cpu.sh" "$1" >out.txt 2>err.txt; }
sed 's/"run"/"job"/; s/^eta = .*/&\nmax_dlna = 0.0005/' box.toml >job.toml
sed 's/^eta = .*/&\nmax_steps = 2/' job.toml >few.toml
job few.toml
[ $? -eq 3 ] && [ ! -e queued ] || report "max_steps: the job script queues again"
starts=1   # that of few.toml
for how in stop signal; do
  job job.toml &
  starts=$((starts + 1))
  for _ in $(seq 200); do [ "$(grep -cs 'back end: ' job/log.txt)" -eq $starts ] 2>/dev/null && sleep 0.3 && break; sleep 0.05; done
  if [ $how = stop ]; then touch job/stop; else kill -USR1 "$(cat pid)"; fi
  wait $!
  [ "$(cat queued 2>/dev/null | wc -l)" -eq $([ $how = stop ] && echo 0 || echo 1) ] || report "$how: the job script queued $(cat queued 2>/dev/null | wc -l) jobs: $(tail -n 2 job/log.txt)"
done

[ $failures -eq 0 ] && echo "runs end finished or say how to go on"
exit $((failures > 0))
