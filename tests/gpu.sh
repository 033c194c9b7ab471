#!/usr/bin/env bash
# Builds and runs everything that needs a GPU; fails if any of it was skipped.
#   tests/gpu.sh         the tests labelled gpu, the CUDA memory and race checkers, a run stopped and restarted on the GPU
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
else
  echo "gpu.sh: compute-sanitizer is not installed: put the CUDA toolkit's bin on PATH" >&2
  exit 1
fi

# The program on the GPU: stopped half way and restarted, it ends bit for bit where an undisturbed run does.
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
run() {
  timeout 300 "$build/multiwalk" run run/examples/plummer.toml --quiet --set 'run.backend="cuda"' --set time.t_end=0.5 --set 'output.times=[]' "$@" >>"$runs/log" 2>&1
}
checksum() { "$build/multiwalk" info --check --json - "$(find "$1" -name 'snapshot_*.hdf5' | sort | tail -1)" | grep checksum; }
run --set "run.directory=\"$runs/whole\"" || { tail -3 "$runs/log" >&2; exit 1; }
run --set "run.directory=\"$runs/halves\"" --set time.max_steps=3 && { echo "gpu.sh: max_steps did not stop the run" >&2; exit 1; }
timeout 300 "$build/multiwalk" run --restart "$runs/halves" --set time.max_steps=0 >>"$runs/log" 2>&1 || { tail -3 "$runs/log" >&2; exit 1; }
[ "$(checksum "$runs/whole")" = "$(checksum "$runs/halves")" ] || { echo "gpu.sh: a restarted run differs" >&2; exit 1; }
grep -q 'the GPU works' "$runs/log"
echo "gpu.sh: a run on the GPU, stopped and restarted: bit for bit"

if [ "${1:-}" = bench ]; then
  "$build/tests/bench_walk_kernel_rate"
  for particles in 4000000 16000000; do
    "$build/multiwalk" bench forces --model plummer --particles $particles --theta 0.6 --softening 0.01 \
      --backend cuda --json "$build/bench_$particles.json"
    cat "$build/bench_$particles.json"
  done
fi
echo "gpu.sh: everything ran, nothing was skipped"
