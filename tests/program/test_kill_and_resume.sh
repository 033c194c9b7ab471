#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills a run with SIGKILL at random moments (it checkpoints all the time, so writing is hit as well), resumes it each time,
# and compares its end bit for bit with an undisturbed run. Then the gentle ways to stop, and a damaged checkpoint.
#   test_kill_and_resume.sh MULTIWALK [KILLS]   (with MULTIWALK_QUICK=1: 4 kills, signals and stops with fewer particles)
set -u
multiwalk=$(realpath "$1")
kills=${2:-20} many=40000
[ -z "${MULTIWALK_QUICK:-}" ] || kills=4 many=20000
source "$(dirname "${BASH_SOURCE[0]}")/resumed_runs.sh"
trap 'kill -9 %1 2>/dev/null; rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "whole"
checkpoint_every = "0.05 s"
threads = 2
[model]
kind = "plummer"
particles = 4000
[time]
t_end = 6.0
max_dt = 0.01
[force]
softening = 0.05
[output]
times = [1.0, 2.0, 3.0]
images = false
error_sample = 0
census_epochs = 2
T

"$multiwalk" run run.toml >whole.log 2>&1 || fail "the undisturbed run"

compare() {
  local n
  for n in 001 002 003; do same {whole,"$1"}/snapshot_$n.hdf5; done
}
kill_and_resume "$kills" 4 compare
echo "$done_kills kills in $round runs, $(grep -c 'wrote .*checkpoint' killed.log) checkpoints: bit for bit as undisturbed"

# Every gentle way to stop ends with a checkpoint and exit code 3, and says why.
stops() {   # stops WORDS PID
  wait "$2"
  [ $? -eq 3 ] || fail "$1: exit code is not 3"
  grep -q "$1" term.log || fail "no word of '$1'"
}
big=(run.toml --set model.particles=$many --set time.t_end=3 --set 'output.times=[]' --set run.checkpoint_every=0)
"$multiwalk" run "${big[@]}" --set 'run.directory="big"' >big.log 2>&1 || fail "the larger run"
# Waits until run number $1 in term/ listens to signals (it has named its back end).
listens() {
  for _ in $(seq 300); do
    [ "$(grep -c 'back end: ' term/log.txt 2>/dev/null)" -ge "$1" ] 2>/dev/null && break
    sleep 0.1
  done
  sleep 0.2
}
"$multiwalk" run "${big[@]}" --set 'run.directory="term"' >term.log 2>&1 &
listens 1; kill -TERM $!; stops 'caught SIGTERM' $!
began=1
for signal in INT USR1; do
  "$multiwalk" run --restart term >>term.log 2>&1 &
  began=$((began + 1))
  listens $began; kill -$signal $!; stops "caught SIG$signal" $!
done
"$multiwalk" run --restart term >>term.log 2>&1 &
listens $((began + 1)); touch term/stop; stops 'found the file' $!
"$multiwalk" run --restart term --set run.wall_limit='"0.5 s"' >>term.log 2>&1 &
stops 'wall-clock limit' $!
for most in 1 2; do
  "$multiwalk" run --restart term --set time.max_steps=$((260 + 10 * most)) --set run.wall_limit=0 >>term.log 2>&1 &
  stops 'max_steps' $!
done

# The newer of two checkpoints is damaged: the run warns and continues from the older one.
newest=$(find term -name 'checkpoint_*' | sort | tail -1)
printf '\x55\xaa\x55' | dd of="$newest" bs=1 seek=5000 conv=notrunc status=none
"$multiwalk" run --restart term --set time.max_steps=0 --set run.wall_limit=0 >again.log 2>&1 || fail "restart beside a damaged checkpoint"
grep -q 'WARNING' again.log || fail "no warning of the damaged checkpoint"
same {big,term}/snapshot_000.hdf5
same_steps big term
echo "signals, stop file, wall-clock and step limits, a damaged checkpoint: resumed bit for bit"
