#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Snapshots and catalogues as h5py, pynbody and yt read them; exit code 77, with the reason, where one is not installed.
#   test_files_in_python.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
reader=h5py
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$support/../support/find_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }

cat >sphere.toml <<'T'
[run]
directory = "sphere"
[model]
kind = "sphere"
radius = 6
[ic]
grid = 20
[time]
eta = 0.1
[output]
halos = true
error_sample = 0
census_epochs = 0
T
cat >box.toml <<'T'
[run]
directory = "box"
[model]
kind = "box"
box_size = 16
[ic]
grid = 16
z_start = 24
[force]
accuracy = "fast"
[time]
eta = 0.3
z_end = 3
[output]
error_sample = 0
census_epochs = 0
T
for model in sphere box; do
  on 2 "$multiwalk" run $model.toml >$model.log 2>&1 || fail "the run of a $model: $(tail -3 $model.log)"
done
snapshot=sphere/snapshot_000.hdf5
on 2 "$multiwalk" halos $snapshot --csv halos.csv --hdf5 fof_subhalo_tab_001.hdf5 >halos.log 2>&1 || fail "halos: $(cat halos.log)"
read_files() {
  "$python" "$support/check_halo_files.py" $reader $snapshot sphere/fof_subhalo_tab_000.hdf5 fof_subhalo_tab_001.hdf5 \
    halos.csv || fail "halos as $reader reads them"
  "$python" "$support/check_snapshot_files.py" $reader $snapshot box/snapshot_000.hdf5 || fail "snapshots as $reader reads them"
  echo "$reader reads snapshots and halos as they should be"
}
as_each_reads read_files h5py pynbody yt
