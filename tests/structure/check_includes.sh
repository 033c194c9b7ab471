#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_includes.sh [ROOT]: includes go one way (README, "Folders"), libraries stay where they belong, and #if stays in
# host/base/host_device.hpp. Prints file:line of each breach; fails if there is any.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
breaches=0

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
everything="host device decomposition ic analysis run tests"

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
forbid "host device ic analysis run" "$(include 'mpi\.h')" "MPI stays inside decomposition/" 'run/(snapshot|checkpoint)[a-z_]*\.cpp'
forbid "host device decomposition ic analysis" "$(include 'hdf5|H5|spdlog/|CLI/|toml\+\+/')" \
  "HDF5, spdlog, CLI11 and toml++ stay inside run/"
forbid "host device decomposition ic analysis run" '^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif|else)\b' \
  "#if only in host/base/host_device.hpp and the choice of instruction set" 'host/base/host_device\.hpp|host/simd/.*|run/library/multiwalk_direct\.h'
exit $breaches
