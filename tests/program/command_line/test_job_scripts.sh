#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The job scripts with stand-ins for srun and sbatch: a job that stops queues the rest and goes on from its checkpoint,
# with a parameter file as the user writes it and with the program's own.
#   test_job_scripts.sh MULTIWALK SOURCE
set -u
examples=$(realpath "$2")/run/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; cat ./*.log; exit 1; }

mkdir bin
ln -s "$(realpath "$1")" bin/multiwalk
printf '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n' >bin/srun
printf '#!/bin/bash\necho "$@" >>queued.txt\n' >bin/sbatch
chmod +x bin/srun bin/sbatch
export PATH=$work/bin:$PATH SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_ID=1

cat >cluster.toml <<'T'
[run]
directory = "cluster"
wall_limit = 1e-7
[model]
kind = "plummer"
particles = 200
[time]
t_end = 0.05
max_dt = 0.01
[force]
softening = 0.05
T

for script in slurm_cpu slurm_gpu; do
  rm -rf cluster queued.txt
  bash "$examples/$script.sh" cluster.toml >first.log 2>&1 || fail "$script: a job that stops does not queue the rest"
  grep -q 'cluster.toml' queued.txt || fail "$script queued: $(cat queued.txt)"
  sed 's/^wall_limit = .*/wall_limit = 0/' cluster/parameters.toml >own.toml
  grep -q "directory = 'cluster'" own.toml || fail "the program's own file no longer has single quotes: test both"
  bash "$examples/$script.sh" own.toml >second.log 2>&1 || fail "$script: the program's own file"
  grep -q 'finished: ' second.log && [ "$(wc -l <queued.txt)" -eq 1 ] || fail "$script does not finish the run"
  [ "$(grep -c 'back end: ' cluster/log.txt)" -eq 2 ] || fail "$script does not go on in the same directory"
done

cat >box.toml <<'T'
[run]
directory = "box"
wall_limit = 1e-7
[model]
kind = "box"
box_size = 50
[ic]
grid = 8
z_start = 9
[time]
z_end = 8
[output]
redshifts = [8]
images = false
halos = false
T
rm -f queued.txt
bash "$examples/slurm_ensemble.sh" box.toml 0:2 realisations >ensemble.log 2>&1 || fail "a task that stops does not queue the rest"
grep -q -- '--array=1 .*slurm_ensemble.sh box.toml 0:2 realisations' queued.txt || fail "a task queued: $(cat queued.txt)"
sed 's/wall_limit = 1e-7/wall_limit = 0/' box.toml >whole.toml
for SLURM_ARRAY_TASK_ID in 0 1; do
  bash "$examples/slurm_ensemble.sh" whole.toml 0:2 whole >ensemble.log 2>&1 || fail "task $SLURM_ARRAY_TASK_ID"
done
[ -e whole/ensemble.hdf5 ] || fail "the last task does not collect"
echo "jobs queue their rest and finish it"
