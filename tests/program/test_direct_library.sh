#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_direct_library.sh PREFIX: the examples of the direct library, and the one of PAIR_INTERACTIONS.md, built outside the
# source tree from what is installed in PREFIX, with CMake and with pkg-config; then run.
set -euo pipefail
prefix=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root"/run/library/examples/* "$work"
cd "$work"
fortran=$(command -v gfortran || command -v ifx || command -v flang-new || true)

cmake -G Ninja -S . -B build -Dmultiwalk_ROOT="$prefix" -DCMAKE_BUILD_TYPE=Release >log 2>&1 || { cat log; exit 1; }
cmake --build build
build/direct_forces
build/direct_jerks

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name multiwalk_direct.pc)")
export PKG_CONFIG_PATH
mkdir by_hand
read -ra flags <<<"$(pkg-config --cflags --libs multiwalk_direct) -Wl,-rpath,$(pkg-config --variable=libdir multiwalk_direct)"
cc -std=c99 -Wall -Wextra -Werror direct_forces.c -o by_hand/direct_forces "${flags[@]}" -lm
c++ -std=c++17 -Wall -Wextra -Werror direct_jerks.cpp -o by_hand/direct_jerks "${flags[@]}"
by_hand/direct_forces
by_hand/direct_jerks

if [ -n "$fortran" ]; then
  build/direct_energy
  "$fortran" "$(pkg-config --variable=fortran_module multiwalk_direct)" direct_energy.f90 -o by_hand/direct_energy "${flags[@]}"
  by_hand/direct_energy
else
  echo "SKIPPED, not tested here: the Fortran example, without a Fortran compiler (apt-get install gfortran)"
fi

needed=$(readelf -d "$(pkg-config --variable=libdir multiwalk_direct)/libmultiwalk_direct.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vE '^(lib(c|m|gcc_s|stdc\+\+|gomp|omp|pthread|dl|rt|gsl|gslcblas|cudart|cufft)|ld-linux.*)\.so' || true)
[ -z "$needed" ] || { echo "the library needs what its pages do not name: $needed"; exit 1; }

exported=$(nm -D --defined-only "$(pkg-config --variable=libdir multiwalk_direct)/libmultiwalk_direct.so" |
  awk '$3 !~ /^multiwalk_direct_/ {print $3}')
[ -z "$exported" ] || { echo "the library exports more than its functions: $exported"; exit 1; }

sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$root/host/direct/PAIR_INTERACTIONS.md" >yukawa.cpp
c++ -std=c++20 -O2 -march=native -fopenmp -Wall -Wextra -Wno-psabi -Werror -I"$prefix/include/multiwalk" yukawa.cpp -o yukawa
./yukawa
[ -n "$fortran" ] || exit 77
