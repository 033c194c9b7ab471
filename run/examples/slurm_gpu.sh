#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run on one GPU: sbatch slurm_gpu.sh PARAM.toml. Submitted again, it goes on from the last checkpoint.
# One rank with one GPU is fastest for up to some ten million particles. More, and direct sums over many bodies, are faster with a
# rank for each GPU: sbatch --ntasks-per-node=4 --gpus-per-node=4 ...
#SBATCH --job-name=multiwalk
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@600          # ten minutes before the limit: checkpoint, report, exit code 3
set -u
parameters=$1
directory=$(sed -nE "s/^ *directory *= *[\"']([^\"']*)[\"'].*/\1/p" "$parameters")
case $directory in *[~\$]*) echo "$0: write run.directory in $parameters without ~ and variables" >&2; exit 1 ;; esac
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
# --mpi=pmi2 suits MPICH; pmix suits Open MPI.

continue=()
[ -e "${directory:=run}/parameters.toml" ] && continue=(--restart "$directory")
srun --mpi=pmi2 --cpu-bind=cores multiwalk run "$parameters" "${continue[@]}" --progress outputs
code=$?
# Queue the rest if time was short; time.max_steps and the file `stop` end a run until somebody continues it.
short=$(grep -sE 'stopped (after|within)' "$directory/log.txt" | tail -n 1 | grep -E 'because (caught|the wall-clock limit)')
[ $code -eq 3 ] && [ -n "$short" ] && exec sbatch --dependency=singleton "$0" "$parameters"
exit $code
