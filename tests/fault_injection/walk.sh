#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# walk.sh MULTIWALK FAULTS_LIBRARY MPIEXEC [POINTS [RUN...]]: lets one call after another fail (memory, opening, reading,
# writing, forcing to disk, renaming, closing, HDF5) in a small run of each kind, at up to POINTS places for each kind of call
# and run (default 3; "all": every call, but 300 of memory and of HDF5). At each place first only that call fails, then all
# calls from it on (POINTS = 1: one of the two). Within 20 s a run must end with exit code 0, with the same files and results
# as without a fault, or with exit code 1 and one line. Files with final names must be complete, and a run must be able to
# continue from them or to begin anew. Prints a table of the outcomes at the end. With MULTIWALK_QUICK=1: five kinds of run.
set -u
multiwalk=$(realpath "$1") library=$(realpath "$2") mpiexec=$3 points=${4:-3}
shift $(($# < 4 ? $# : 4))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
kinds=(open read write sync rename close memory hdf5)
declare -A walked=() good=() crashes=() failures=()

report() { echo "FAILED: $run: $where: $*"; failures[$kind]=$((${failures[$kind]:-0} + 1)); }

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
parameters ensemble box 'images = false\ncensus_epochs = 0\n[ic]\ngrid = 8\nz_start = 15\n[time]\nz_end = 11\nmax_dlna = 0.5\n[trees]\noutputs = 2\n'
sed -i -e '$a box_size = 8' -e '/^directory/d' -e 's/^error_sample.*/error_sample = 0/' ensemble.toml

# begin DIRECTORY PARAMETERS SETTING...: a run stopped after its first checkpoint, kept in DIRECTORY.
begin() {
  "$multiwalk" run "$2" "${@:3}" --set time.max_steps=1 >/dev/null
  mv run "$1" && [ -e "$1/parameters.toml" ]
}
"$multiwalk" ic box.toml -o box.hdf5 >/dev/null 2>&1 && [ -e box.hdf5 ] && begin begun sphere.toml && begin begun_direct hermite.toml ||
  { echo "FAILED: preparing"; exit 1; }

# act RUN: one small run of its kind, which writes into run/; `faulty` precedes the program that meets the fault.
act() {
  case $1 in
    sphere | box | leapfrog | hermite) faulty "$multiwalk" run "$1.toml" ;;
    ranks) faulty_rank run box.toml ;;
    ensemble) faulty "$multiwalk" ensemble ensemble.toml --seeds 3 -o run ;;
    ic) mkdir run && faulty "$multiwalk" ic box.toml -o run/snapshot.hdf5 ;;
    info) mkdir run && faulty "$multiwalk" info --check --json run/info.json box.hdf5 ;;
    image) mkdir run && faulty "$multiwalk" image box.hdf5 -o run/image.png ;;
    halos) mkdir run && faulty "$multiwalk" halos box.hdf5 --hdf5 run/halos.hdf5 --csv run/halos.csv ;;
    power) mkdir run && faulty "$multiwalk" power box.hdf5 --json run/power.json --csv run/power.csv --html run/power.html ;;
    report) cp -r begun run && rm run/report.html && faulty "$multiwalk" report run ;;
    restart) cp -r begun run && faulty "$multiwalk" run --restart run --set time.max_steps=0 ;;
    restart_direct) cp -r begun_direct run && faulty "$multiwalk" run --restart run --set time.max_steps=0 ;;
  esac
}

fault() { rm -f count crash; echo FAULT_KIND=$kind FAULT_AT=$at FAULT_AFTER=$after FAULT_COUNT=$work/count FAULT_CRASH=$work/crash LD_PRELOAD=$library; }
# shellcheck disable=SC2046
faulty() { timeout -k 5 20 env $(fault) "$@" >out.txt 2>err.txt; } 2>/dev/null  # where the shell reports signals
# The second of two ranks meets the fault. A collective call that one rank leaves out would not end in reality either.
faulty_rank() {
  # shellcheck disable=SC2046
  timeout -k 5 20 "$mpiexec" -n 1 "$multiwalk" "$@" : -n 1 env $(fault) "$multiwalk" "$@" >out.txt 2>err.txt
} 2>/dev/null

# refuses_well CODE: one line that begins with the program's name, and exit code 1; the launcher may add lines about ranks that it ended.
refuses_well() {
  # HDF5 1.10 and MPICH 4.0 use what they could not allocate.
  if [ $kind = memory ] && [ -s crash ] && grep -qE '/lib(hdf5|mpi)' crash; then
    echo "crash in $(cat crash): $run: $where"
    crashes[$kind]=$((${crashes[$kind]:-0} + 1))
    return
  fi
  [ ! -s crash ] || { report "crash in $(cat crash)"; return; }
  local lines
  lines=$(grep -v WARNING err.txt | grep -cE '^multiwalk: .*[a-z]')
  if [ "$run" = ranks ]; then
    [ "$1" -ne 0 ] && [ "$1" -lt 124 ] && [ "$lines" -ge 1 ] || report "exit code $1: $(tail -n 2 err.txt)"
    return
  fi
  [ "$1" -eq 1 ] || { report "exit code $1: $(tail -n 2 err.txt)"; return; }
  [ "$lines" -eq 1 ] && [ "$(grep -cvE 'WARNING|^initial conditions: ' err.txt)" -eq 1 ] || report "not one line: $(cat err.txt)"
}

files() { (cd "$1" && find . -type f -printf '%P\n'); }
names() { files "$1" | sed 's/checkpoint_.*/checkpoint/' | sort -u; }
checksum() { "$multiwalk" info --check --json - "$1" 2>/dev/null | sed -n 's/.*"set_checksum": "\(.*\)".*/\1/p'; }
# columns FILE: the columns of a table, without measured seconds.
columns() { case $1 in */steps.csv) cut -d, -f1-10 "$1" ;; *) cat "$1" ;; esac; }

# is_complete: a run with exit code 0 left everything that it leaves without a fault; in an ensemble each realisation, too.
is_complete() {
  local file
  [ "$(names run)" = "$(names whole_"$run")" ] || report "exit code 0, but the files are $(names run | tr '\n' ' ')"
  for file in $(files whole_"$run"); do
    case $file in
      *snapshot*.hdf5) [ "$(checksum run/$file)" = "$(checksum whole_"$run"/$file)" ] || report "exit code 0, but $file has other particles" ;;
      *.csv | *.png | power.json) cmp -s <(columns run/$file) <(columns whole_"$run"/$file) || report "exit code 0, but $file differs" ;;
      *.hdf5) [ "$(stat -c %s run/$file)" -eq "$(stat -c %s whole_"$run"/$file)" ] || report "exit code 0, but $file is shorter" ;;
    esac
  done
}

check_files() {
  local file
  for file in $(files run); do
    file=run/$file
    case $file in
      *snapshot*.hdf5) "$multiwalk" info --check "$file" >/dev/null 2>err.txt || report "$file: $(cat err.txt)" ;;
      *.hdf5) [ "$(head -c 4 "$file" | tail -c 3)" = HDF ] || report "$file is no HDF5 file" ;;
      *.partial) [ "$kind" = rename ] || [ "$kind" = memory ] || [ "$after" -eq 1 ] || [ "$run" = ranks ] || report "$file is left" ;;
      */report.json) [ "$run" = report ] || "$multiwalk" report "${file%/*}" >/dev/null 2>err.txt || report "$(cat err.txt)" ;;
      *.html) tail -c 10 "$file" | grep -q '</html>' || report "$file is cut" ;;
      *.png) tail -c 8 "$file" | grep -q IEND || report "$file is cut" ;;
      *.json) [ "$(tail -c 2 "$file")" = '}' ] || report "$file is cut" ;;
    esac
  done
}

# goes_on: a run continues from the files that are left, or begins anew, and is then complete.
goes_on() {
  if [ "$run" = ensemble ]; then
    timeout 20 "$multiwalk" ensemble ensemble.toml --seeds 3 -o run >out.txt 2>err.txt || report "no new ensemble: $(cat err.txt)"
    is_complete
  elif compgen -G 'run/checkpoint_*.mwc' >/dev/null; then
    timeout 20 "$multiwalk" run --restart run --set time.max_steps=0 >out.txt 2>err.txt || report "no restart: $(cat err.txt)"
  elif [ -e "$run.toml" ]; then
    timeout 20 "$multiwalk" run "$run.toml" --overwrite >out.txt 2>err.txt || report "no new run: $(cat err.txt)"
  elif [ "$run" != ranks ]; then
    report "the checkpoint is lost"
  fi
}

walk() {  # walk RUN KIND AT AFTER
  run=$1 kind=$2 at=$3 after=$4 where="$2 $3$([ "$4" -eq 0 ] || echo ' and after')"
  rm -rf run
  act "$run"
  local code=$?
  walked[$kind]=$((${walked[$kind]:-0} + 1))
  if [ $code -eq 0 ]; then
    good[$kind]=$((${good[$kind]:-0} + 1))
    is_complete
  else
    refuses_well $code
  fi
  [ -d run ] || return
  check_files
  case $run in sphere | box | leapfrog | hermite | ranks | restart* | ensemble) [ $code -eq 0 ] || goes_on ;; esac
}

[ $# -gt 0 ] || [ -z "${MULTIWALK_QUICK:-}" ] || set -- hermite ranks halos restart ensemble
[ $# -gt 0 ] || set -- sphere box leapfrog hermite ranks ic info image halos power report restart restart_direct ensemble
for run in "$@"; do
  rm -rf run
  kind=every at=0 after=0 where="no fault"
  act "$run" || kind=open report "$(cat err.txt)"
  mv count counts && cp -r run whole_"$run"
  for kind in "${kinds[@]}"; do
    # The number of allocations varies from run to run, so a sampled point does not always hit the same one.
    [ $points$kind != 1memory ] || continue
    calls=$(sed -n "s/^$kind //p" counts)
    [[ $calls =~ ^[0-9]+$ ]] || { report "no calls are counted"; continue; }
    case $points$kind in
      allmemory | allhdf5) most=300 ;;
      all*) most=$calls ;;
      *) most=$points ;;
    esac
    # Every write of a snapshot: the loss of one alone is seen by nobody but the reader.
    [ "$most" -le "$calls" ] && [ $run$kind != icwrite ] || most=$calls
    for ((point = 0; point < most; ++point)); do
      only=$((${walked[$kind]:-0} % 2))
      for after in 0 1; do
        [ "$most" -gt 1 ] || [ $after -eq $only ] || continue
        walk "$run" $kind $(((2 * point + 1) * calls / (2 * most) + 1)) $after
      done
    done
  done
done

printf '%-8s %8s %14s %10s %13s %11s\n' call faults 'no difference' 'a message' 'in a library' complaints
total=0 complaints=0
for kind in "${kinds[@]}"; do
  all=${walked[$kind]:-0} same=${good[$kind]:-0} inside=${crashes[$kind]:-0} bad=${failures[$kind]:-0}
  printf '%-8s %8d %14d %10d %13d %11d\n' $kind $all $same $((all - same - inside)) $inside $bad
  total=$((total + all)) complaints=$((complaints + bad))
done
echo "$total faults, $complaints complaints"
[ $complaints -eq 0 ]
