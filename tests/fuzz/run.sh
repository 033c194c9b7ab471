#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SECONDS | N:runs [TARGET...]: builds the fuzz targets with clang 16 and runs each for so many seconds, or N inputs
# ("100000:runs"). Inputs that reach new code are kept in build_fuzz/corpus; a finding is left in build_fuzz/findings and
# fails. Skipped (77) without clang 16.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ $# -gt 0 ] || { sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}"; exit 1; }
[[ $1 =~ ^[0-9]+(:runs)?$ ]] || { echo "run.sh: $1 is neither SECONDS nor N:runs" >&2; exit 1; }
amount=$1
shift
command -v clang++-16 >/dev/null || { echo "no clang++-16 here"; exit 77; }

build=build_fuzz
mkdir -p $build
# What is fuzzed has no threads: g++'s OpenMP library satisfies the search for one.
cmake -G Ninja -B $build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_C_COMPILER=clang-16 \
  -DCMAKE_CXX_COMPILER=clang++-16 -DOpenMP_C_FLAGS=-fopenmp -DOpenMP_CXX_FLAGS=-fopenmp -DOpenMP_C_LIB_NAMES=gomp \
  -DOpenMP_CXX_LIB_NAMES=gomp -DOpenMP_gomp_LIBRARY="$(g++ -print-file-name=libgomp.so)" -DMULTIWALK_CUDA=OFF \
  -DMULTIWALK_TESTS=OFF -DMULTIWALK_FUZZ=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 >$build/configure.log 2>&1 ||
  { tail -n 20 $build/configure.log >&2; exit 1; }
cmake --build $build --target fuzzers >$build/build.log 2>&1 || { grep -m 20 -E 'error|FAILED' $build/build.log >&2; exit 1; }

case $amount in
  *:runs) limit=-runs=${amount%:runs} ;;
  *) limit=-max_total_time=$amount ;;
esac
[ $# -gt 0 ] || set -- $(cd tests/fuzz && for target in fuzz_*.cpp; do target=${target%.cpp} && echo "${target#fuzz_}"; done)
# A library that asks for too much gets nothing, as elsewhere; the program itself must not ask.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=2048
export LSAN_OPTIONS=suppressions=$PWD/tests/support/leak_suppressions.txt:print_suppressions=0
total=0 found=0
printf '%-12s %12s %8s  %s\n' target executions exec/s "edges reached"
for target in "$@"; do
  mkdir -p $build/corpus/"$target" $build/findings
  log=$build/$target.log dictionary=()
  [ ! -e tests/fuzz/"$target".dict ] || dictionary=(-dict=tests/fuzz/"$target".dict)
  status=0
  $build/tests/fuzz/fuzz_"$target" "$limit" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1000000 -print_final_stats=1 "${dictionary[@]}" \
    -artifact_prefix=$build/findings/"$target"- $build/corpus/"$target" tests/fuzz/corpus/"$target" >"$log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  edges=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  all=$(sed -n 's/^INFO: Loaded 1 modules *(\([0-9]*\) .*/\1/p' "$log")
  printf '%-12s %12s %8s  %s\n' "$target" "${runs:-0}" "${speed:-0}" "${edges:-0} of ${all:-0}"
  total=$((total + ${runs:-0}))
  [ $status -eq 0 ] || { found=$((found + 1)); grep -m 3 -E 'ERROR|Assertion|runtime error|terminate|what\(\)|SUMMARY|Test unit' "$log"; }
done
echo "$total executions, $found of $# targets with a finding"
[ $found -eq 0 ]
