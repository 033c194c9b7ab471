#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An ensemble as a job array, one realisation per task, here of 50 seeds and ten tasks at a time:
#   sbatch --array=0-49%10 slurm_ensemble.sh PARAM.toml 0:50 DIRECTORY
# The task that finishes last collects the results. When submitted again, it continues unfinished realisations.
#SBATCH --job-name=multiwalk-ensemble
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@600          # ten minutes before the limit: checkpoint, report, exit code 3
set -u
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
said=$(mktemp)
srun --mpi=pmi2 --cpu-bind=cores multiwalk ensemble "$1" --seeds "$2" -o "$3" --task "$SLURM_ARRAY_TASK_ID" --progress outputs | tee "$said"
code=${PIPESTATUS[0]}
# Queue the rest of this task if time was short; the file `stop` ends its run until somebody continues it.
[ "$code" -eq 3 ] && ! grep -q 'because found the file' "$said" && exec sbatch --array="$SLURM_ARRAY_TASK_ID" "$0" "$@"
exit "$code"
