#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_left_out.sh CTEST BUILD [PAGE]: tests/LEFT_OUT.md names, once and with a reason, every test with a label that tests/check.sh leaves
# out, every program of tests/bench and every reader that tests/check.sh installs, and no other.
set -euo pipefail
ctest=$1 build=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
page=${3:-tests/LEFT_OUT.md}
breaches=0
# names SECTION: the first cells of its tables, without the head.
names() {
  awk -v section="## $1" '/^## / {inside = ($0 == section)} inside && /^\| `/' "$page" | grep -o '^| [^|]*' | grep -o '`[^`]*`' | tr -d '`' | sort
}
# compare WHAT LISTED PRESENT
compare() {
  local name
  while read -r name; do [ -z "$name" ] || { echo "$page: $1 '$name' is not listed"; breaches=1; }; done < <(comm -13 <(sort -u <<<"$2") <(sort -u <<<"$3"))
  while read -r name; do [ -z "$name" ] || { echo "$page: there is no $1 '$name'"; breaches=1; }; done < <(comm -23 <(sort -u <<<"$2") <(sort -u <<<"$3"))
  while read -r name; do [ -z "$name" ] || { echo "$page: $1 '$name' is listed twice"; breaches=1; }; done < <(uniq -d <<<"$2")
}
labelled() { "$ctest" --test-dir "$build" -N -L "$1" | sed -n 's/^ *Test *#[0-9]*: //p' | sort; }

compare "long test" "$(names 'Long tests')" "$(labelled '^long$')"
physics=$(labelled '^physics_long$')
if grep -q NOT_BUILT <<<"$physics" || [ -z "$physics" ]; then
  echo "SKIPPED: physics_tests is not built"
  [ $breaches -eq 0 ] && exit 77 || exit 1
fi
compare "physics test" "$(awk '/^## / {inside = ($0 == "## Physics")} inside && /^\| `/' "$page" | sed 's/^| `\([^`]*\)`.*/\1/' | sort)" "$physics"
compare "bench" "$(names Benches)" "$(find tests/bench -maxdepth 1 -name '*.cpp' -printf '%f\n' | sed 's/\.cpp$//' | sort)"
installed=$(grep -oE 'read_with [a-zA-Z0-9 ]+' tests/check.sh | sed 's/read_with//' | tr ' ' '\n' | grep -vxE '|numpy|nanobind|pytest' | sort -u)
compare reader "$(names Readers | grep -vx ffmpeg | sort -u)" "$installed"
awk -F'|' '/^\| / && $3 ~ /^ *$/ {print FILENAME ": no reason for" $2; found = 1} END {exit found}' "$page" || breaches=1
exit $breaches
