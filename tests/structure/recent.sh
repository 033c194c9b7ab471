#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# recent.sh PATTERN MOST: names of at most MOST files that match PATTERN (extended): those that differ from the last commit,
# those that the last 20 commits changed, latest first, and then others, drawn at random with the commit as the seed, so that
# all have their turn. Outside a repository: the latest by their times.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
names() {
  local commit
  commit=$(git rev-parse HEAD 2>/dev/null) || { find ./*/ -type f -printf "%T@ %p\n" | sort -rn | sed "s|^[^ ]* [.]/||"; return; }
  git diff --name-only HEAD
  git ls-files --others --exclude-standard
  git log -20 --name-only --format= --diff-filter=d
  git ls-files | shuf --random-source=<(yes "$commit")
}
names | awk -v pattern="$1" -v most="$2" '
  $0 ~ pattern && !seen[$0]++ && found < most && (getline line <$0) >= 0 {close($0); print; ++found}'
