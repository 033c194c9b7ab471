#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_quickstart.sh SOURCE: quickstart.sh compiles kernels for the GPUs that are here, for none without one, and as its flags or
# an earlier build say; it tells how long the build will take. Stand-ins take the place of the programs that it calls.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
script() { mkdir -p "$(dirname "$1")" && cat >"$1" && chmod +x "$1"; }
mkdir -p run/examples
cp "$source"/run/{quickstart,install_packages}.sh run
echo 'install_packages() { :; }' >>run/install_packages.sh
echo 'directory = "box"' >run/examples/lcdm_box.toml
script bin/nvidia-smi <<<'[ -n "$CARDS" ] && printf "%s\n" $CARDS'
script bin/nproc <<<'echo 4'
script bin/ninja <<<'for ((i = 0; i < LEFT; ++i)); do echo "c++ -o $i.cxx.o -c a.cxx"; echo "nvcc -c b.cu -o $i.cu.o"; done'
script bin/cmake <<'S'
echo "cmake $*" >>calls
[ "$1" != --preset ] || printf '%s\n' "$@" | sed -n 's/^-D\(CMAKE_CUDA_ARCHITECTURES\)=/\1:STRING=/p' >build/CMakeCache.txt
S
script prepared_multiwalk <<'S'
mkdir -p box && echo ' "finished": true' >box/report.json
S
# expect CARDS WORDS OPTION...: cmake is called, or the user told, with these words.
expect() {
  rm -rf build box calls
  mkdir build && cp prepared_multiwalk build/multiwalk
  [ -z "${CACHE:-}" ] || touch build/CMakeCache.txt
  CARDS=$1 LEFT=${LEFT:-30} PATH=$work/bin:$PATH bash run/quickstart.sh "${@:3}" >said 2>&1 || { echo "FAIL: $*: $(tail -n 3 said)"; failures=1; }
  cat calls >>said
  grep -qF -- "$2" said || { echo "FAIL: no '$2' with GPUs '$1' and options '${*:3}': $(cat said)"; failures=1; }
}

expect '' '-DMULTIWALK_CUDA=OFF'
expect '' 'no GPU here'
expect '7.0' '-DMULTIWALK_CUDA=OFF'
expect '9.0 9.0' '-DMULTIWALK_CUDA=AUTO -DCMAKE_CUDA_ARCHITECTURES=90'
expect '8.0 9.0' '-DCMAKE_CUDA_ARCHITECTURES=80;90'
expect '' '-DMULTIWALK_CUDA=ON' --gpu
expect '9.0' '-DMULTIWALK_CUDA=OFF' --no-gpu
CACHE=yes expect '9.0' 'cmake --preset release'
! grep CUDA calls || failures=1
expect '9.0' 'the build will take about 4 min'        # 30 (12 + 20) s by 4 jobs
expect '8.0 9.0' 'the build will take about 7 min'
LEFT=0 expect '9.0' 'set up and built'
! grep 'the build will take' said || failures=1
exit $failures
