#!/usr/bin/env bash
# Builds and runs everything that needs a GPU; fails if any of it was skipped.
#   tests/gpu.sh         the tests labelled gpu, and the CUDA memory and race checkers where they are installed
#   tests/gpu.sh bench   also the kernel's rate and full force evaluations of 4 and 16 million Plummer particles
# MULTIWALK_CMAKE_ARGS adds arguments to cmake, BUILD_DIR names the build folder (default build_gpu).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build_gpu}

# shellcheck disable=SC2086
cmake ${MULTIWALK_CMAKE_ARGS:-} -S . -B "$build" -DMULTIWALK_CUDA=ON -DCMAKE_BUILD_TYPE=Release
cmake --build "$build" --parallel "$(nproc)" --target device_tests bench_walk_kernel_rate multiwalk

log=$build/gpu_tests.log
"$build/tests/device_tests" | tee "$log"
if grep -q 'SKIPPED' "$log"; then
  echo "gpu.sh: some GPU tests were skipped: no CUDA device works here" >&2
  exit 1
fi
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    compute-sanitizer --tool $tool --error-exitcode 9 "$build/tests/device_tests" \
      --gtest_filter='WalkKernel.*:*AgreeWithDouble*:MultiwalkBackend.*-*LongLists*:*Refuse*' >"$build/$tool.log" 2>&1 ||
      { tail -30 "$build/$tool.log" >&2; echo "gpu.sh: compute-sanitizer $tool failed" >&2; exit 1; }
    tail -1 "$build/$tool.log"
  done
fi

if [ "${1:-}" = bench ]; then
  "$build/tests/bench_walk_kernel_rate"
  for particles in 4000000 16000000; do
    "$build/multiwalk" bench forces --model plummer --particles $particles --theta 0.6 --softening 0.01 \
      --backend cuda --json "$build/bench_$particles.json"
    cat "$build/bench_$particles.json"
  done
fi
echo "gpu.sh: everything ran, nothing was skipped"
