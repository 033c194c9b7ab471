#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills run, ensemble, movie, halos --trees and sky with SIGKILL at random moments, up to three times in a row, and gives the
# same command again (a run: --restart). Then all files are there, with the same contents as without a kill: the bits but for
# measured times and names of runs.
#   test_kills.sh MULTIWALK   (MULTIWALK_KILLS: their number, by default 40, with MULTIWALK_QUICK=1 5)
set -u
multiwalk=$(realpath "$1")
kills=${MULTIWALK_KILLS:-$([ -n "${MULTIWALK_QUICK:-}" ] && echo 5 || echo 40)}
source "$(dirname "${BASH_SOURCE[0]}")/../resumed_runs.sh"
trap 'kill -9 %1 2>/dev/null; rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

cat >ensemble.toml <<'T'
[run]
threads = 1
deterministic = true
checkpoint_every = "0.1 s"
[model]
kind = "box"
box_size = 50
[ic]
grid = 12
z_start = 9
[time]
z_end = 0
eta = 0.15
[force]
accuracy = "fast"
[output]
images = false
error_sample = 0
census_epochs = 0
halos = true
redshifts = [1]
[trees]
outputs = 4
first_redshift = 4
T
sed 's/^threads = 1/&\ndirectory = "of_run"/' ensemble.toml >run.toml
cat >>run.toml <<'T'
[lightcone]
particles = true
halos = true
shells = true
observer = [1, 25, 49]
z_far = 0.05
shell_count = 2
nside = 16
[grids]
cells = 8
redshifts = [2, 0]
[planes]
pixels = 8
redshifts = [2, 0.5]
T

# act KIND: the command, which writes into of_KIND; given again it completes what is missing.
act() {
  case $1 in
    run)
      if [ -e of_run/parameters.toml ]; then set -- --restart of_run; else set -- run.toml --overwrite; fi
      exec "$multiwalk" run "$@" --quiet ;;
    ensemble) exec "$multiwalk" ensemble ensemble.toml --seeds 3:5 -o of_ensemble --quiet ;;
    movie) mkdir -p of_movie && exec "$multiwalk" movie whole_run -o of_movie/movie.mp4 --seconds 1 --rate 4 --pixels 64 --keep-frames ;;
    halos) exec "$multiwalk" halos whole_run/snapshot_00*.hdf5 --trees of_halos ;;
    sky) mkdir -p of_sky && cp -n whole_run/{lightcone_shell_*,parameters.toml,report.json} of_sky && exec "$multiwalk" sky of_sky ;;
  esac
}

# Names of files of which the same number and contents are expected.
files() { (cd "$1" && find . -type f ! -name 'checkpoint_*' ! -name 'tracks_*' ! -name '*.partial' | sort); }
# contents FILE: what does not differ from run to run.
contents() {
  case $1 in
    *snapshot_*.hdf5) checksum "$1" ;;
    *steps.csv) cut -d, -f1-10 "$1" ;;
    *log.txt | *parameters.toml | *report.html | *ensemble.h*) head -c 4 "$1" | tail -c 3 ;;
    *report.json) tr -d ' \n' <"$1" | grep -o '"finished":[a-z]*' ;;
    *ensemble.json) grep -o '"state": .*' "$1" ;;
    *) cat "$1" ;;
  esac
}
# compare KIND
compare() {
  local file
  diff <(files whole_"$1") <(files of_"$1") || fail "$1: other files than without a kill"
  while read -r file; do
    cmp -s <(contents whole_"$1/$file") <(contents of_"$1/$file") || fail "$1: $file differs"
  done < <(files whole_"$1")
}

kinds=(run ensemble movie halos sky)
declare -A took=()
for kind in "${kinds[@]}"; do
  began=$(date +%s%N)
  (act "$kind") >"$kind".log 2>&1 || fail "$kind without a kill"
  took[$kind]=$((($(date +%s%N) - began) / 1000000))
  [ "$(files of_"$kind" | wc -l)" -ge 4 ] || fail "$kind wrote too few files"
  mv of_"$kind" whole_"$kind"
done

killed=0 rounds=0 late=0
while [ $killed -lt "$kills" ]; do
  kind=${kinds[rounds % ${#kinds[@]}]}
  rm -rf of_"$kind"
  for ((row = RANDOM % 3; row >= 0; --row)); do
    (act "$kind") >>"$kind".log 2>&1 &
    sleep "$(printf '%d.%03d' $(((wait = RANDOM * ${took[$kind]} / 30000) / 1000)) $((wait % 1000)))"
    if kill -9 $! 2>/dev/null; then killed=$((killed + 1)); else late=$((late + 1)); fi
    wait $! 2>/dev/null
  done
  (act "$kind") >>"$kind".log 2>&1 || fail "$kind after kills"
  compare "$kind"
  rounds=$((rounds + 1))
done
echo "$killed kills (and $late too late) in $rounds rounds of ${kinds[*]}: all files as undisturbed"
