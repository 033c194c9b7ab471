#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_package.sh BUILD_FOLDER: installs into an empty folder, then builds and runs programs that find multiwalk there.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Whatever is copied from the build folder is there once the target `installed` is built, or made by configuring or, as
# the completions, by installing.
ninja -C "$build" -t commands installed >"$work/commands"
sed -n "s#.*\"\($build/[^\"]*\)\".*#\1#p" $(find "$build" -maxdepth 3 -name cmake_install.cmake) | grep -v /completions/ | grep -E '/(lib[^/]*\.(so|a)|multiwalk)$' |
  sort -u >"$work/copied"
[ "$(wc -l <"$work/copied")" -ge 6 ] || { echo "what is installed is not found: $(cat "$work/copied")"; exit 1; }
while read -r file; do
  grep -qE -- "(-o|ar qc) ${file#"$build/"}[. ]" "$work/commands" || { echo "run/quickstart.sh does not build $file, which is installed"; exit 1; }
done <"$work/copied"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
bash -c 'source "$1" && complete -p multiwalk' - "$work/prefix/share/bash-completion/completions/multiwalk" >/dev/null ||
  { echo "completion is not installed"; exit 1; }
grep -q '#compdef multiwalk' "$work/prefix/share/zsh/site-functions/_multiwalk"
for page in README.md run/COMMANDS.md run/examples/README.md run/examples/demo.toml run/examples/results/README.md ic/INITIAL_CONDITIONS.md; do
  cmp "$here/../../$page" "$work/prefix/share/doc/multiwalk/$page" || { echo "$page is not installed"; exit 1; }
done
for notice in COPYRIGHT LICENSE THIRD_PARTY.md; do
  cmp "$here/../../$notice" "$work/prefix/share/doc/multiwalk/$notice" || { echo "$notice is not installed"; exit 1; }
done
cache() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake -G Ninja -S "$here/package" -B "$work/build" -Dmultiwalk_ROOT="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$(cache CMAKE_PREFIX_PATH)" -DCMAKE_LIBRARY_ARCHITECTURE="$(cache CMAKE_LIBRARY_ARCHITECTURE)" \
  -DCMAKE_LIBRARY_PATH="$(cache CMAKE_LIBRARY_PATH)" -DCMAKE_BUILD_RPATH="$(cache CMAKE_BUILD_RPATH)" \
  -DMPI_C_COMPILER="$(cache MPI_C_COMPILER)" -DMPI_CXX_COMPILER="$(cache MPI_CXX_COMPILER)" \
  -DHDF5_C_COMPILER_EXECUTABLE="$(cache HDF5_C_COMPILER_EXECUTABLE)" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build"
"$work/build/use_multiwalk"
bash "$here/test_direct_library.sh" "$work/prefix"
