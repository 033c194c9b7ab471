#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [-j JOBS] [-b FOLDER] SECONDS | N:runs [TARGET...]: builds the fuzz targets with clang 16 and runs each for SECONDS
# seconds or N inputs ("100000:runs"), with JOBS processes per target (default 1) that share the inputs they find. Inputs that
# reach new code are kept in build_fuzz/corpus; a finding is left in build_fuzz/findings and fails. Skipped (77) without
# clang 16, unless -b gives a FOLDER with fuzz_guided, built elsewhere, and with the libraries it needs in FOLDER/lib, if any:
#   ldd build_fuzz/tests/fuzz/fuzz_guided | awk '/=> \// && !/\/(libc|libm)\.so/ {print $3}'
# Ten million inputs on 16 cores: run.sh -j 16 -b FOLDER 1700000:runs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
usage() { sed -n '3,9s/^# //p' "${BASH_SOURCE[0]}"; exit 1; }
jobs=1 build=build_fuzz programs=
while getopts j:b: option; do
  case $option in j) jobs=$OPTARG ;; b) programs=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] && [[ $jobs =~ ^[1-9][0-9]*$ ]] || usage
[[ $1 =~ ^[0-9]+(:runs)?$ ]] || { echo "run.sh: $1 is neither SECONDS nor N:runs" >&2; exit 1; }
amount=$1
shift

mkdir -p $build
if [ -z "$programs" ]; then
  command -v clang++-16 >/dev/null || { echo "no clang++-16 here"; exit 77; }
  programs=$build/tests/fuzz
  cmake --preset debug -B $build -DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16 -DCMAKE_CXX_FLAGS_DEBUG="-g1 -O1" \
    -DMULTIWALK_TESTS=OFF -DMULTIWALK_FUZZ=ON >$build/configure.log 2>&1 || { tail -n 20 $build/configure.log >&2; exit 1; }
  cmake --build $build --target fuzz_guided >$build/build.log 2>&1 || { grep -m 20 -E 'error|FAILED' $build/build.log >&2; exit 1; }
fi

[ -x "$programs"/fuzz_guided ] || { echo "no fuzz targets in $programs"; exit 77; }

case $amount in
  *:runs) limit=-runs=$(((${amount%:runs} + jobs - 1) / jobs)) ;;
  *) limit=-max_total_time=$amount ;;
esac
[ $# -gt 0 ] || set -- $(cd tests/fuzz && for target in fuzz_*.cpp; do target=${target%.cpp} && echo "${target#fuzz_}"; done)
# A library that asks for too much gets nothing, as elsewhere; the program itself must not ask.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=2048
export LSAN_OPTIONS=suppressions=$PWD/tests/support/leak_suppressions.txt:print_suppressions=0
if [ -d "$programs/lib" ]; then export LD_LIBRARY_PATH=$programs/lib; fi

# fuzz TARGET JOB: writes a log of its own. Inputs may be long enough to be nested too deeply.
fuzz() {
  local most=100000 dictionary=()
  case $1 in snapshot | gadget | shell | tracks | cone | manifest) most=4096 ;; checkpoint) most=16384 ;; esac
  [ ! -e tests/fuzz/dictionaries/"$1".dict ] || dictionary=(-dict=tests/fuzz/dictionaries/"$1".dict)
  MULTIWALK_FUZZ_TARGET=$1 "$programs"/fuzz_guided "$limit" -max_len=$most -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1000000 -print_final_stats=1 \
    -reload=10 "${dictionary[@]}" -artifact_prefix=$build/findings/"$1"- $build/corpus/"$1" tests/fuzz/corpus/"$1" \
    >$build/"$1".$2.log 2>&1
}
# sum PATTERN FILE...: adds the numbers that follow the pattern in each file.
sum() { sed -n "s/$1 *\([0-9]*\).*/\1/p" "${@:2}" | awk '{n += $1} END {print n + 0}'; }

# The processes of a target, or as many targets as there are cores, at a time.
for target in "$@"; do
  mkdir -p $build/corpus/"$target" $build/findings
  rm -f $build/"$target".*.log $build/"$target".failed
done
export -f fuzz
export programs limit build
for target in "$@"; do for ((job = 0; job < jobs; ++job)); do echo "$target $job"; done; done |
  xargs -P $((jobs > 1 ? jobs : $(nproc))) -L 1 bash -c 'fuzz "$0" "$1" || touch $build/"$0".failed'

total=0 found=0
printf '%-12s %12s %8s  %s\n' target executions exec/s "edges reached"
for target in "$@"; do
  logs=($build/"$target".*.log)
  runs=$(sum '^stat::number_of_executed_units:' "${logs[@]}")
  edges=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "${logs[@]}" | sort -n | tail -n 1)
  all=$(sed -n 's/^INFO: Loaded 1 modules *(\([0-9]*\) .*/\1/p' "${logs[0]}")
  printf '%-12s %12s %8s  %s\n' "$target" "$runs" "$(sum '^stat::average_exec_per_sec:' "${logs[@]}")" "${edges:-0} of ${all:-0}"
  total=$((total + runs))
  [ ! -e $build/"$target".failed ] || { found=$((found + 1)); grep -hm 3 -E 'ERROR|Assertion|runtime error|terminate|what\(\)|SUMMARY|Test unit' "${logs[@]}" || true; }
done
echo "$total executions, $found of $# targets with a finding"
[ $found -eq 0 ]
