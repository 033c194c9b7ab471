#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Catalogues of subhalos and merger trees as ytree and yt read them; exit code 77, with the reason, without them.
#   test_trees_in_python.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
reader=h5py
source "$(dirname "${BASH_SOURCE[0]}")/../on_ranks.sh"
source "$support/../support/find_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }

cat >run.toml <<'T'
[run]
directory = "run"
[model]
kind = "box"
box_size = 12
[ic]
grid = 24
z_start = 24
[force]
accuracy = "fast"
[time]
eta = 0.3
[output]
snapshots = false
images = false
power = false
error_sample = 0
census_epochs = 0
[trees]
outputs = 12
first_redshift = 6
T
on 2 "$multiwalk" run run.toml >run.log 2>&1 || fail "the run: $(tail -3 run.log)"
read_files() {
  "$python" "$support/trees/check_tree_files.py" $reader run || fail "subhalos and trees as $reader reads them"
  echo "$reader reads subhalos and trees as they should be"
}
as_each_reads read_files ytree yt
