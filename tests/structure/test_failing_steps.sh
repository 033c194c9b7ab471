#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_failing_steps.sh: check.sh, .ci/run and `gpu.sh bench` fail where one of their steps fails, benches and errors beyond
# their limits included; tests in Python skip aloud without their module. Stand-ins take the place of the programs that they call.
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

mkdir tests && cp "$tests"/{check.sh,slowest.sh,shortened.sh,shortened.txt} tests
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
case $FAILING in shards) exit 1 ;; sanitized) [ "$1" = build ] ;; esac
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
for step in shards sanitized '-LE bench|unit|long'; do expect failed "$step" check; done
for step in shards sanitized fuzz '-L bench' '-LE bench|unit'; do expect failed "$step" check --all; done

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

# fresh_machine.sh where it can make no system: skipped, and only looked at where a library is found or wrapped anew.
for program in unshare podman docker; do script bin/$program <<<'exit 1'; done
mkdir -p repository/tests repository/run && cp "$tests/fresh_machine.sh" repository/tests && cp "$tests/../run/install_packages.sh" repository/run
git -C repository init --quiet
commit() { echo "$2" >repository/"$1" && git -C repository add "$1" && git -C repository -c user.name=a -c user.email=a@b commit -qm "$1"; }
fresh() {  # WORDS: it is skipped with them
  local code=0
  PATH=$work/bin:$PATH repository/tests/fresh_machine.sh --changed >said 2>&1 || code=$?
  [ $code -eq 77 ] && grep -q "SKIPPED: $1" said || { echo "fresh_machine.sh: exit code $code, $(cat said), not '$1'"; failures=1; }
}
commit run/a.cpp '#include "host/base/error.hpp"'
fresh "the last five commits"
commit run/b.cpp '#include <mpi.h>'
fresh "only root"

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
{"error": {"median": $error, "p99": $error}, "error_of_rms": {"median": $error, "p99": $error}}
J
S
benches=(bench_walk_kernels bench_walk_methods bench_walk_kernel_rate bench_device_mesh)
for bench in "${benches[@]}"; do
  script build/tests/$bench <<'S'
#!/usr/bin/env bash
[ "$FAILING" != "${0##*/}" ]
S
done
gpu_bench() { MULTIWALK_BUILT=1 BUILD_DIR=$work/build bash "$tests/gpu.sh" bench; }
expect passed nothing gpu_bench
for step in forces "${benches[@]}"; do expect failed $step gpu_bench; done

code=0
multiwalk=$work/build/multiwalk reader=no_such_module bash -c "source '$tests/support/find_python.sh'" >said 2>&1 || code=$?
[ $code -eq 77 ] && grep -q '^SKIPPED.*no_such_module' said || { echo "without a Python module: exit code $code, $(cat said)"; failures=1; }
exit $failures
