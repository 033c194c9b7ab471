#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_licences.sh [ROOT]: every source file, script and example names its licence in its first two lines (SPDX), and
# COPYRIGHT names the holder. Prints what does not. Inputs of fuzz targets are data.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

files() {
  if [ -e .git ]; then git ls-files; else find . -type f -not -path './build*' -not -path './.git/*' -printf '%P\n'; fi
}
breaches=0
while read -r name; do
  head -n 2 "$name" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
    { echo "$name: no line \"SPDX-License-Identifier: GPL-3.0-or-later\" at its top"; breaches=1; }
done < <(files | grep -v -e '^tests/fuzz/corpus/' -e '^run/pages/uplot/' |
  grep -E '(\.(cpp|hpp|cu|cuh|c|h|f90|sh|py|cmake|toml|map|in|js|css)|CMakeLists\.txt|Containerfile|\.clang-(format|tidy)|^\.ci/run|/page\.html)$')
grep -qs '^Copyright (C) [0-9-]* The Multiwalk developers$' COPYRIGHT ||
  { echo "COPYRIGHT: no line \"Copyright (C) YEAR The Multiwalk developers\""; breaches=1; }
exit $breaches
