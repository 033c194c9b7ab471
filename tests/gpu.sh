#!/usr/bin/env bash
# Builds and runs everything that needs a GPU; fails if any of it was skipped.
#   tests/gpu.sh         the tests labelled gpu, the CUDA memory and race checkers, runs stopped and restarted on the GPU, by
#                        one rank and by three
#   tests/gpu.sh bench   also the kernels' rates, the strategies of Hamada et al. (2009), Fig. 1 (strategies.json and
#                        strategies.html in the build folder), and full force evaluations of 4 and 17 million particles
#                        (Plummer spheres and an evolved LCDM sphere) at two errors, and of a box of 128^3 at three
# MULTIWALK_CMAKE_ARGS adds arguments to cmake, BUILD_DIR names the build folder (default build_gpu).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build_gpu}

# shellcheck disable=SC2086
cmake ${MULTIWALK_CMAKE_ARGS:-} -S . -B "$build" -DMULTIWALK_CUDA=ON -DCMAKE_BUILD_TYPE=Release
cmake --build "$build" --parallel "$(nproc)" --target device_tests bench_walk_kernel_rate bench_walk_kernels \
  multiwalk

log=$build/gpu_tests.log
"$build/tests/device_tests" | tee "$log"
if grep -q 'SKIPPED' "$log"; then
  echo "gpu.sh: some GPU tests were skipped: no CUDA device works here" >&2
  exit 1
fi
# Every kernel once: under the checkers launches take a hundred times longer.
checked='WalkKernel.OneInteraction*:WalkKernel.E*:*WalkKernelLaws*:*FarCells.Share*/2:*FarCells.Share*/3'
checked+=':SplitForces.Meet*:*MeshOnDevice*/1:MultiwalkBackend.SecondTree*:MultiwalkBackend.Lanes*:*SingleWalks.AddOther*:DeviceTree.*TwentyThousand*'
checked+=':DirectBackendOnDevice.*:PairSumOnDevice.*:*DirectOnDevice.*/5:StrategiesOnDevice.*'
if ! command -v compute-sanitizer >/dev/null; then
  echo "gpu.sh: compute-sanitizer is not installed: put the CUDA toolkit's bin on PATH" >&2
  exit 1
fi
for tool in memcheck racecheck initcheck synccheck; do
  # All pairs of 40,001 bodies take the checkers minutes.
  compute-sanitizer --tool $tool --error-exitcode 9 "$build/tests/device_tests" --gtest_filter="$checked-*OfManyBodies*" \
    >"$build/$tool.log" 2>&1 || touch "$build/$tool.failed" &
done
wait
for tool in memcheck racecheck initcheck synccheck; do
  [ ! -e "$build/$tool.failed" ] || { rm "$build/$tool.failed"; tail -30 "$build/$tool.log" >&2; exit 1; }
  echo "gpu.sh: compute-sanitizer $tool: $(tail -1 "$build/$tool.log")"
done

# The program on the GPU, on one rank and on three that share what GPUs there are, a sphere by global steps, a box by
# block steps and a star cluster by direct summation: stopped half way and restarted, it ends bit for bit where an
# undisturbed run does.
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
failed() { tail -3 "$runs/log" >&2; echo "gpu.sh: $1" >&2; exit 1; }
checksum() { "$build/multiwalk" info --check --json - "$(find "$1" -name 'snapshot_*.hdf5' | sort | tail -1)" | grep '"checksum"'; }
sphere=(run/examples/plummer.toml --set time.t_end=0.5 --set 'output.times=[]')
box=(run/examples/lcdm_box.toml --set ic.grid=32 --set time.z_end=5 --set 'output.redshifts=[]' --set output.halos=false)
cluster=(run/examples/plummer_hermite.toml --set model.particles=4096 --set time.t_end=0.25 --set 'output.times=[]')
for case in 'sphere 1' 'sphere 3' 'box 1' 'box 3' 'cluster 1' 'cluster 3'; do
  read -r model ranks <<<"$case"
  declare -n options=$model
  program() { timeout 300 ${launch:-} "$build/multiwalk" run --quiet "$@" >>"$runs/log" 2>&1; }
  launch=
  [ $ranks = 1 ] || launch="$mpiexec -n $ranks"
  begin() { program "${options[@]}" --set 'run.backend="cuda"' "$@"; }
  begin --set "run.directory=\"$runs/whole$model$ranks\"" || failed "a $model on $ranks rank(s) failed"
  begin --set "run.directory=\"$runs/halves$model$ranks\"" --set time.max_steps=3 && failed "max_steps did not stop the run"
  program --restart "$runs/halves$model$ranks" --set time.max_steps=0 || failed "a restarted $model on $ranks rank(s) failed"
  [ "$(checksum "$runs/whole$model$ranks")" = "$(checksum "$runs/halves$model$ranks")" ] || failed "a restarted $model on $ranks rank(s) differs"
  echo "gpu.sh: a $model on the GPU on $ranks rank(s), stopped and restarted: bit for bit"
done
grep -q 'the GPU works' "$runs/log" || failed "the GPU was not used"

effective() { grep -o '"effective_pairs": *[^,}]*' "$1/report.json" | head -1; }
program "${sphere[@]}" --set 'run.backend="cpu"' --set time.max_steps=1 --set "run.directory=\"$runs/cpu\"" && failed "max_steps did not stop the run"
[ -n "$(effective "$runs/cpu")" ] || failed "a run on the CPU counted no effective interactions"
[ "$(effective "$runs/cpu")" = "$(effective "$runs/wholesphere1")" ] || failed "effective interactions on the GPU differ from the CPU's"
echo "gpu.sh: effective interactions are counted alike on GPU and CPU"

echo "gpu.sh: all tests ran and passed, nothing was skipped"

if [ "${1:-}" = bench ]; then
  forces() {
    echo "== multiwalk bench forces $*"
    "$build/multiwalk" bench forces --mac relative --backend cuda --repeats 6 "$@" | grep -v '^back end'
  }
  boxes() {
    echo "== multiwalk bench forces $*"
    "$build/multiwalk" bench forces --backend cuda --repeats 6 "$@" | grep -v '^back end'
  }
  # Errors of at most 2.5e-4 (median) and 1e-3 (99%), then of at most 5.2e-5 and 2e-4.
  for alpha in 0.0058 0.00105; do
    for particles in 4194304 16777216; do
      forces --model plummer --particles $particles --softening 0.01 --alpha $alpha
    done
  done
  "$build/multiwalk" run run/examples/lcdm_sphere_gpu.toml --quiet --set "run.directory=\"$runs/lcdm\""
  lcdm=$(find "$runs/lcdm" -name 'snapshot_*.hdf5' | sort | tail -1)
  for alpha in 0.0037 0.00057; do forces --model "$lcdm" --alpha $alpha; done
  "$build/multiwalk" run run/examples/lcdm_box.toml --quiet --set "run.directory=\"$runs/lcdm_box\"" --set ic.grid=128 \
    --set model.box_size=100 --set time.eta=0.025 --set 'output.redshifts=[49,0]' --set 'run.backend="cuda"'
  for accuracy in fast standard reference; do
    for snapshot in "$runs"/lcdm_box/snapshot_00[01].hdf5; do boxes --model "$snapshot" --accuracy $accuracy; done
  done
  "$build/tests/bench_walk_kernels"
  "$build/tests/bench_walk_kernel_rate"
  "$build/multiwalk" bench strategies --backend cuda --json "$build/strategies.json" --html "$build/strategies.html"
  echo "gpu.sh: everything was measured"
fi
