#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_functions.py must let 60 lines and a complexity of 15 pass, and catch one more of each, in kernels and members, too.
#   test_check_functions.sh BUILD
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_functions.py
build=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# text_of HEAD LINES IFS: with as many lines in all, `if`s among them.
text_of() {
  echo "$1 {"
  for ((i = 0; i < $2 - 2; ++i)); do [ "$i" -lt "$3" ] && echo "  if (a > $i) a -= $i;" || echo "  a += $i;"; done
  echo "}"
}
# expect passed|caught WORDS FILE LINE...
expect() {
  local got=passed output
  mkdir -p "$(dirname "$tree/$3")"
  printf '%s\n' "${@:4}" >"$tree/$3"
  output=$(python3 -B "$check" "$build" "$tree" 2>&1) || got=$?
  [ "$got" != 77 ] || { echo "$output" && exit 77; }
  [ "$got" = passed ] || got=caught
  [ "$got" = "$1" ] && grep -qF "$2" <<<"$output" || { echo "FAIL: expected $1 '$2', got $got: $output" && failures=1; }
  rm "$tree/$3"
}

expect passed '' host/a.cpp "$(text_of 'void f(int a)' 60 14)"
expect caught 'host/a.cpp:1: f has 61 lines' host/a.cpp "$(text_of 'void f(int a)' 61 1)"
expect caught 'f has 20 lines (60 at most) and a complexity of 16' host/a.cpp "$(text_of 'void f(int a)' 20 15)"
expect caught 'device/a.cu:1: a_kernel has 61 lines' device/a.cu "$(text_of '__global__ void a_kernel(int a)' 61 1)"
expect caught 'device/a.cuh:1: a_kernel has 61 lines' device/a.cuh "$(text_of 'template <int n> __device__ void a_kernel(int a)' 61 1)"
expect caught 'Tree::grow has 30 lines (60 at most) and a complexity of 17' run/a.hpp 'struct Tree {' "$(text_of 'void grow(int a) const' 30 16)" '};'
expect caught 'no function' host/a.cpp '// nothing'
exit $failures
