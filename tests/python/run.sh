#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD MPIEXEC SOURCE: the tests of the Python module in BUILD; exit code 77, with the reason, where the module was
# not built or no Python here has what they need.
set -u
build=$1 mpiexec=$2 source=$3
ls "$build"/python_package/multiwalk/_multiwalk*.so >/dev/null 2>&1 || {
  echo "SKIPPED, not tested here: the Python module was not built (cmake -DMULTIWALK_PYTHON=ON)"
  exit 77
}
export PYTHONPATH=$build/python_package PYTHONDONTWRITEBYTECODE=1 MULTIWALK_MPIEXEC=$mpiexec MULTIWALK_SOURCE=$source
export MULTIWALK_PROGRAM=$build/multiwalk MPLBACKEND=Agg OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
for python in "$build/python/bin/python" python3 /usr/bin/python3; do
  "$python" -c 'import pytest, multiwalk._multiwalk' 2>/dev/null || continue
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work" || exit 1
  "$python" -m pytest -q -p no:cacheprovider --basetemp "$work/tests" -rs "$source/tests/python" | tee "$work/said"
  status=${PIPESTATUS[0]}
  [ "$status" -eq 0 ] && grep '^SKIPPED .*: no [A-Za-z0-9]* here' "$work/said" | grep -v 'no GPU here' >"$work/missing" || exit "$status"
  echo "SKIPPED: these were not tested, all others passed:" && cat "$work/missing" && exit 77
done
echo "SKIPPED, not tested here: no Python here imports both pytest and the module (pip install pytest numpy)"
exit 77
