#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_includes.sh must pass a right tree and name the file in each wrong one.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# expect caught|passed FILE LINE
expect() {
  local got=passed output
  mkdir -p "$tree/$(dirname "$2")"
  printf '%s\n' '#include <vector>' "$3" >"$tree/$2"
  output=$(bash "$check" "$tree" 2>&1) || got=caught
  if [ "$got" != "$1" ] || { [ "$got" = caught ] && ! grep -q "^$2:2:" <<<"$output"; }; then
    echo "FAIL: expected $1, got $got, for '$3' in $2: $output"
    failures=1
  fi
  rm "$tree/$2"
}

expect passed host/tree/a.hpp '#include "host/base/vec3.hpp"'
expect passed device/walk/a.cu '#include "device/base/stream.cuh"'
expect passed decomposition/a.cpp '#include <mpi.h>'
expect passed ic/a.cpp '#include "decomposition/a.hpp"'
expect passed run/snapshots/write_snapshot.cpp '#include <mpi.h>'
expect passed run/a.cpp '#include <hdf5.h>'
expect passed tests/unit/a.cpp '#include "run/evolve/a.hpp"'
expect passed host/base/host_device.hpp '#if defined(__CUDACC__)'
expect caught host/tree/a.hpp '#include "device/base/devices.hpp"'
expect caught host/a.hpp '  #  include "run/parameters/parameters.hpp"'
expect caught device/a.cu '#include "decomposition/a.hpp"'
expect caught decomposition/a.hpp '#include "device/base/devices.hpp"'
expect caught ic/a.cpp '#include "analysis/forces/cost.hpp"'
expect caught ic/a.cpp '#include "device/base/devices.hpp"'
expect caught analysis/a.cpp '#include "ic/models/model.hpp"'
expect caught analysis/a.cpp '#include "run/report/report.hpp"'
expect caught run/a.cpp '#include "tests/support/a.hpp"'
expect caught host/tree/a.hpp '#include "../base/vec3.hpp"'
expect caught run/a.cpp '#include "device/base/stream.cuh"'
expect caught tests/device/a.cpp '#include "device/base/stream.cuh"'
expect passed tests/bench/a.cpp '#include "device/base/stream.cuh"'
expect passed tests/device/a.cu '#include "device/base/stream.cuh"'
expect caught host/a.cpp '#include <cuda_runtime.h>'
expect caught analysis/a.cpp '#include <mpi.h>'
expect caught run/a.cpp '#include <mpi.h>'
expect caught ic/a.cpp '#include <hdf5.h>'
expect caught host/a.cpp '#include <spdlog/spdlog.h>'
expect caught analysis/a.cpp '#include <toml++/toml.h>'
expect caught host/tree/a.cpp '#ifdef MULTIWALK_X86'
# Rooms.
expect passed run/evolve/a.cpp '#include "run/parameters/parameters.hpp"'
expect caught host/base/a.hpp '#include "host/tree/octree.hpp"'
expect caught host/attic/a.hpp '#include "host/base/vec3.hpp"'
expect caught run/evolve/a.cpp '#include "run/pages/page.hpp"'
expect caught run/parameters/a.hpp '#include "run/commands/commands.hpp"'

# Circles inside a room.
printf '#include "host/tree/b.hpp"\n' >"$tree/host/tree/a.hpp"
printf '#include "host/tree/c.hpp"\n' >"$tree/host/tree/b.hpp"
bash "$check" "$tree" >/dev/null || { echo "FAIL: a chain of includes is no circle" && failures=1; }
printf '#include "host/tree/a.hpp"\n' >"$tree/host/tree/c.hpp"
output=$(bash "$check" "$tree" 2>&1) && { echo "FAIL: a circle of includes passed" && failures=1; }
for file in a b c; do
  grep -q "circle:.*host/tree/$file.hpp" <<<"$output" || { echo "FAIL: $file.hpp is not named: $output" && failures=1; }
done
exit $failures
