#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Density grids and lens planes of a small box are those of its snapshots; several ranks write the same files from the same
# particles; a run that is killed with SIGKILL again and again ends with the same files.
#   test_maps.sh MPIEXEC NUMPROC_FLAG MULTIWALK [KILLS] (or MULTIWALK_KILLS in the environment; with MULTIWALK_QUICK=1: one)
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/../on_ranks.sh"
check=$here/check_maps.py
reader=astropy,scipy
source "$here/../../support/find_python.sh"
kills=${MULTIWALK_KILLS:-${4:-5}}
[ -z "${MULTIWALK_QUICK:-}" ] || kills=1
source "$here/../resumed_runs.sh"
trap 'kill -9 %1 2>/dev/null; rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "whole"
checkpoint_every = "0.05 s"
threads = 1
[model]
kind = "box"
box_size = 60
[ic]
grid = 16
z_start = 9
[time]
z_end = 0
eta = 0.08
[force]
accuracy = "fast"
[output]
redshifts = [1]
images = false
error_sample = 0
census_epochs = 0
[grids]
cells = 20
redshifts = [0.5, 9, 1]
[planes]
pixels = 24
slabs = 2
normals = [0, 2]
T

"$multiwalk" run run.toml >whole.log 2>&1 || fail "the undisturbed run"
"$python" "$check" whole || fail "the maps of the box"
grep -q 'density grids: wrote 3 files' whole.log || fail "no word of the grids"
grep -q 'lens planes: wrote 4 files' whole.log || fail "no word of the planes"

# Killed anywhere, and continued.
compare() { "$python" "$check" "$1" whole || fail "other maps after kills"; }
kill_and_resume "$kills" 5 compare
echo "$done_kills kills in $round runs: the same maps"

# From one snapshot on 1 and 3 ranks: before the forces differ in their last digits, the maps are the same.
cat >again.toml <<'T'
[run]
threads = 1
[model]
kind = "file"
file = "whole/snapshot_000.hdf5"
[time]
z_end = 0.99999999
[output]
images = false
snapshots = false
error_sample = 0
census_epochs = 0
[grids]
cells = 20
assignment = "pcs"
[planes]
pixels = 24
slabs = 2
T
"$multiwalk" run again.toml --set 'run.directory="one"' >one.log 2>&1 || fail "going on with one rank"
on 3 "$multiwalk" run again.toml --set 'run.directory="three"' >three.log 2>&1 || fail "going on with 3 ranks"
"$python" "$check" three one || fail "3 ranks write other maps"
at_start() { "$@" --set 'grids.redshifts=[1]' --set 'planes.redshifts=[1]' --set 'grids.assignment="cic"' >start.log 2>&1; }
at_start "$multiwalk" run again.toml --set 'run.directory="start"' || fail "maps of the start"
at_start on 3 "$multiwalk" run again.toml --set 'run.directory="start_three"' || fail "maps of the start on 3 ranks"
for run in start start_three; do
  "$python" "$check" $run start whole/snapshot_000.hdf5 || fail "$run: the maps of the start"
done

# --overwrite removes them, and a run that cannot have them is refused.
"$multiwalk" run again.toml --set 'run.directory="one"' --set grids.cells=0 --set planes.pixels=0 --overwrite >two.log 2>&1 ||
  fail "overwriting"
[ -z "$(ls one | grep -E 'grid_|snap[0-9]')" ] || fail "maps are left behind"
"$multiwalk" run again.toml --set 'run.directory="early"' --set 'grids.redshifts=[1.5]' >refused.log 2>&1 &&
  fail "a grid before the start"
grep -q 'grids.redshifts: 1.5 lies before the start' refused.log || fail "no word of the start"
"$multiwalk" run run.toml --set 'run.directory="sphere"' --set 'model.kind="sphere"' --set model.radius=20 >refused.log 2>&1 &&
  fail "grids of a sphere"
grep -q 'for periodic boxes' refused.log || fail "no word of boxes"
