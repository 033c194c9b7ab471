#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds and runs everything that needs a GPU; fails if any of it was skipped.
#   tests/gpu.sh [STAGE...]   some minutes each; tests, checkers and runs if none is named:
#     tests      the tests labelled gpu
#     checkers   every kernel once under the CUDA memory, race, initialisation and synchronisation checkers
#     runs       runs stopped and restarted on the GPU, by one rank and by three; effective interactions as on the CPU
#     bench      the kernels' rates, the i-, j- and multiple-walk methods of Hamada et al. (2009), Fig. 1, and full force
#                evaluations of 4 and 17 million particles (Plummer spheres and an evolved LCDM sphere) at two errors, and
#                of a box of 128^3 at three
# MULTIWALK_CMAKE_ARGS adds arguments to cmake, BUILD_DIR names the build folder (default build_gpu). MULTIWALK_BUILT=1
# takes what lies there as it is (multiwalk, tests/device_tests, tests/bench_walk_*, tests/bench_device_mesh),
# built on another machine; MPIEXEC then names the launcher.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build_gpu}
[ $# -gt 0 ] || set -- tests checkers runs
stages=" $* "
for stage in "$@"; do
  case $stage in
    tests | checkers | runs | bench) ;;
    *) echo "gpu.sh: no stage is called $stage: tests, checkers, runs, bench" >&2 && exit 2 ;;
  esac
done
SECONDS=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source tests/support/error_limits.sh
source tests/shortened.sh
say() { echo "gpu.sh: $* (${SECONDS} s)"; }
fail() { echo "gpu.sh: $*" >&2 && exit 1; }

build_programs() {
  # shellcheck disable=SC2086
  cmake ${MULTIWALK_CMAKE_ARGS:-} -S . -B "$build" -DMULTIWALK_CUDA=ON -DCMAKE_BUILD_TYPE=Release
  cmake --build "$build" --parallel "$(nproc)" --target device_tests bench_walk_kernel_rate bench_walk_kernels \
    bench_walk_methods bench_device_mesh multiwalk
  say "built"
}

# The GPUs that this script may use; "0" if nvidia-smi finds none, and then the tests say that they were skipped. beside K COMMAND:
# COMMAND sees them from the K-th on, so that several processes begin with different ones; on_one K COMMAND: it sees only the K-th,
# since tests of several devices take all that they see. Threads sleep while they wait, since spinning ones would take the cores of
# other processes.
all_gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null) || all_gpus=0
IFS=, read -ra gpus <<<"${CUDA_VISIBLE_DEVICES:-$(paste -sd, <<<"$all_gpus")}"
beside() {
  local first=$(($1 % ${#gpus[@]}))
  local order=("${gpus[@]:first}" "${gpus[@]:0:first}")
  shift
  OMP_WAIT_POLICY=passive CUDA_VISIBLE_DEVICES=$(IFS=, && echo "${order[*]}") "$@"
}
on_one() {
  local gpu=${gpus[$1 % ${#gpus[@]}]}
  shift
  OMP_WAIT_POLICY=passive CUDA_VISIBLE_DEVICES=$gpu "$@"
}
# share_of_cores N: threads of each of N processes.
share_of_cores() { echo $(($(nproc) > $1 ? $(nproc) / $1 : 1)); }

# The tests are shared out between the GPUs; only one process at a time uses one, because some tests measure its memory.
run_tests() {
  local gpu pids=() failed='' log=$build/gpu_tests
  rm -f "$log".*.log
  local -x OMP_NUM_THREADS GTEST_TOTAL_SHARDS=${#gpus[@]}
  OMP_NUM_THREADS=$(share_of_cores "${#gpus[@]}")
  for gpu in "${!gpus[@]}"; do
    GTEST_SHARD_INDEX=$gpu on_one "$gpu" "$build/tests/device_tests" >"$log.$gpu.log" 2>&1 &
    pids+=($!)
  done
  for gpu in "${pids[@]}"; do wait "$gpu" || failed=yes; done
  [ -z "$failed" ] || {
    tail -n 3 "$log".*.log >&2
    grep -h -B 20 'FAILED  ]' "$log".*.log | tail -60 >&2 || true  # a program that crashed wrote no such line
    fail "GPU tests failed: $log.*.log"
  }
  ! grep -q 'SKIPPED' "$log".*.log || fail "some GPU tests were skipped: no CUDA device works here"
  say "$(($(sed -n 's/.*PASSED  \] \([0-9]*\) test.*/\1/p' "$log".*.log | paste -sd+))) tests passed, none was skipped"
}

# Each checker's tests (tests/shortened.txt) are shared out between several processes, since each waits most of the time.
run_checkers() {
  local tool part parts filter job=0 tools=(racecheck memcheck initcheck synccheck)
  local checked
  checked=$(shortened checked)-$(shortened unchecked)
  command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not installed: put the CUDA toolkit's bin on PATH"
  parts=$(($(nproc) >= 48 ? $(nproc) / 16 : 3))
  local -x OMP_NUM_THREADS GTEST_TOTAL_SHARDS=$parts
  OMP_NUM_THREADS=$(share_of_cores $((parts * ${#tools[@]})))
  for tool in "${tools[@]}"; do
    rm -f "$build/$tool".*.{passed,log}
    [ "$tool" = initcheck ] && filter=$checked:$(shortened initcheck) || filter=$checked
    for part in $(seq 0 $((parts - 1))); do
      job=$((job + 1))
      GTEST_SHARD_INDEX=$part on_one $job compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tests/device_tests" \
        --gtest_filter="$filter" >"$build/$tool.$part.log" 2>&1 && touch "$build/$tool.$part.passed" &
    done
  done
  wait
  for tool in "${tools[@]}"; do
    for part in $(seq 0 $((parts - 1))); do
      [ -e "$build/$tool.$part.passed" ] || {
        grep -m 60 -A 12 -e '^=========' -e FAILED "$build/$tool.$part.log" | head -120 >&2
        fail "compute-sanitizer --tool $tool failed: $build/$tool.$part.log"
      }
    done
    ! grep -q 'SKIPPED' "$build/$tool".*.log || fail "tests under $tool were skipped: no CUDA device works here"
    say "compute-sanitizer $tool: $(tail -qn 1 "$build/$tool".*.log | sort | uniq -c | tr -s ' =' ' ' | paste -sd,)"
  done
}

program() { timeout 300 ${launch:-} "$build/multiwalk" run --progress lines "$@" >>"$log" 2>&1; }
run_failed() {
  tail -3 "$log" >&2 || true
  fail "$@"
}
checksum() { "$build/multiwalk" info --check --json - "$(find "$1" -name 'snapshot_*.hdf5' | sort | tail -1)" | grep '"checksum"'; }
effective() { grep -o '"effective_pairs": *[^,}]*' "$1/report.json" | head -1; }

sphere=(run/examples/plummer.toml --set model.particles=80000 --set time.t_end=0.5 --set 'output.times=[]')
# shellcheck disable=SC2034
box=(run/examples/lcdm_box.toml --set ic.grid=32 --set model.box_size=16 --set time.z_end=3.5 --set 'output.redshifts=[]'
  --set output.halos=false --set trees.outputs=12 --set trees.first_redshift=12)
# Devices keep domains of 20,000 particles and more.
# shellcheck disable=SC2034
large_box=("${box[@]}" --set ic.grid=48 --set model.box_size=24)
# shellcheck disable=SC2034
cluster=(run/examples/plummer_hermite.toml --set model.particles=4096 --set time.t_end=0.25 --set 'output.times=[]')

# same_after_restart MODEL RANKS WALKS: stopped half way and restarted, a run ends bit for bit where an undisturbed one does.
same_after_restart() {
  local model=$1 ranks=$2 walks=$3 launch='' file
  local name="a $model with run.walks = $walks on $ranks rank(s)" whole=$scratch/whole$1$2$3 halves=$scratch/halves$1$2$3 log=$scratch/log$1$2$3
  local -n options=$model
  # Sizes of groups that are chosen by timing would differ between two runs on a busy machine.
  local settings=("${options[@]}" --set run.deterministic=true --set 'run.backend="cuda"' --set "run.walks=\"$walks\"")
  local -A steps=([sphere]=3 [box]=62 [large_box]=62 [cluster]=3)  # a box stops when its particles are on several rungs
  [ "$ranks" = 1 ] || launch="${MPIEXEC:-$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")} -n $ranks"
  program "${settings[@]}" --set "run.directory=\"$whole\"" || run_failed "$name failed"
  program "${settings[@]}" --set "run.directory=\"$halves\"" --set "time.max_steps=${steps[$model]}" &&
    run_failed "max_steps did not stop $name"
  program --restart "$halves" --set time.max_steps=0 || run_failed "$name failed when it was restarted"
  [ "$(checksum "$whole")" = "$(checksum "$halves")" ] || fail "$name differs after a restart"
  for file in "$whole"/fof_subhalo_hbt_tab_* "$whole"/trees.hdf5; do
    [[ $model != *box ]] || cmp -s "$file" "$halves/${file##*/}" || fail "$name differs in ${file##*/} after a restart"
  done
  local -A makers=([host]='the hosts\? makes\? the walks, as asked' [device]='also makes\? the walks, as asked'
    [auto]='also makes\? the walks')
  [ "$model" = cluster ] || grep -q "the GPU works.*${makers[$walks]}" "$log" || run_failed "others walked in $name"
  say "$name, stopped and restarted: bit for bit"
  touch "$scratch/passed$1$2$3"
}

# The program on one rank and on three that share what GPUs there are, a sphere by global steps, a box by block steps and a
# star cluster by direct summation; one run per 16 cores at a time.
run_runs() {
  local case job=0 together=$(($(nproc) >= 32 ? $(nproc) / 16 : 1)) log=$scratch/log launch=
  local cases=('large_box 3 auto' 'box 3 host' 'box 1 host' 'box 1 auto' 'cluster 3 auto' 'cluster 1 auto' 'sphere 3 auto'
    'sphere 1 device' 'sphere 3 host' 'sphere 1 host')
  for case in "${cases[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$together" ]; do wait -n || break 2; done
    job=$((job + 1))
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=$(share_of_cores $((together * ${case//[!0-9]/}))) beside $job same_after_restart $case &
  done
  wait
  for case in "${cases[@]}"; do [ -e "$scratch/passed${case// /}" ] || fail "not every run passed"; done

  program "${sphere[@]}" --set 'run.backend="cpu"' --set time.max_steps=1 --set "run.directory=\"$scratch/cpu\"" &&
    run_failed "max_steps did not stop the run"
  [ -n "$(effective "$scratch/cpu")" ] || fail "a run on the CPU counted no effective interactions"
  [ "$(effective "$scratch/cpu")" = "$(effective "$scratch/wholesphere1host")" ] ||
    fail "effective interactions on the GPU differ from the CPU's"
  say "effective interactions are counted alike on GPU and CPU"
}

# forces KEY MEDIAN P99 OPTION...: errors under KEY are at most these.
forces() {
  local key=$1 median=$2 p99=$3
  shift 3
  echo "== multiwalk bench forces $*"
  "$build/multiwalk" bench forces --repeats 6 --json "$scratch/forces.json" "$@" | grep -v '^back end'
  within_limits "$scratch/forces.json" "$key" "$median" "$p99" || fail "forces beyond their limits of error: $*"
}

run_bench() {
  local alpha particles lcdm accuracy snapshot
  local few=(2.5e-4 1e-3) fewer=(5.2e-5 2e-4) fewest=(1e-5 1e-4)  # median and 99%
  local -A limits=([0.0056]="${few[*]}" [0.0048]="${few[*]}" [0.0026]="${few[*]}" [0.00095]="${fewer[*]}"
    [0.00086]="${fewer[*]}" [0.0004]="${fewer[*]}" [0.000135]="${fewest[*]}"
    [fast]='1e-2 1e-2' [standard]='2e-3 2e-3' [reference]='2e-4 2e-4')
  local host=(--backend cuda --walks host --group-size 512) resident=(--backend cuda --walks device --resident --group-size 256)
  for particles in 4194304 16777216; do
    local plummer=(--mac relative --model plummer --particles $particles --softening 0.01)
    for alpha in 0.0056 0.00095; do
      # shellcheck disable=SC2086
      forces error ${limits[$alpha]} "${host[@]}" "${plummer[@]}" --alpha $alpha
    done
    for alpha in 0.0048 0.00086 0.000135; do
      # shellcheck disable=SC2086
      forces error ${limits[$alpha]} "${resident[@]}" "${plummer[@]}" --alpha $alpha
    done
    "$build/multiwalk" bench steps run/examples/plummer.toml --set model.particles=$particles --set 'force.mac="relative"' \
      --set force.alpha=0.0048 --set force.theta=1 --set force.group_size=192 --set 'run.backend="auto"'
  done
  "$build/multiwalk" run run/examples/lcdm_sphere_gpu.toml --progress lines --set "run.directory=\"$scratch/lcdm\""
  lcdm=$(find "$scratch/lcdm" -name 'snapshot_*.hdf5' | sort | tail -1)
  # shellcheck disable=SC2086
  for alpha in 0.0026 0.0004; do forces error ${limits[$alpha]} "${resident[@]}" --mac relative --model "$lcdm" --alpha $alpha; done
  "$build/multiwalk" run run/examples/lcdm_box.toml --progress lines --set "run.directory=\"$scratch/lcdm_box\"" --set ic.grid=128 \
    --set model.box_size=100 --set time.eta=0.025 --set 'output.redshifts=[49,0]' --set 'run.backend="cuda"'
  for accuracy in fast standard reference; do
    for snapshot in "$scratch"/lcdm_box/snapshot_00[01].hdf5; do
      # shellcheck disable=SC2086
      forces error_of_rms ${limits[$accuracy]} --backend cuda --walks host --model "$snapshot" --accuracy $accuracy
    done
  done
  "$build/tests/bench_walk_kernels"
  "$build/tests/bench_walk_methods"
  "$build/tests/bench_walk_kernel_rate"
  "$build/tests/bench_device_mesh"
  say "everything was measured"
}

[ -n "${MULTIWALK_BUILT:-}" ] || build_programs
for stage in tests checkers runs bench; do
  [[ $stages != *" $stage "* ]] || run_$stage
done
say "passed, nothing was skipped:${stages% }"
