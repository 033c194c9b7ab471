#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_layout.sh must pass a right tree, and catch a long file, a full folder, an unmapped folder and a mapped one that is gone.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_layout.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
cd "$tree"

expect() {
  local output got=passed
  output=$(bash "$check" "$tree" 2>&1) || got=caught
  if [ "$got" != "$1" ] || ! grep -q "$2" <<<"$output"; then
    echo "FAIL: expected $1 '$2', got $got: $output"
    failures=1
  fi
}

mkdir -p host/tree run
seq 500 >host/tree/octree.cpp
echo x >run/main.cpp
printf '%s\n' '## Folders' '```' 'host/         one process' 'host/tree/    the tree' 'run/   the program' '```' >ARCHITECTURE.md
expect passed ''
echo 501 >>host/tree/octree.cpp
expect caught 'host/tree/octree.cpp has 501 lines'
seq 500 >host/tree/octree.cpp
touch host/tree/{1..25}.hpp
expect caught 'host/tree has 26 files'
rm host/tree/*.hpp
mkdir ic && echo x >ic/plummer.cpp
expect caught 'lacks: ic/$'
rm -r ic host/tree && echo x >host/box.hpp
expect caught 'do not exist: host/tree/$'
exit $failures
