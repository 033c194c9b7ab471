#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_layout.sh [ROOT]: no source file beyond 500 lines, at most 25 files directly in a folder, and the folder map of
# ARCHITECTURE.md names every folder and no other. The map is the fenced block after the line "## Folders"; a folder is
# a line's first word ending in "/".
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
breaches=0

files() {
  if [ -e .git ]; then git ls-files; else find . -type f -not -path './build*' -not -path './.*' -printf '%P\n'; fi
}
sources=$(files | grep -E '\.(cpp|hpp|cu|cuh|h|sh)$')

while read -r lines name; do
  [ "$name" = total ] || [ "$lines" -le 500 ] || { echo "$name has $lines lines: 500 at most"; breaches=1; }
done < <(xargs wc -l <<<"$sources")

while read -r count folder; do
  [ "$count" -le 25 ] || { echo "$folder has $count files: 25 at most"; breaches=1; }
done < <(files | grep / | sed 's|/[^/]*$||' | sort | uniq -c)

mapped=$(awk '/^## / {inside = ($0 == "## Folders")} inside && $1 ~ /^[a-z0-9_\/]+\/$/ {print $1}' ARCHITECTURE.md | sort -u)
present=$(files | grep -E '^(host|device|decomposition|ic|analysis|run|tests)/.*/' | cut -d/ -f1,2 | sed 's|$|/|'
  files | grep -E '^[a-z]+/' | cut -d/ -f1 | sed 's|$|/|')
present=$(sort -u <<<"$present")
missing=$(comm -13 <(echo "$mapped") <(echo "$present"))
gone=$(comm -23 <(echo "$mapped") <(echo "$present"))
[ -z "$missing" ] || { echo "ARCHITECTURE.md's folder map lacks:" $missing; breaches=1; }
[ -z "$gone" ] || { echo "ARCHITECTURE.md's folder map names folders that do not exist:" $gone; breaches=1; }
exit $breaches
