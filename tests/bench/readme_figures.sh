#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# readme_figures.sh [--minutes M] [-o FOLDER] [NAME...]: measures the figures of README.md and run/examples/results/README.md
# and writes them into the table tests/bench/figures/table.tsv, whose other rows stay as they are. NAME is a figure, or gpu (on
# one GPU) or cpu (on two cores), each at most ten minutes (--minutes); without a name both. --list names them all; those that take
# longer, several GPUs or the machine for themselves run only when they are named. -o: the table is copied into FOLDER
# and changed there, beside the report pages of the runs.
#   tests/bench/figures/figures.py check      the pages state what the table does (the test readme_figures)
#   tests/bench/figures/figures.py update     writes the table's figures into the pages
# BUILD_DIR names the build folder (default build_gpu, or build without a GPU), MULTIWALK_CMAKE_ARGS adds arguments to cmake;
# MULTIWALK_BUILT=1 takes the program as it lies there. MULTIWALK_COMMIT names the commit of a program that was built outside a
# repository. MPIEXEC names the launcher. Fails if a program does; a missing GPU leaves its rows as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
gpu=OFF
! nvidia-smi -L &>/dev/null || gpu=ON
[ $gpu = ON ] && usual=build_gpu || usual=build
build=${BUILD_DIR:-$usual}
case " $* " in *' --list '* | *' --help '* | *' -h '*) MULTIWALK_BUILT=1 ;; esac
if [ -z "${MULTIWALK_BUILT:-}" ]; then
  # shellcheck disable=SC2086
  cmake ${MULTIWALK_CMAKE_ARGS:-} -S . -B "$build" -DMULTIWALK_CUDA=$gpu -DCMAKE_BUILD_TYPE=Release
  cmake --build "$build" --parallel "$(nproc)" --target multiwalk
fi
[ -n "${MPIEXEC:-}" ] || MPIEXEC=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null) || true
export MPIEXEC
exec python3 -u tests/bench/figures/measure.py "$build/multiwalk" "$@"
