#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_includes.sh [ROOT]: includes go one way between folders (ARCHITECTURE.md) and between their rooms (floors.txt),
# never in a circle; libraries stay where they belong; #if stays in host/base/host_device.hpp. Prints file:line of each
# breach; fails if there is any.
set -euo pipefail
floors=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/floors.txt
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
breaches=0
everything="host device decomposition ic analysis run tests"

# forbid WHERE PATTERN WHY [EXCEPT]: no line of the sources under WHERE matches PATTERN, save in files matching EXCEPT.
forbid() {
  local folder folders=() found
  for folder in $1; do [ ! -d "$folder" ] || folders+=("$folder"); done
  [ ${#folders[@]} -gt 0 ] || return 0
  found=$(grep -rnE --include='*.hpp' --include='*.cpp' --include='*.cu' --include='*.cuh' --include='*.h' "$2" \
    "${folders[@]}" | grep -vE "^(${4:-no_exception}):" || true)
  [ -n "$found" ] || return 0
  sed "s|\$|   <- $3|" <<<"$found"
  breaches=1
}

include() { printf '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](%s)' "$1"; }

forbid host "$(include '(device|decomposition|ic|analysis|run|tests)/')" "host includes host only"
forbid device "$(include '(decomposition|ic|analysis|run|tests)/')" "device includes device and host only"
forbid decomposition "$(include '(device|ic|analysis|run|tests)/')" "decomposition includes decomposition and host only"
forbid ic "$(include '(device|analysis|run|tests)/')" "ic includes ic, decomposition and host only"
forbid analysis "$(include '(device|ic|run|tests)/')" "analysis includes analysis, decomposition and host only"
forbid run "$(include 'tests/')" "the program does not include tests"
forbid "$everything" "$(include '\.\./')" "includes start at the root"
forbid "host decomposition ic analysis run tests" "$(include '[^">]*\.cuh')" ".cuh stays inside device/" \
  'tests/bench/.*|tests/device/.*\.cu'  # kernels without their back end
forbid "host decomposition ic analysis run" "$(include '(cuda|cub/|thrust/|cufft|nvml)')" "CUDA stays inside device/"
forbid "host device ic analysis run" "$(include 'mpi\.h')" "MPI stays inside decomposition/" 'run/snapshots/[a-z_]*\.cpp'
forbid "host device decomposition ic analysis" "$(include 'hdf5|H5|spdlog/|CLI/|toml\+\+/')" \
  "HDF5, spdlog, CLI11 and toml++ stay inside run/"
forbid "run/evolve run/records" "$(include 'CLI/|toml\+\+/|run/pages/')" "a run's science knows no command line, TOML or HTML"
forbid "host device decomposition ic analysis run" '^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif|else)\b' \
  "#if only in host/base/host_device.hpp and the choice of instruction set" 'host/base/host_device\.hpp|host/simd/.*|run/library/multiwalk_direct\.h'

# file:line including included, of the project's own files outside tests.
edges=$(grep -rnE --include='*.hpp' --include='*.cpp' --include='*.cu' --include='*.cuh' \
  "$(include '(host|device|decomposition|ic|analysis|run)/')" host device decomposition ic analysis run 2>/dev/null |
  sed -E 's|^([^:]*:[0-9]*):.*["<]([^">]*)[">].*|\1 \2|') || true

awk '
  NR == FNR { if ($0 ~ /^[a-z]+:/) { folder = $1; sub(/:/, "", folder); for (i = 2; i <= NF; ++i) floor[folder "/" $i] = i }; next }
  NF == 2 {
    file = $1; sub(/:.*/, "", file); split(file, from, "/"); split($2, to, "/")
    if (from[1] != to[1]) next
    a = from[1] "/" from[2]; b = to[1] "/" to[2]
    if (!(a in floor)) { print $1 ":   <- " a " is no room of floors.txt"; bad = 1 }
    else if (!(b in floor)) { print $1 ":   <- " b " is no room of floors.txt"; bad = 1 }
    else if (floor[b] > floor[a]) { print $1 ": includes " $2 "   <- " b " lies above " a " (floors.txt)"; bad = 1 }
  }
  END { exit bad }' "$floors" - <<<"$edges" || breaches=1

if ! circle=$(sed -E 's|:[0-9]* | |' <<<"$edges" | tsort 2>&1 >/dev/null); then
  echo "files include each other in a circle: $(grep -v 'contains a loop' <<<"$circle" | sed 's|^tsort: ||' | tr '\n' ' ')"
  breaches=1
fi
exit $breaches
