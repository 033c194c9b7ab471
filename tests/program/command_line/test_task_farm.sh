#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_task_farm.sh MPIEXEC NUMPROC_FLAG MULTIWALK: commands do the same work whatever variables of launchers the environment
# has, also as tasks of a farm; a failing start of MPI is called that; of several copies of a run one works, and the others
# say why they do not.
set -u
. "$(dirname "$0")/../on_ranks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
report() {
  echo "FAIL: $1"
  failures=$((failures + 1))
}

cat >box.toml <<'TOML'
[model]
kind = "box"
box_size = 50
[ic]
grid = 8
z_start = 9
[time]
z_end = 8.9
[output]
images = false
TOML
for seed in 0 1; do
  "$multiwalk" ic box.toml --set model.seed=$seed -o snap_$seed.hdf5 >/dev/null 2>&1 || report "snapshot $seed"
  "$multiwalk" power snap_$seed.hdf5 --csv right_$seed.csv >/dev/null || report "power of snapshot $seed"
done
cmp -s right_0.csv right_1.csv && report "two seeds have one spectrum"

# Nobody listens: PMI_FD is closed or no socket, or the variables are left over.
while read -r settings; do
  rm -f found.csv converted.hdf5
  env $settings "$multiwalk" power snap_1.hdf5 --csv found.csv >/dev/null 2>log </dev/null ||
    report "$settings: power: $(cat log)"
  cmp -s right_1.csv found.csv || report "$settings: another power spectrum"
  env $settings "$multiwalk" convert snap_1.hdf5 converted.hdf5 >/dev/null 2>log && [ -s converted.hdf5 ] ||
    report "$settings: convert: $(cat log)"
  [ -n "$(env $settings "$multiwalk" params 2>&1)" ] || report "$settings: params"
  env $settings "$multiwalk" power 2>log >/dev/null && report "$settings: power without a file"
  [ -s log ] || report "$settings: no word of a wrong command"
done <<'SETTINGS'
SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_NTASKS=2
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_LOCALID=0
PMI_RANK=1 PMI_SIZE=2 PMI_FD=9
PMI_RANK=1 PMI_SIZE=2 PMI_FD=0
PMI_RANK=1 PMI_SIZE=2
PMIX_RANK=1 PMIX_NAMESPACE=job PMIX_SERVER_URI41=pmix-server
PALS_RANKID=1 PALS_NODEID=0 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2
SETTINGS

# MPICH would ask there; Open MPI does not.
if ! PMI_PORT=localhost:1 PMI_ID=1 "$multiwalk" power snap_1.hdf5 >/dev/null 2>log; then
  grep -q 'multiwalk: MPI could not start' log || report "a failing start of MPI: $(cat log)"
  grep -q memory log && report "a failing start of MPI is called lack of memory"
fi

# A farm under mpiexec: every process has a file of its own.
on 2 sh -c 'r=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
  "$0" power snap_$r.hdf5 --csv farm_$r.csv >/dev/null && "$0" convert snap_$r.hdf5 farm_$r.hdf5' "$multiwalk" \
  >log 2>&1 || report "a farm under mpiexec: $(cat log)"
for seed in 0 1; do
  cmp -s right_$seed.csv farm_$seed.csv || report "task $seed of a farm under mpiexec: another power spectrum"
  [ -s farm_$seed.hdf5 ] || report "task $seed of a farm under mpiexec: no converted file"
done
on 2 "$multiwalk" power snap_1.hdf5 --csv ranks.csv >/dev/null 2>log || report "two ranks: $(cat log)"
[ -s ranks.csv ] || report "two ranks: no file"

# Copies of one run.
for copy in 0 1 2; do
  (
    SLURM_PROCID=$copy SLURM_STEP_NUM_TASKS=3 "$multiwalk" run box.toml --quiet --set 'run.directory="run"' 2>copy_$copy
    echo $? >code_$copy
  ) &
done
wait
[ "$(cat code_? | sort | tr -d '\n')" = 011 ] || report "of three copies of a run end with $(cat code_? copy_?)"
[ "$(grep -l '3 processes were launched together.*start ranks' copy_? | wc -l)" = 2 ] || report "copies: $(cat copy_?)"
[ -s run/report.json ] || report "no copy finished the run"
exit $((failures > 0))
