#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_links.sh [ROOT]: every link of a page (*.md) to a file, folder or heading of this checkout leads somewhere, and
# every file that a page, a comment or a script names by its path from the root exists. No network.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
export LC_ALL=C
breaches=0

files() {
  if [ -e .git ]; then git ls-files; else find . -type f -not -path './build*' -not -path './.git/*' -printf '%P\n'; fi
}
all=$(files)
pages=$(grep '\.md$' <<<"$all" || true)
present=$(while read -r file; do  # files, and the folders above them
  echo "$file"
  while [[ $file == */* ]]; do file=${file%/*} && echo "$file"; done
done <<<"$all" | sort -u)

# PAGE#anchor of every heading, as public hosts make them: a heading's lower-case letters, digits, _ and -, spaces as -;
# the second and third of a name get -1, -2.
# shellcheck disable=SC2086
anchors=$([ -z "$pages" ] || awk '
  FNR == 1 { fence = 0 }
  /^ *```/ { fence = !fence }
  !fence && /^#+ / {
    text = tolower($0); sub(/^#+ +/, "", text); gsub(/\]\([^)]*\)/, "", text); gsub(/[^a-z0-9 _-]/, "", text); gsub(/ /, "-", text)
    seen = count[FILENAME, text]++
    print FILENAME "#" text (seen ? "-" seen : "")
  }' $pages)

# PAGE:LINE TARGET of every link outside code.
# shellcheck disable=SC2086
links=$([ -z "$pages" ] || awk '
  FNR == 1 { fence = 0 }
  /^ *```/ { fence = !fence; next }
  fence { next }
  {
    gsub(/`[^`]*`/, "``")
    while (match($0, /<img src="[^"]+"/)) {
      print FILENAME ":" FNR " " substr($0, RSTART + 10, RLENGTH - 11)
      sub(/<img src=/, "")
    }
    while (match($0, /\]\([^)]+\)/)) {
      print FILENAME ":" FNR " " substr($0, RSTART + 2, RLENGTH - 3)
      $0 = substr($0, RSTART + RLENGTH)
    }
  }' $pages)

dead() { printf '%s: %s\n' "$1" "$2" && breaches=1; }

while read -r where target; do
  [[ -z $target || $target =~ ^[a-z]+: ]] && continue
  page=${where%%:*} path=${target%%#*} anchor=
  [[ $target == *#* ]] && anchor=${target#*#}
  file=$page
  [ -z "$path" ] || file=$(realpath -m --relative-to=. "$(dirname "$page")/$path")
  if ! grep -qxF -- "$file" <<<"$present"; then
    dead "$where" "the link to $target leads nowhere"
  elif [ -n "$anchor" ] && ! grep -qxF -- "$file#$anchor" <<<"$anchors"; then
    dead "$where" "$file has no heading #$anchor"
  fi
done <<<"$links"

# FILE:LINE PATH named in pages, and in comments of everything else; tests of these checks name files that do not exist.
# shellcheck disable=SC2046
named=$(awk -v folders='host|device|decomposition|ic|analysis|run|tests' '
  {
    text = $0
    if (FILENAME !~ /\.md$/ && !sub(/^.*(\/\/|# )/, " ", text)) next
    while (match(text, "(^|[^A-Za-z0-9_./*-])(" folders ")/[A-Za-z0-9_./-]+[.](md|[ch]pp|cuh?|h|toml|sh|txt|png|html|py|f90|dat)")) {
      path = substr(text, RSTART, RLENGTH); sub(/^[^a-z]/, "", path)
      text = substr(text, RSTART + RLENGTH)
      if (text !~ /^[A-Za-z0-9_*]/) print FILENAME ":" FNR " " path
    }
  }' /dev/null $(grep -E '\.(md|[ch]pp|cuh?|h|toml|sh|cmake|py)$|CMakeLists\.txt$|Containerfile$' <<<"$all" |
    grep -vE '^tests/structure/test_|^CHANGELOG\.md$'))
while read -r where path; do
  [ -z "$path" ] || grep -qxF -- "$path" <<<"$present" || dead "$where" "names $path, which does not exist"
done < <(awk 'NR == FNR { there[$0]; next } !($2 in there)' <(echo "$present") <(echo "$named"))
exit $breaches
