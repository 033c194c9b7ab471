#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run with evenly spaced outputs and a movie of it, with and without ffmpeg; orbits of few bodies; what is refused.
#   test_movie.sh MULTIWALK [ffmpeg]     with ffmpeg: only what it makes; 77 without it
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
matching=(-qiE)
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >run.toml <<'T'
[run]
directory = "run"
[model]
kind = "two_body"
[force]
softening = 0
[time]
integrator = "hermite"
t_end = 3
[output]
evenly_spaced = 3
image_pixels = 64
T
"$multiwalk" run run.toml >run.txt 2>&1 || { cat run.txt; report "a run of two bodies"; }
[ -s run/snapshot_002.hdf5 ] && [ -s run/image_002.png ] && [ ! -e run/snapshot_003.hdf5 ] || report "three outputs"
cmp -s run/image_000.png run/image_002.png && report "orbits did not grow"

movie() { "$multiwalk" movie run --seconds 0.4 --pixels 33 "$@"; }
mkdir without
PATH=$work/without movie -o none.mp4 >movie.txt || report "a movie without ffmpeg"
grep -q 'ffmpeg -y .*none.mp4.frames/frame_%05d.png.*none.mp4$' movie.txt || report "no command of ffmpeg: $(cat movie.txt)"
[ "$(find none.mp4.frames -name 'frame_000*.png' | wc -l)" -eq 10 ] && [ ! -e none.mp4 ] || report "frames without ffmpeg"
printf '#!/bin/sh\nexit 3\n' >without/ffmpeg && chmod +x without/ffmpeg
(export PATH=$work/without:$PATH; refuses 'ffmpeg failed with exit code 3; the frames are in bad.mp4.frames' movie -o bad.mp4; exit $failures) || report "a failing ffmpeg"
[ ! -e bad.mp4 ] && [ ! -e bad.mp4.partial ] || report "a movie of a failing ffmpeg"
if [ "${2:-}" = ffmpeg ]; then
  command -v ffmpeg >/dev/null || { echo "SKIPPED, not tested here: movies by ffmpeg (apt-get install ffmpeg)" && exit 77; }
  movie -o good.mp4 >movie.txt && [ -s good.mp4 ] && [ ! -e good.mp4.frames ] || report "a movie: $(cat movie.txt)"
  "$multiwalk" movie run/image_00*.png --seconds 1 -o images.mp4 >movie.txt && [ -s images.mp4 ] || report "a movie of images"
  exit $failures
fi
refuses 'fewer than two snapshots' "$multiwalk" movie without
refuses 'at least two snapshots' "$multiwalk" movie run/snapshot_000.hdf5
refuses 'order of time' "$multiwalk" movie run/snapshot_001.hdf5 run/snapshot_000.hdf5 --seconds 0.2 --pixels 32 -o no.mp4
refuses 'snapshots or images' "$multiwalk" movie run/image_000.png run/snapshot_000.hdf5 -o no.mp4
refuses 'seconds' movie --seconds 0
refuses 'slab' movie --slab none -o no.mp4
[ ! -e no.mp4 ] || report "a refused movie"
exit $failures
