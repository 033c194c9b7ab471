#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a run in a periodic box leaves at its outputs: spectra, catalogues, pictures, in the report too. A run stopped
# after its first output and gone on with has each once, with the same bits; the spectrum is that of `multiwalk power`.
#   test_box_outputs.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/shown_text.sh"
source "$support/resumed_runs.sh"
trap 'rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "whole"
deterministic = true
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
z_end = 1
[output]
redshifts = [3]
halos = true
halo_images = 2
image_pixels = 64
error_sample = 0
T

on 2 "$multiwalk" run run.toml >whole.log 2>&1 || fail "the run"
for number in 000 001; do
  [ -s whole/power_$number.csv ] && [ -s whole/image_$number.png ] || fail "no spectrum or image $number"
done
[ -s whole/image_001_halo_0.png ] || fail "no picture of a halo"
for words in 'Clustering by scale' 'Growth of the largest modes' 'linear theory' 'image_001_halo_1.png'; do
  shows whole/report.html "$words" || fail "the report lacks '$words'"
done
# What fast chose, not what was given.
flat=$(tr -d ' \n' <whole/report.json)
for words in '"mac":"relative"' '"alpha":0.01' '"file":"power_001.csv"' '"snapshot":"snapshot_001.hdf5"'; do
  grep -q "$words" <<<"$flat" || fail "report.json lacks $words"
done

steps=$(sed -n 's/^finished: \([0-9]*\) steps.*/\1/p' whole.log)
on 2 "$multiwalk" run run.toml --set 'run.directory="parts"' --set time.max_steps=$((steps - 2)) >parts.log 2>&1
[ $? -eq 3 ] || fail "the first part"
[ -s parts/power_000.csv ] && [ ! -e parts/power_001.csv ] || fail "the first part's outputs"
on 2 "$multiwalk" run --restart parts --set time.max_steps=0 >parts.log 2>&1 || fail "the second part"
for file in power_000.csv power_001.csv image_001_halo_0.png; do
  cmp {whole,parts}/$file || fail "$file of a run gone on with"
done
[ "$(grep -o '"file": "power_[0-9]*.csv"' parts/report.json | sort | uniq -c | awk '$1 == 1' | wc -l)" -eq 2 ] ||
  fail "spectra in the report of a run gone on with"
ls parts/power_002.csv 2>/dev/null && fail "a spectrum too many"

# Snapshots are in kpc/h: the last digits differ.
"$multiwalk" power whole/snapshot_001.hdf5 --folds 2 --csv power.csv >/dev/null || fail "power of the snapshot"
paste -d, power.csv whole/power_001.csv | awk -F, 'NR > 1 {
  for (i = 1; i <= 7; i++) { d = $i - $(i + 7); if (d * d > 1e-12 * $i * $i) { print; bad = 1 } } n++ }
  END { exit bad || n < 10 }' || fail "the spectrum is not that of multiwalk power"

echo "outputs of a box, at once and with a break: as they should be"
exit_unless_shown
