#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh [--all]: installs what is missing, builds, runs the unit tests under the sanitizers and optimised, then other tests
# (style and structure included; GPU tests are skipped without a device). Ends with ctest's own closing line. Without --all,
# as in CI, it leaves out benches, fuzzing guided by coverage, and the tests with label `long` (listed by
# `ctest --test-dir build -N -L long`), and runs those with label `quick`, each a part of a long one.
set -euo pipefail
case "${1:-}" in
  '') left_out=long ;;
  --all) left_out=quick ;;
  *) sed -n '3,6s/^# //p' "${BASH_SOURCE[0]}" && exit 1 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh

install_packages "${build_packages[@]}" "${check_packages[@]}"
# h5py, yt and pynbody read what runs write, nanobind and others build and test the Python module; where they are
# missing, these tests are reported as skipped.
mkdir -p build
# stage NAME: prints the name, and how long everything before it took.
stage() {
  times >build/times.txt
  say "$1 (after $SECONDS s, $(awk -F'[ms ]+' 'NR == 2 {printf "%d", 60 * ($1 + $3) + $2 + $4}' build/times.txt) s of processor time)"
}
read_with() { timeout 400 build/python/bin/pip install -q --only-binary :all: "$@"; }
(python3 -m venv build/python && read_with numpy nanobind pytest && read_with h5py &&
  read_with yt pynbody matplotlib pandas mpi4py netCDF4 && read_with healpy astropy && read_with ytree && read_with rebound && read_with swiftsimio) >build/python.log 2>&1 &
readers=$!
# Where cores are few, texts are joined of more sources, whose headers are read less often, and compiled with -O2 instead of
# -O3, which takes a fifth longer; --all compiles as users do.
preset=release
sanitizing_clang() {  # CI's, or the system's own if it is not older
  local name version
  for name in clang-16 clang; do
    version=$("$name" -dumpversion 2>/dev/null) && [ "${version%%.*}" -ge 16 ] && echo "$name" && return
  done
  return 1
}
[ "$(nproc)" -gt 4 ] || MULTIWALK_CMAKE_ARGS="-DCMAKE_UNITY_BUILD_BATCH_SIZE=50 ${MULTIWALK_CMAKE_ARGS:-}"
[ "$(nproc)" -gt 4 ] || [ $left_out = quick ] || preset=check
MULTIWALK_CMAKE_ARGS="-DMULTIWALK_BENCHES=$([ $left_out = quick ] && echo ON || echo OFF) ${MULTIWALK_CMAKE_ARGS:-}"
# Without a GPU no kernel will run: they are compiled to PTX only (for the A100 and later), joined and without optimisation.
nvidia-smi -L &>/dev/null || MULTIWALK_CMAKE_ARGS="-DCMAKE_CUDA_ARCHITECTURES=80-virtual -DCMAKE_CUDA_FLAGS=-Xcicc=-O0 \
  -DMULTIWALK_JOINED_KERNELS=ON ${MULTIWALK_CMAKE_ARGS:-}"
stage "release build"
configure_and_build $preset build all
stage "debug build"
# The sanitized tests also check the code with clang, which compiles them in half the time, and in less without line numbers (the
# sanitizers name functions; `cmake --preset debug && cmake --build build_debug` adds lines).
(
  MULTIWALK_CMAKE_ARGS="-DCMAKE_CXX_FLAGS_DEBUG=-O1 ${MULTIWALK_CMAKE_ARGS:-}"
  targets=(unit_tests)
  if clang=$(sanitizing_clang); then
    export CC=$clang CXX=${clang/clang/clang++}
    targets+=(fuzz_replay)
    [ $left_out = long ] || { targets+=(fuzz_guided) && MULTIWALK_CMAKE_ARGS+=" -DMULTIWALK_FUZZ=ON"; }
  else
    say "no clang 16 or newer: compiling with g++"
  fi
  configure_and_build debug build_debug "${targets[@]}"
)
stage "Python module"
wait $readers || say "not all Python packages can be had, see build/python.log: their tests are skipped"
if build/python/bin/python -c 'import nanobind, pytest' &>/dev/null; then
  MULTIWALK_CMAKE_ARGS="-DMULTIWALK_PYTHON=ON -DPython_EXECUTABLE=$PWD/build/python/bin/python ${MULTIWALK_CMAKE_ARGS:-}"
  configure_and_build $preset build _multiwalk _multiwalk_stub
fi
build/python/bin/python -c 'import h5py' &>/dev/null || (install_packages python3-h5py) || say "no h5py: see above"
# Unit tests that take seconds under the sanitizers and walk no memory that others do not: without --all only
# the optimised build runs them.
slow_when_sanitized=RankPlan.ExtrapolatesWithinAThird:RankPlan.SamplesTellTheirError:StepTables.WriteAllDiagnostics
slow_when_sanitized+=:StepHistory.ReportAndCheckpointDoNotGrow:StepHistory.PageHasAllStepsInItsRows:StepHistory.GoesOn*
slow_when_sanitized+=:StepHistory.KeepsTheLargestEnergyError:ShortReport.MeasuredSteps*:ShortReport.DiagnosticsAreThoseOfTheRows
slow_when_sanitized+=:ShortReport.KeepsTheLargestEnergyError:ShortReport.SumsAndMeansOfALongRunStay
slow_when_sanitized+=:ReportCheck.AnyChangedValueIsRefusedOrDrawn:RunCensus.SmallSamples*:RunCensus.BothErrors*
slow_when_sanitized+=:Census.WalkOfEqualErrorOfSplitForces:Census.OfABoxTakesNearestImagesUpToTheCutoff
slow_when_sanitized+=:SizesOfARun.TrialsEnd*:MeasuringProgress.*:EnergyOfBodies.*:ForceBench.MonopolesOfEqualError*
slow_when_sanitized+=:Passage.ParticlesThatPass*:Passage.BoxesOfParticles*:Passage.ChoosesFewOthers:Sampling.TakesTheLowestHashes
slow_when_sanitized+=:EffectiveCount.StandardError*:GalaxySystem.HaloAlone*:EveryLoad.FillsTheBox*:Criteria/PeriodicCut.*/[23]
slow_when_sanitized+=:ExpectedSteps.*:TimePlan.*
slow_when_sanitized+=:Displacement.HigherOrders*:FriendsOfFriends.AreThoseOfAllPairsWithAnyNumberOfThreads:StepHistory.KeepsFewRows*
[ $left_out = long ] || slow_when_sanitized=
stage "unit tests under the address and undefined-behaviour sanitizers"
GTEST_FILTER="*-$slow_when_sanitized" tests/unit_shards.sh build_debug "$(nproc)"
if [ -x build_debug/tests/fuzz/fuzz_replay ]; then
  stage "fuzz targets under the sanitizers: corpora, and 300 mutations for each target"
  (cd build_debug && LSAN_OPTIONS=suppressions=$PWD/../tests/support/leak_suppressions.txt:print_suppressions=0 \
    ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=2048 tests/fuzz/fuzz_replay ../tests/fuzz/corpus 300)
fi
stage "unit tests as users run them: optimised by g++, with every instruction set"
tests/unit_shards.sh build "$(nproc)"
if [ $left_out = quick ]; then
  stage "fuzz targets, guided by coverage"
  tests/fuzz/run.sh -b build_debug/tests/fuzz 3 || [ $? -eq 77 ]
  stage "speed, alone on the machine"
  # A program that misses its speed goal is counted as skipped: other work on the machine counts too. Errors beyond their
  # limits and crashes fail.
  ctest --test-dir build -L bench --output-on-failure --no-tests=error
fi
stage "all other tests but those labelled '$left_out'"
# One more at a time than there are cores: some tests wait for others to end, to be killed or to time out. Threads that wait
# sleep.
OMP_WAIT_POLICY=passive ctest --test-dir build -LE "bench|unit|$left_out" -j "$(($(nproc) + 1))" --output-on-failure --no-tests=error
