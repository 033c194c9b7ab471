#!/usr/bin/env bash
# Every check that this machine can run: installs what is missing, builds, runs the unit tests under the sanitizers, then
# all tests (style and structure included; GPU tests are skipped without a device). Ends with ctest's own closing line.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh

install_packages "${build_packages[@]}" "${check_packages[@]}"
# yt and pynbody read what runs write; where they cannot be had, those tests say so.
mkdir -p build
(python3 -m venv build/python && timeout 400 build/python/bin/pip install -q --only-binary :all: h5py yt pynbody) \
  >build/python.log 2>&1 &
readers=$!
# Without a GPU kernels are compiled once, for any from the A100 on.
nvidia-smi -L &>/dev/null || MULTIWALK_CMAKE_ARGS="-DCMAKE_CUDA_ARCHITECTURES=80 ${MULTIWALK_CMAKE_ARGS:-}"
configure_and_build release build all
configure_and_build debug build_debug unit_tests
wait $readers || say "no yt and pynbody here, see build/python.log: tests of files in Python do without"
say "unit tests under the address and undefined-behaviour sanitizers"
ctest --preset debug -j "$(nproc)" --no-tests=error
say "speed, alone on the machine"
ctest --test-dir build -L bench --output-on-failure ||
  say "a speed goal is missed on this machine, see above; other work on it counts too, so this alone fails nothing"
say "all other tests"
ctest --test-dir build -LE bench -j "$(nproc)" --output-on-failure --no-tests=error
