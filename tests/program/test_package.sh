#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_package.sh BUILD_FOLDER: installs into an empty folder, then builds and runs programs that find multiwalk there.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
for notice in COPYRIGHT LICENSE THIRD_PARTY.md; do
  cmp "$here/../../$notice" "$work/prefix/share/doc/multiwalk/$notice" || { echo "$notice is not installed"; exit 1; }
done
cache() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake -S "$here/package" -B "$work/build" -Dmultiwalk_ROOT="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$(cache CMAKE_PREFIX_PATH)" -DCMAKE_LIBRARY_ARCHITECTURE="$(cache CMAKE_LIBRARY_ARCHITECTURE)" \
  -DCMAKE_LIBRARY_PATH="$(cache CMAKE_LIBRARY_PATH)" -DCMAKE_BUILD_RPATH="$(cache CMAKE_BUILD_RPATH)" \
  -DMPI_C_COMPILER="$(cache MPI_C_COMPILER)" -DMPI_CXX_COMPILER="$(cache MPI_CXX_COMPILER)" \
  -DHDF5_C_COMPILER_EXECUTABLE="$(cache HDF5_C_COMPILER_EXECUTABLE)" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build"
"$work/build/use_multiwalk"
bash "$here/test_direct_library.sh" "$work/prefix"
