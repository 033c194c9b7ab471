#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_links.sh must pass a right tree, and name page and line of dead links, headings and names.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_links.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
cd "$tree"

# expect passed|caught FILE LINE...: the last line is the one to be judged.
expect() {
  local wanted=$1 file=$2 got=passed output
  shift 2
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$@" >"$file"
  output=$(bash "$check" "$tree" 2>&1) || got=caught
  if [ "$got" != "$wanted" ] || { [ "$got" = caught ] && ! grep -q "^$file:$#: " <<<"$output"; }; then
    echo "FAIL: expected $wanted, got $got, for '${*: -1}' in $file: $output"
    failures=1
  fi
  rm "$file"
}

mkdir -p host/tree run/examples
echo x >host/tree/octree.hpp
echo x >run/examples/demo.toml
printf '%s\n' '# Guide' '## Two words, `code` & more' '```' '# no heading' '```' '## Twice' '## Twice' >run/GUIDE.md

expect passed a.md '[file](host/tree/octree.hpp) [folder](run/examples) [page](run/GUIDE.md)'
expect passed run/examples/a.md '[up](../GUIDE.md) [beside](demo.toml) ![picture](demo.toml)'
expect passed a.md '[heading](run/GUIDE.md#two-words-code--more) [second](run/GUIDE.md#twice-1)'
expect passed a.md '# Here' '[own heading](#here)'
expect passed a.md '[elsewhere](https://example.org/none.md) [mail](mailto:nobody@example.org)'
expect passed a.md '`a[i](gone.md)`' '```' '[code](gone.md)'
expect passed a.md 'host/tree/octree.hpp. ../run/gone.md, x/run/gone.md, host/tree/*.hpp'
expect passed host/a.cpp 'open("run/gone.html");  // see host/tree/octree.hpp'
expect caught a.md '# Page' '[file](host/tree/gone.hpp)'
expect caught run/a.md '[from the root](run/GUIDE.md)'
expect caught a.md '[good](run/GUIDE.md), [bad](run/GUIDES.md)'
expect caught a.md '<img src="run/examples/gone.png" alt="gone">'
expect caught a.md '[heading](run/GUIDE.md#gone)'
expect caught a.md '[code is no heading](run/GUIDE.md#no-heading)'
expect caught a.md '[own heading](#gone)'
expect caught a.md 'see host/tree/gone.hpp'
expect caught a.md '```' 'build/multiwalk run run/examples/gone.toml'
expect caught host/a.cpp '#include <vector>' '/// (host/gone.hpp)'
expect caught run/examples/a.toml '# host/time/gone.md'
exit $failures
