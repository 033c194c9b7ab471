#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that goes away, and the signals by which batch systems announce the end, leave a checkpoint; work within a block of
# steps can be stopped, and its restart gives the bits of an undisturbed run.
#   test_stops.sh MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'kill -9 %1 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=1

cat >box.toml <<'T'
[run]
directory = "box"
threads = 1
deterministic = true
[model]
kind = "box"
box_size = 20
[ic]
grid = 16
z_start = 9
[force]
accuracy = "fast"
[time]
z_end = 0
[output]
images = false
error_sample = 0
census_epochs = 0
T
in_run() { exec "$multiwalk" run box.toml --set "run.directory='$1'" "${@:2}"; }   # in a subshell
# Waits until the run in directory $1 makes steps.
steps() { for _ in $(seq 200); do grep -q 'step  ' "$1/log.txt" 2>/dev/null && break; sleep 0.05; done; }
stopped() {   # stopped DIRECTORY CODE WORDS
  [ "$2" -eq 3 ] || report "$1: exit code $2"
  ls "$1"/checkpoint_*.mwc >/dev/null 2>&1 || report "$1: no checkpoint"
  grep -q "$3" "$1/log.txt" || report "$1: no word of '$3'"
}

((in_run pipe --set time.eta=0.001); echo $? >code) | head -1 >/dev/null
stopped pipe "$(cat code)" 'standard output was closed'
for signal in HUP USR2 XCPU; do
  in_run $signal --set time.eta=0.001 --quiet 2>/dev/null &
  steps $signal; kill -$signal $!; wait $!
  stopped $signal $? "caught SIG$signal"
done
nohup "$multiwalk" run box.toml --set 'run.directory="nohup"' --set time.z_end=5 --quiet 2>/dev/null &
steps nohup; kill -HUP $!; wait $! || report "a run under nohup ended with $?"

# The output of a command that its reader has left: silent, with its files.
{ sleep 0.2; exec "$multiwalk" params --markdown 2>err.txt; } | true
[ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s err.txt ] || report "params | head: $(cat err.txt)"

# Within a block: the checkpoint is that of its start.
(in_run undisturbed --set time.max_steps=2 --quiet 2>/dev/null)
(in_run within --set time.max_steps=1 --quiet 2>/dev/null)
"$multiwalk" run --restart within --set time.max_steps=0 --set time.eta=1e-16 >within.txt 2>&1 &
for _ in $(seq 200); do grep -q substep within.txt && break; sleep 0.05; done
SECONDS=0
kill -TERM $!; wait $!
stopped within $? 'caught SIGTERM'
[ $SECONDS -lt 5 ] || report "a stop within a block took $SECONDS s"
"$multiwalk" run --restart within --set time.max_steps=2 --set time.eta=0.025 --quiet 2>/dev/null
sum() { tail -1 "$1/steps.csv" | cut -d, -f1-4; }
[ "$(sum undisturbed)" = "$(sum within)" ] || report "after a stop within a block: $(sum undisturbed) and $(sum within)"

[ $failures -eq 0 ] && echo "stops are obeyed"
exit $failures
