#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_licences.sh [ROOT]: every source file names its licence in its first two lines (SPDX). Prints those that do not.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

files() {
  if [ -e .git ]; then git ls-files; else find . -type f -not -path './build*' -not -path './.git/*' -printf '%P\n'; fi
}
breaches=0
while read -r name; do
  head -n 2 "$name" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
    { echo "$name: no line \"SPDX-License-Identifier: GPL-3.0-or-later\" at its top"; breaches=1; }
done < <(files | grep -E '(\.(cpp|hpp|cu|cuh|c|h|f90|sh|py|cmake|js|css)|CMakeLists\.txt|Containerfile|^\.ci/run|/page\.html)$' |
  grep -v '^run/pages/uplot/')
exit $breaches
