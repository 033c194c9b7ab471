#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_licences.sh [ROOT]: every source file, script and example names its licence in its first two lines (SPDX), COPYRIGHT
# names the holder, and THIRD_PARTY.md has the notices of what comes from others, files that are there, and a row for each
# library of run/dependencies.cmake. Prints what does not. Inputs of fuzz targets are data.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

files() {
  if [ -e .git ]; then git ls-files; else find . -type f -not -path './build*' -not -path './.git/*' -printf '%P\n'; fi
}
breaches=0
while read -r name; do
  echo "$name: no line \"SPDX-License-Identifier: GPL-3.0-or-later\" at its top"; breaches=1
done < <(files | grep -v -e '^tests/fuzz/corpus/' -e '^run/pages/uplot/' |
  grep -E '(\.(cpp|hpp|cu|cuh|c|h|f90|sh|py|cmake|toml|map|in|js|css)|CMakeLists\.txt|Containerfile|\.clang-(format|tidy)|^\.ci/run|/page\.html)$' |
  xargs -d '\n' awk 'FNR == 1 {top = 0} /SPDX-License-Identifier: GPL-3.0-or-later/ {top = 1} FNR == 2 {if (!top) print FILENAME; nextfile}')
grep -qs '^Copyright (C) [0-9-]* The Multiwalk developers$' COPYRIGHT ||
  { echo "COPYRIGHT: no line \"Copyright (C) YEAR The Multiwalk developers\""; breaches=1; }

third() { grep -qs "$@" THIRD_PARTY.md; }
libraries() {
  sed -nE 's/^(find_package|pkg_check_modules)\((\w+).*/\2/p; s/^foreach\(header (.*)\)/\1/p' run/dependencies.cmake |
    tr ' ' '\n' | sed 's:/.*::' | grep -vxE 'Threads|PkgConfig'
}
for notice in 'analysis/pictures/colours' 'CC0' 'uPlot 1.6' 'run/pages/uplot/LICENSE' 'DejaVu Sans' 'Bitstream' \
  'class_planck18_linear_z0.dat'; do
  third -F "$notice" || { echo "THIRD_PARTY.md: lacks \"$notice\""; breaches=1; }
done
for name in $(grep -oE '`[a-z]+/[^`]*`' THIRD_PARTY.md | tr -d '`' | grep -vE '^(share|dist)/'); do
  [ -e "$name" ] || { echo "THIRD_PARTY.md: $name is not there"; breaches=1; }
done
for library in $(libraries); do
  third -iE "^\|.*${library//+/\\+}.*\|.*\|" || { echo "THIRD_PARTY.md: no row for $library"; breaches=1; }
done
exit $breaches
