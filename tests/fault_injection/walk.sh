#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# walk.sh MULTIWALK FAULTS_LIBRARY [POINTS [KIND OF RUN...]]: lets one call after another fail (memory, opening, writing,
# forcing to disk, renaming) in a small run of each kind, at up to POINTS places for each kind of call and run (3; "all":
# every call, 300 of memory), each place twice: that one call, and all from it on (POINTS = 1: one of the two). A run must
# end well, or with exit code 1 and one line, within 20 s; what it leaves under final names must be whole; and a run must
# go on from what is left, or begin anew.
set -u
multiwalk=$(realpath "$1") library=$(realpath "$2") points=${3:-3}
shift $(($# < 3 ? $# : 3))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=1
walked=0 good=0 refused=0 crashes=0 failures=0

report() { echo "FAILED: $run: $where: $*"; failures=$((failures + 1)); }

parameters() {  # parameters NAME KIND TEXT: a small run
  printf '%b\n' "[run]\ndirectory = 'run'\nthreads = 1\n[output]\nimage_pixels = 16\nerror_sample = 5\n$3[model]\nkind = '$2'" >"$1.toml"
}
parameters sphere sphere 'redshifts = [18]\n[ic]\ngrid = 6\n[time]\nz_end = 15\nmax_dlna = 0.3\n'
sed -i '$a radius = 10' sphere.toml
parameters box box 'halos = true\nhalo_images = 0\n[ic]\ngrid = 6\n[time]\nz_end = 20\nmax_dlna = 0.2\n[force]\nmesh = 30\n'
sed -i '$a box_size = 6' box.toml
parameters leapfrog plummer '[force]\nmethod = "direct"\nsoftening = 0.05\n[time]\nt_end = 0.02\nmax_dt = 0.01\nsteps = "fixed"\n'
parameters hermite plummer 'times = [0.01]\n[force]\nsoftening = 0.05\n[time]\nintegrator = "hermite"\nt_end = 0.02\n'
sed -i '$a particles = 20' leapfrog.toml hermite.toml

"$multiwalk" ic box.toml -o box.hdf5 >/dev/null && "$multiwalk" run sphere.toml --set time.max_steps=1 >/dev/null
[ -e box.hdf5 ] && [ -e run/parameters.toml ] || { echo "FAILED: preparing"; exit 1; }
mv run begun

# act NAME: one small run of its kind; `faulty` before the program that meets the fault.
act() {
  case $1 in
    sphere | box | leapfrog | hermite) faulty "$multiwalk" run "$1.toml" ;;
    ic) mkdir run && faulty "$multiwalk" ic box.toml -o run/snapshot.hdf5 ;;
    halos) mkdir run && faulty "$multiwalk" halos box.hdf5 --hdf5 run/halos.hdf5 --csv run/halos.csv ;;
    power) mkdir run && faulty "$multiwalk" power box.hdf5 --json run/power.json --csv run/power.csv --html run/power.html ;;
    restart) cp -r begun run && faulty "$multiwalk" run --restart run --set time.max_steps=0 ;;
  esac
}

faulty() {
  rm -f count
  timeout 20 env FAULT_KIND=$kind FAULT_AT=$at FAULT_AFTER=$after FAULT_COUNT="$work/count" LD_PRELOAD="$library" "$@" \
    >out.txt 2>err.txt
} 2>/dev/null  # where the shell tells of signals

# refuses_well CODE: one line that begins with the program's name, exit code 1.
refuses_well() {
  # HDF5 1.10 uses what it could not allocate.
  if [ $kind = memory ] && [ "$1" -eq 139 ] && { grep -q libhdf5 err.txt || ! grep -q backtrace err.txt; }; then
    crashes=$((crashes + 1))
    return
  fi
  [ "$1" -eq 1 ] || { report "exit code $1: $(tail -n 2 err.txt)"; return; }
  [ "$(grep -cvE 'WARNING|^initial conditions: ' err.txt)" -eq 1 ] && grep -q '^multiwalk: .*[a-z]' err.txt || report "not one line: $(cat err.txt)"
}

check_files() {
  local file
  for file in run/*; do
    case $file in
      *snapshot*.hdf5) "$multiwalk" info --check "$file" >/dev/null 2>err.txt || report "$file: $(cat err.txt)" ;;
      *.hdf5) [ "$(head -c 4 "$file" | tail -c 3)" = HDF ] || report "$file is no HDF5 file" ;;
      *.partial) [ "$kind" = rename ] || [ "$kind" = memory ] || [ "$after" -eq 1 ] || report "$file is left" ;;
      */report.json) "$multiwalk" report run >/dev/null 2>err.txt || report "$(cat err.txt)" ;;
      *.html) tail -c 10 "$file" | grep -q '</html>' || report "$file is cut" ;;
      *.png) tail -c 8 "$file" | grep -q IEND || report "$file is cut" ;;
      *.json) [ "$(tail -c 2 "$file")" = '}' ] || report "$file is cut" ;;
    esac
  done
}

# goes_on NAME: a run continues from what is left, or begins anew.
goes_on() {
  if compgen -G 'run/checkpoint_*.mwc' >/dev/null; then
    timeout 20 "$multiwalk" run --restart run --set time.max_steps=0 >out.txt 2>err.txt || report "no restart: $(cat err.txt)"
  elif [ "$1" != restart ]; then
    timeout 20 "$multiwalk" run "$1.toml" --overwrite >out.txt 2>err.txt || report "no new run: $(cat err.txt)"
  else
    report "the checkpoint is lost"
  fi
}

walk() {  # walk RUN KIND AT AFTER
  run=$1 kind=$2 at=$3 after=$4 where="$2 $3$([ "$4" -eq 0 ] || echo ' and after')"
  rm -rf run
  act "$run"
  local code=$?
  walked=$((walked + 1))
  if [ $code -eq 0 ]; then good=$((good + 1)); else refused=$((refused + 1)); refuses_well $code; fi
  [ -d run ] || return
  check_files
  case $run in sphere | box | leapfrog | hermite | restart) [ $code -eq 0 ] || goes_on "$run" ;; esac
}

[ $# -gt 0 ] || set -- sphere box leapfrog hermite ic halos power restart
for run in "$@"; do
  for kind in open write sync rename memory; do
    rm -rf run
    at=0 after=0 where="$kind, no fault"
    act "$run" || report "$(cat err.txt)"
    calls=$(cat count)
    most=$points
    [ "$points" != all ] || most=$([ $kind = memory ] && echo 300 || echo "$calls")
    # Every write of a snapshot: the loss of one alone is seen by nobody but the reader.
    [ "$most" -le "$calls" ] && [ $run$kind != icwrite ] || most=$calls
    for ((point = 0; point < most; ++point)); do
      only=$((walked % 2))
      for after in 0 1; do
        [ "$most" -gt 1 ] || [ $after -eq $only ] || continue
        walk "$run" $kind $(((2 * point + 1) * calls / (2 * most) + 1)) $after
      done
    done
  done
done
echo "$walked faults: $good made no difference, $((refused - crashes)) ended with a message, $crashes inside HDF5, $failures complaints"
[ $failures -eq 0 ]
