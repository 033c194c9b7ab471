#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No command writes over a file that it reads, by whatever name or link, nor removes what it did not make.
#   test_inputs_kept.sh MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=2

cat >box.toml <<'T'
[run]
directory = "run"
[model]
kind = "box"
box_size = 20
[ic]
grid = 8
z_start = 9
[time]
z_end = 7
[output]
redshifts = [8]
images = false
error_sample = 0
census_epochs = 0
T
box() { "$multiwalk" run box.toml --quiet "$@"; }
box || report "making a run"
cp run/snapshot_001.hdf5 in.hdf5
ln in.hdf5 hard.hdf5
ln -s in.hdf5 soft.hdf5
mkdir folder
sums() { md5sum in.hdf5 box.toml run/* | md5sum; }
before=$(sums)

# Every output of every command, under the input's own name and others.
is='is the input of this command'
for out in in.hdf5 ./in.hdf5 folder/../in.hdf5 soft.hdf5 hard.hdf5; do
  refuses "$is" "$multiwalk" halos in.hdf5 --hdf5 $out
  refuses "$is" "$multiwalk" convert in.hdf5 $out
done
refuses "$is" "$multiwalk" convert soft.hdf5 in.hdf5
for name in csv json html png txt; do ln in.hdf5 input.$name; done
refuses "$is" "$multiwalk" image in.hdf5 -o input.png
refuses "$is" "$multiwalk" power in.hdf5 --csv input.csv
refuses "$is" "$multiwalk" power in.hdf5 --json input.json
refuses "$is" "$multiwalk" power in.hdf5 --html input.html
refuses "$is" "$multiwalk" halos in.hdf5 --min-particles 20 --csv input.csv
refuses "$is" "$multiwalk" accuracy in.hdf5 --sample 5 --json input.json
refuses "$is" "$multiwalk" info in.hdf5 --json input.json
refuses "$is" "$multiwalk" plan in.hdf5 --json input.json
refuses "$is" "$multiwalk" bench forces --model in.hdf5 --json input.json
ln box.toml set.json && ln box.toml set.h5
refuses "$is" "$multiwalk" plan box.toml --json set.json
refuses "$is" "$multiwalk" bench steps box.toml --json set.json
refuses "$is" "$multiwalk" ic box.toml -o set.h5
seq 1 40 | awk '{print $1 / 50, 1000 / $1}' >pk.txt
refuses "$is" "$multiwalk" power in.hdf5 --transfer pk.txt --csv pk.txt
refuses "$is" "$multiwalk" power in.hdf5 --csv pk.txt --transfer pk.txt
refuses "$is" "$multiwalk" halos in.hdf5 --transfer pk.txt --csv pk.txt
cp in.hdf5 out.csv.partial
refuses "$is" "$multiwalk" power out.csv.partial --csv out.csv

# Members of a set, named or found.
"$multiwalk" ic box.toml -o split.hdf5 --set output.files_per_snapshot=3 >/dev/null || report "a set of files"
"$multiwalk" info split.hdf5 >out.txt 2>&1 && grep -q '^particles *512$' out.txt || report "the base name of a set: $(cat out.txt)"
cp split.0.hdf5 kept.hdf5
refuses "$is" "$multiwalk" convert split split.2.hdf5
refuses "$is" "$multiwalk" halos split.1.hdf5 --hdf5 split.2.hdf5
refuses "$is" "$multiwalk" convert split.hdf5 split.0.hdf5
cmp -s kept.hdf5 split.0.hdf5 || report "a member of the input was replaced"

# Two outputs of one name, and names that promise another format.
refuses 'name the same file' "$multiwalk" power in.hdf5 --json ./same --csv same
refuses 'name the same file' "$multiwalk" halos in.hdf5 --html folder/../same --csv same
refuses 'ends in .png' "$multiwalk" image in.hdf5 -o x.pdf
refuses 'ends in .mp4' "$multiwalk" movie run -o x.gif
refuses 'ends in .csv' "$multiwalk" power in.hdf5 --csv x.hdf5
[ "$before" = "$(sums)" ] || report "a refused command changed a file"

# Frames: only those that movie made.
frames=film.mp4.frames
mkdir -p $frames/keep && echo precious >$frames/keep/thesis.txt
refuses 'was not made by multiwalk movie' "$multiwalk" movie run -o film.mp4 --seconds 0.1 --pixels 16
[ -e $frames/keep/thesis.txt ] || report "somebody's folder was removed"
rm -r $frames && ln -s folder $frames
refuses 'was not made by multiwalk movie' "$multiwalk" movie run -o film.mp4 --seconds 0.1 --pixels 16
rm $frames
"$multiwalk" movie run -o film.mp4 --seconds 0.2 --pixels 16 --keep-frames >/dev/null || report "a movie"
echo mine >$frames/notes.txt
refuses 'own frames' "$multiwalk" movie $frames/frame_00000.png $frames/frame_00001.png -o film.mp4
[ -e $frames/frame_00001.png ] || report "a movie removed its sources"
"$multiwalk" movie run -o film.mp4 --seconds 0.1 --pixels 16 --keep-frames >/dev/null || report "a movie again"
[ ! -e $frames/frame_00004.png ] && [ -e $frames/notes.txt ] || report "own frames: $(ls $frames)"

# Directories.
refuses 'holds a run' "$multiwalk" halos run/snapshot_*.hdf5 --trees run
refuses 'is read by this run' "$multiwalk" run run/parameters.toml --overwrite
[ "$before" = "$(sums)" ] || report "a run's directory was changed"
cp pk.txt run/power_000.csv
refuses 'lies in run.directory|is read by this run' box --overwrite --set 'cosmology.transfer="file"' --set 'cosmology.transfer_file="run/power_000.csv"'
rm run/power_000.csv

# Links in a run's directory, to files and to nothing, are not followed by whatever the run writes.
cp -r run links
echo precious >target
for target in ../target ../nowhere; do
  for name in report.html report.json parameters.toml snapshot_000.hdf5 snapshot_001.hdf5 power_000.csv sizes.json checkpoint_00000001.mwc; do
    ln -sf $target links/$name
  done
  box --set 'run.directory="links"' --overwrite 2>err.txt || report "--overwrite with links: $(cat err.txt)"
  [ "$(cat target)" = precious ] && [ ! -e nowhere ] || report "a run wrote through a link to $target"
done
ln -sf ../nowhere links/report.html && ln -sf ../target links/parameters.toml
"$multiwalk" report links >/dev/null 2>err.txt || report "report with a link: $(cat err.txt)"
[ "$(cat target)" = precious ] && [ ! -e nowhere ] || report "report wrote through a link"
rm -r links
for name in log.txt steps.csv; do
  cp -r run links && ln -sf ../nowhere links/$name
  refuses 'is a link' "$multiwalk" run --restart links --quiet --set time.z_end=6.9
  [ ! -e nowhere ] || report "$name: a restart wrote through a link"
  rm -r links
done
cp -al run backup
saved=$(md5sum <backup/log.txt)$(md5sum <backup/steps.csv)
"$multiwalk" run --restart run --set time.z_end=6.9 --quiet 2>err.txt || report "a restart beside a backup: $(cat err.txt)"
[ "$saved" = "$(md5sum <backup/log.txt)$(md5sum <backup/steps.csv)" ] || report "a restart changed a backup of hard links"

[ $failures -eq 0 ] && echo "no command wrote over what it reads"
exit $failures
