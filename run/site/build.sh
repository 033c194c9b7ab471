#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh [FOLDER]: the documentation site in FOLDER (default build/site), from the pages of this checkout. Warnings,
# such as a page that run/site/contents.md lacks, are errors. Its tools live in a Python environment below build/; 77
# (skipped) where they cannot be had. Tutorials are executed if the Python module is in build/python_package and
# MULTIWALK_TUTORIALS is not empty.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
site=${1:-build/site}
tools=build/site_tools
{ [ -x $tools/bin/pip ] || python3 -m venv $tools; } && $tools/bin/pip install -q -r run/site/requirements.txt ||
  { echo "build.sh: pip cannot install run/site/requirements.txt (its reason is above)" >&2 && exit 77; }
export PYTHONPATH=$PWD/build/python_package MATPLOTLIBRC=$PWD/run/site/matplotlibrc OMP_WAIT_POLICY=passive
if $tools/bin/python -c 'import multiwalk._multiwalk' 2>/dev/null; then
  export MULTIWALK_TUTORIALS=${MULTIWALK_TUTORIALS-execute}
else
  unset MULTIWALK_TUTORIALS
  echo "build.sh: the Python module was not built (cmake -DMULTIWALK_PYTHON=ON): tutorials have no results"
fi
$tools/bin/sphinx-build -q -W --keep-going -b html -c run/site -d build/site_cache . "$site"
echo "open $site/README.html"
