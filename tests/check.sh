#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh [--all]: installs what is missing, builds, runs the unit tests under the sanitizers and optimised, then other tests
# (style and structure included; GPU tests are skipped without a device). Ends with the 20 slowest tests and ctest's own
# closing line. tests/shortened.txt says what it leaves out or shortens, and why; with --all that is little.
set -euo pipefail
case "${1:-}" in
  '') all='' && export MULTIWALK_QUICK=1 ;;
  --all) all=yes && unset MULTIWALK_QUICK ;;
  *) sed -n '3,6s/^# //p' "${BASH_SOURCE[0]}" && exit 1 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh
. tests/shortened.sh

install_packages "${build_packages[@]}" "${check_packages[@]}"
# h5py, yt and pynbody read what runs write, nanobind and others build and test the Python module, lizard measures functions;
# where they are missing, these tests are reported as skipped.
mkdir -p build
# stage NAME: prints the name, and how long everything before it took.
stage() {
  local file=build/times_$BASHPID.txt
  times >"$file"
  say "$1 (after $SECONDS s, $(awk -F'[ms ]+' 'NR == 2 {printf "%d", 60 * ($1 + $3) + $2 + $4}' "$file") s of processor time)"
  rm "$file"
}
read_with() { timeout 400 build/python/bin/pip install -q --no-compile --only-binary :all: "$@"; }
(python3 -m venv build/python && read_with numpy nanobind pytest lizard && read_with h5py &&
  read_with yt pynbody matplotlib pandas mpi4py netCDF4 && read_with healpy astropy && read_with ytree && read_with rebound && read_with swiftsimio) >build/python.log 2>&1 &
readers=$!
sanitizing_clang() {  # CI's, or the system's own if it is not older
  local name version
  for name in clang-16 clang; do
    version=$("$name" -dumpversion 2>/dev/null) && [ "${version%%.*}" -ge 16 ] && echo "$name" && return
  done
  return 1
}
presets=(check check_debug) targets=(all)
[ -z "$all" ] || presets=(release debug) targets=(all bench_programs)
kernels=$(shortened kernels)
nvidia-smi -L &>/dev/null || MULTIWALK_CMAKE_ARGS="${kernels//:/ } ${MULTIWALK_CMAKE_ARGS:-}"
# The two builds and their unit tests go on side by side, each on all cores, so that none is idle while one links or has ended.
export MULTIWALK_BUILDS=2

# All that is done in build_debug. The sanitized tests also check the code with clang, which compiles them in half the time.
sanitized() {
  local targets=(unit_tests) clang
  stage "debug build"
  if clang=$(sanitizing_clang); then
    export CC=$clang CXX=${clang/clang/clang++}
    targets+=(fuzz_replay)
    [ -z "$all" ] || { targets+=(fuzz_guided) && MULTIWALK_CMAKE_ARGS+=" -DMULTIWALK_FUZZ=ON"; }
  else
    say "no clang 16 or newer: compiling with g++"
  fi
  configure_and_build "${presets[1]}" build_debug "${targets[@]}"
  stage "unit tests under the address and undefined-behaviour sanitizers"
  GTEST_FILTER="*-$([ -n "$all" ] || shortened optimised)" tests/unit_shards.sh build_debug "$(nproc)"
  [ -x build_debug/tests/fuzz/fuzz_replay ] || return 0
  stage "fuzz targets under the sanitizers: corpora, and 300 mutations for each target"
  (cd build_debug && LSAN_OPTIONS=suppressions=$PWD/../tests/support/leak_suppressions.txt:print_suppressions=0 \
    ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=2048 tests/fuzz/fuzz_replay ../tests/fuzz/corpus 300)
  stage "nothing more to do under the sanitizers"
}
set -m  # a process group of its own, which ends with this script
(sanitized) >build/sanitized.log 2>&1 &
sanitized=$!
set +m
trap 'kill -- -$sanitized 2>/dev/null || true' EXIT

stage "release build"
configure_and_build "${presets[0]}" build "${targets[@]}"
stage "Python module"
wait $readers || say "not all Python packages can be had, see build/python.log: their tests are skipped"
if build/python/bin/python -c 'import nanobind, pytest' &>/dev/null; then
  MULTIWALK_CMAKE_ARGS="-DMULTIWALK_PYTHON=ON -DPython_EXECUTABLE=$PWD/build/python/bin/python ${MULTIWALK_CMAKE_ARGS:-}"
  configure_and_build "${presets[0]}" build _multiwalk _multiwalk_stub
fi
build/python/bin/python -c 'import h5py' &>/dev/null || (install_packages python3-h5py) || say "no h5py: see above"
stage "unit tests as users run them: optimised by g++, with every instruction set"
tests/unit_shards.sh build "$(nproc)"
stage "what went on beside these (build/sanitized.log)"
code=0
wait $sanitized || code=$?
cat build/sanitized.log
[ $code -eq 0 ] || exit $code
unset MULTIWALK_BUILDS
if [ -n "$all" ]; then
  stage "fuzz targets, guided by coverage"
  tests/fuzz/run.sh -b build_debug/tests/fuzz 3 || [ $? -eq 77 ]
  stage "speed, alone on the machine"
  # A program that misses its speed goal is counted as skipped: other work on the machine counts too. Errors beyond their
  # limits and crashes fail.
  ctest --test-dir build -L bench --output-on-failure --no-tests=error
fi
stage "all other tests"
# One more at a time than there are cores: some tests wait for others to end, to be killed or to time out. Threads that wait
# sleep.
others='bench|unit'
[ -n "$all" ] || others+='|long'
OMP_WAIT_POLICY=passive ctest --test-dir build -LE "$others" -j "$(($(nproc) + 1))" --output-on-failure --no-tests=error \
  --output-junit ctest.xml --output-log build/ctest.log || code=$?
stage "the 20 slowest tests, in seconds"
tests/slowest.sh build build_debug
grep -s '% tests passed' build/ctest.log || true
exit $code
