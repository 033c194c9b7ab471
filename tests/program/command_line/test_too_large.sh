#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_too_large.sh MULTIWALK: what does not fit into memory or onto the disk is refused before anything is written, in a line
# that says how much it needs and what would fit; what fits is not refused.
set -u
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=1
failures=0
report() {
  echo "FAIL: $1"
  failures=$((failures + 1))
}

cat >box.toml <<'TOML'
[run]
directory = "made"
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

# refuses PATTERN COMMAND...: with 4 GB of address space, and no file is left.
refuses() {
  local pattern=$1 code
  shift
  (ulimit -v 4000000; timeout 60 "$@") >out 2>err
  code=$?
  [ $code -eq 1 ] || report "exit code $code: $*: $(cat err)"
  [ "$(wc -l <err)" = 1 ] && grep -qE "$pattern" err || report "$*: $(cat err)"
  [ "$(ls)" = "$files" ] || report "$* leaves files: $(ls)"
}

touch out err snap.hdf5
"$multiwalk" ic box.toml -o snap.hdf5 >out 2>err || report "ic: $(cat err)"
files=$(ls)
limit='ulimit -v or -d leaves this process [0-9.]+ GiB'
for command in "run box.toml" "ensemble box.toml --seeds 1,2 -o many"; do
  refuses "16777216000 particles needs about [0-9]+ GiB of memory, but $limit: the largest ic.grid that fits is [0-9]+;" \
    "$multiwalk" $command --set ic.grid=2560
  refuses "but $limit: without grids.cells = 4096 it needs [0-9.]+ MiB" "$multiwalk" $command --set grids.cells=4096
  refuses 'need at least [0-9]+ GiB, and its disk has [0-9.]+ [GM]iB of free space' \
    "$multiwalk" $command --set output.evenly_spaced=100000 --set grids.cells=400
done
refuses "without planes.pixels = 32768" "$multiwalk" run box.toml --set planes.pixels=32768
refuses "without lightcone.nside = 16384" "$multiwalk" run box.toml --set lightcone.shells=true \
  --set lightcone.nside=16384 --set lightcone.z_near=8.92 --set lightcone.z_far=8.95
refuses "without output.image_pixels = 16384" "$multiwalk" run box.toml --set output.images=true \
  --set output.image_pixels=16384
refuses "without force.mesh = 2048" "$multiwalk" run box.toml --set force.mesh=2048
refuses "the largest ic.grid that fits is" "$multiwalk" ic box.toml --set ic.grid=2560 -o ic.hdf5
refuses 'power --mesh 4096 needs about 102[45] GiB of memory' "$multiwalk" power snap.hdf5 --mesh 4096
refuses 'pixels 16384 needs about 12.5 GiB of memory' "$multiwalk" image snap.hdf5 --pixels 16384 -o image.png

(ulimit -v 4000000; "$multiwalk" run box.toml --quiet) 2>err || report "a run that fits: $(cat err)"
[ -s made/report.json ] || report "a run that fits wrote no report"
exit $((failures > 0))
