#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_failing_steps.sh: check.sh, .ci/run and `gpu.sh bench` fail where one of their steps fails, benches and errors beyond their limits
# included; tests in Python skip aloud without their module. Stand-ins take the place of the programs that they call.
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
# script PATH: from standard input. expect OUTCOME STEP COMMAND...: with STEP failing; none is called nothing.
script() { mkdir -p "$(dirname "$1")" && cat >"$1" && chmod +x "$1"; }
expect() {
  local got=passed
  FAILING=$2 "${@:3}" >said 2>&1 || got=failed
  [ $got = "$1" ] || { echo "${*:3} $got with failing '$2': $(tail -n 3 said)"; failures=1; }
}

mkdir tests && cp "$tests/check.sh" tests
script run/install_packages.sh <<'S'
build_packages=() check_packages=()
say() { echo "$*"; }
install_packages() { :; }
configure_and_build() { :; }
S
script bin/python3 <<<'exit 1'
script bin/ctest <<'S'
#!/usr/bin/env bash
case " $* " in *" $FAILING "*) exit 8 ;; esac
S
script tests/unit_shards.sh <<'S'
#!/usr/bin/env bash
[ "$FAILING" != shards ]
S
script tests/fuzz/run.sh <<'S'
#!/usr/bin/env bash
case $FAILING in fuzz) exit 1 ;; clang) exit 77 ;; esac
S
check() { PATH=$work/bin:$PATH bash tests/check.sh "$@"; }
expect passed nothing check
expect passed nothing check --all
expect passed clang check --all
expect failed nothing check --al
for step in shards '-LE bench|unit|long'; do expect failed "$step" check; done
for step in shards fuzz '-L bench' '-LE bench|unit|quick'; do expect failed "$step" check --all; done

mkdir .ci && cp "$tests/../.ci/run" .ci
script tests/fresh_machine.sh <<'S'
#!/usr/bin/env bash
case $FAILING in fresh) exit 1 ;; mount) exit 77 ;; esac
S
ci() { PATH=$work/bin:$PATH .ci/run; }
expect passed nothing ci
expect passed mount ci
for step in fresh shards; do expect failed $step ci; done

for release in bookworm:1 trixie:77; do
  echo "VERSION_CODENAME=${release%:*}" >os-release
  code=0
  OS_RELEASE=os-release "$tests/structure/skip_without.sh" a-tool >said || code=$?
  [ $code -eq ${release#*:} ] || { echo "without a tool on ${release%:*}: exit code $code"; failures=1; }
done

script build/multiwalk <<'S'
#!/usr/bin/env bash
echo figures
previous= json= error=1e-7
[ "$FAILING" != "$2" ] || error=0.5
for word; do
  case $previous in
    --json) json=$word ;;
    --set) case $word in run.directory=*) eval "directory=${word#*=}" && mkdir -p "$directory" && touch "$directory"/snapshot_00{0,1}.hdf5 ;; esac ;;
  esac
  previous=$word
done
[ -z "$json" ] || cat >"$json" <<J
{"error": {"median": $error, "p99": $error}, "error_of_rms": {"median": $error, "p99": $error}, "measured": true, "problem": "tree",
 "strategy": "multi-walk"}
J
S
for bench in bench_walk_kernels bench_walk_kernel_rate bench_device_mesh; do
  script build/tests/$bench <<'S'
#!/usr/bin/env bash
[ "$FAILING" != "${0##*/}" ]
S
done
gpu_bench() { MULTIWALK_BUILT=1 BUILD_DIR=$work/build bash "$tests/gpu.sh" bench; }
expect passed nothing gpu_bench
for step in forces strategies bench_walk_kernels bench_walk_kernel_rate bench_device_mesh; do expect failed $step gpu_bench; done

code=0
multiwalk=$work/build/multiwalk reader=no_such_module bash -c "source '$tests/support/find_python.sh'" >said 2>&1 || code=$?
[ $code -eq 77 ] && grep -q '^SKIPPED.*no_such_module' said || { echo "without a Python module: exit code $code, $(cat said)"; failures=1; }
exit $failures
