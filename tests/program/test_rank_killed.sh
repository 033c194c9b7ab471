#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills one rank of a run at random moments: in steps, in exchanges, in checkpoints (it writes them all the time). Each time
# the job must end within a minute, say so, fail and leave no process; the restart must go on from a checkpoint; and the
# snapshots must be those of an undisturbed run, bit for bit.
#   test_rank_killed.sh MPIEXEC MULTIWALK [KILLS [RANKS]]   (with MULTIWALK_QUICK=1: 2 kills)
set -u
mpiexec=$1
multiwalk=$(realpath "$2")
kills=${3:-12}
[ -z "${MULTIWALK_QUICK:-}" ] || kills=2
ranks=${4:-3}
source "$(dirname "${BASH_SOURCE[0]}")/resumed_runs.sh"
job=0
trap '[ $job = 0 ] || kill -9 $(ranks_of_job) $job 2>/dev/null; rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "whole"
checkpoint_every = "0.02 s"
threads = 1
[model]
kind = "plummer"
particles = 3000
[time]
t_end = 1.0
max_dt = 0.01
[force]
softening = 0.05
[output]
times = [0.5, 1.0]
images = false
error_sample = 0
census_epochs = 0
T
# The job's ranks: only its processes have this folder's name for the program.
ln -s "$multiwalk" "$work/ranked"
ranks_of_job() { pgrep -f "^$work/ranked " | sort -n; }

timeout 300 "$mpiexec" -n "$ranks" "$work/ranked" run run.toml >whole.log 2>&1 || fail "the undisturbed run"

start_or_resume_job() {
  start_or_resume $directory "$mpiexec" -n "$ranks" "$work/ranked" >job.log 2>&1
  job=$!
}

# Waits for the job, a minute at most; its exit code.
job_ends() {
  local began=$SECONDS
  while kill -0 $job 2>/dev/null && [ $((SECONDS - began)) -lt 60 ]; do sleep 0.05; done
  ! kill -0 $job 2>/dev/null || fail "$1: the job goes on after a minute"
  wait $job
  local code=$?
  for _ in $(seq 50); do [ -n "$(ranks_of_job)" ] || break; sleep 0.1; done
  [ -z "$(ranks_of_job)" ] || fail "$1: ranks are left over: $(ranks_of_job)"
  return $code
}

# A run that gets to its end before all kills are spent is compared, and another one begun.
done_kills=0 round=0 in_checkpoint=0 continued=0 told=0
while [ $done_kills -lt "$kills" ]; do
  round=$((round + 1))
  directory=killed_$round
  start_or_resume_job
  while [ $done_kills -lt "$kills" ]; do
    sleep "$((RANDOM % 3)).$((RANDOM % 9))$((RANDOM % 90 + 10))"
    mapfile -t pids < <(ranks_of_job)
    [ ${#pids[@]} -gt 0 ] || { kill -0 $job 2>/dev/null && continue || break; }
    # While a checkpoint is written every other time: its files have other names until they are whole.
    if [ $((done_kills % 2)) -eq 1 ]; then
      for _ in $(seq 2000); do compgen -G "$directory/checkpoint_*.partial" >/dev/null && break; done
    fi
    kill -9 "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || continue
    if job_ends "kill $done_kills"; then   # it was about to end anyway
      start_or_resume_job
      break
    fi
    done_kills=$((done_kills + 1))
    ! grep -q 'has died' job.log || told=$((told + 1))
    grep -qE 'multiwalk: rank [0-9]+ on .* has died|BAD TERMINATION|signal 9' job.log || fail "no message"
    ! compgen -G "$directory/checkpoint_*.partial" >/dev/null || in_checkpoint=$((in_checkpoint + 1))
    had_checkpoint=$(compgen -G "$directory/checkpoint_*.mwc" | head -1)
    start_or_resume_job
    [ -z "$had_checkpoint" ] || continued=$((continued + 1))
  done
  job_ends "the resumed run" || fail "the resumed run after $done_kills kills"
  for n in 000 001; do same {whole,$directory}/snapshot_$n.hdf5; done
done
job=0
[ $in_checkpoint -gt 0 ] || [ "$kills" -lt 10 ] || fail "no kill fell into a checkpoint"
echo "$done_kills of $ranks ranks killed in $round runs, $in_checkpoint of them writing a checkpoint; $told told by other ranks (the launcher's banner was first else);"
echo "$continued restarts from checkpoints: bit for bit as undisturbed"
