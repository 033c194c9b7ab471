#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Subhalos and merger trees as a user meets them: while a run goes, and from its snapshots on one, two and three ranks, the
# same bytes; through kills at any time.
#   test_trees.sh MPIEXEC NUMPROC_FLAG MULTIWALK [KILLS] (or MULTIWALK_KILLS in the environment; with MULTIWALK_QUICK=1: one)
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../on_ranks.sh"
kills=${MULTIWALK_KILLS:-${4:-6}}
[ -z "${MULTIWALK_QUICK:-}" ] || kills=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

cat >run.toml <<'T'
[run]
directory = "whole"
checkpoint_every = "0.2 s"
deterministic = true
threads = 1
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
redshifts = [2, 1, 0.5]
images = false
power = false
error_sample = 0
census_epochs = 0
[trees]
redshifts = [2, 1, 0.5, 0]
T
same_trees() {   # same_trees FOLDER FOLDER
  local n
  for n in 000 001 002 003; do cmp {"$1","$2"}/fof_subhalo_hbt_tab_$n.0.hdf5 || fail "$1 and $2 differ at output $n"; done
  cmp {"$1","$2"}/trees.hdf5 && cmp {"$1","$2"}/main_branches.csv || fail "the trees of $1 and $2 differ"
}

"$multiwalk" run run.toml >whole.log 2>&1 || fail "the run: $(tail -3 whole.log)"
grep -q 'subhalos: 4 tree outputs with' whole/log.txt || fail "no word of trees: $(tail -3 whole/log.txt)"
[ "$(wc -l <whole/main_branches.csv)" -gt 20 ] || fail "few main branches"
grep -q 'data-kind="trees"' whole/trees.html || fail "no page of trees"
[ "$(ls whole/tracks_*.hdf5 | wc -l)" -eq "$(ls whole/checkpoint_*.mwc | wc -l)" ] || fail "tracks of old checkpoints"

for ranks in 1 2 3; do
  on $ranks "$multiwalk" halos whole/snapshot_00[3120].hdf5 --min-particles 20 --trees stored_$ranks >stored.log 2>&1 ||
    fail "halos --trees on $ranks: $(cat stored.log)"
done
same_trees stored_1 stored_2
same_trees stored_1 stored_3

# Killed at any time, the run ends with the same files.
killed=0
while [ $killed -lt "$kills" ]; do
  rm -rf killed
  while true; do
    if [ -e killed/parameters.toml ]; then
      "$multiwalk" run --restart killed >>killed.log 2>&1 &
    else
      "$multiwalk" run run.toml --set 'run.directory="killed"' --overwrite >>killed.log 2>&1 &
    fi
    [ $killed -ge "$kills" ] && break
    sleep "$((RANDOM % 2)).$((RANDOM % 90 + 10))"
    kill -9 $! 2>/dev/null || break
    wait $! 2>/dev/null
    killed=$((killed + 1))
  done
  wait $! || fail "the run after $killed kills: $(tail -3 killed.log)"
  same_trees whole killed
done

refused() {
  local pattern=$1 text
  shift
  text=$("$@" 2>&1) && fail "accepted: $*"
  grep -q "$pattern" <<<"$text" || fail "'$pattern' is not in: $text"
}
refused 'need --trees DIRECTORY' "$multiwalk" halos whole/snapshot_000.hdf5 whole/snapshot_001.hdf5
refused 'are of the same time' "$multiwalk" halos whole/snapshot_000.hdf5 whole/snapshot_000.hdf5 --trees twice
rm whole/tracks_*.hdf5
refused 'tracks_.*is missing' "$multiwalk" run --restart whole --set time.z_end=-0.01
[ $failures -eq 0 ] && echo "trees of a run, of its snapshots on 1, 2 and 3 ranks, and after $killed kills agree"
exit $((failures > 0))
