#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_arguments.py must catch seven arguments wherever they are declared, and let six and all calls pass.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_arguments.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# expect caught|passed FILE LINE
expect() {
  local got=passed output
  mkdir -p "$tree/$(dirname "$2")"
  printf '%s\n' '#include <vector>' "$3" >"$tree/$2"
  output=$(python3 "$check" "$tree" 2>&1) || got=caught
  if [ "$got" != "$1" ] || { [ "$got" = caught ] && ! grep -q "^$2:2: .* takes [78] arguments" <<<"$output"; }; then
    echo "FAIL: expected $1, got $got, for '$3' in $2: $output"
    failures=1
  fi
  rm "$tree/$2"
}

expect passed host/a.hpp 'double sum(int a, int b, int c, int d, int e, int f);'
expect caught host/a.hpp 'double sum(int a, int b, int c, int d, int e, int f, int g);'
expect caught host/a.hpp 'double sum(int, double, const Box&, Vec3d, float*, int, int);'
expect caught host/a.hpp 'Tree(const Box& a, int b = 1, int c = 2, int d = 3, int e = 4, int f = 5, Cube g = {}) : a_(a) {}'
expect caught host/a.hpp 'void (*sum)(int a, int b, int c, int d, int e, int f, int g);'
expect caught host/a.cpp 'const auto sum = [&](int a, int b, int c, int d, int e, int f, int g) { return a; };'
expect caught host/a.cpp 'void at(std::map<int, int> a, int b, int c, int d, int e, int f, int g) {}'
expect passed host/a.cpp 'void at(std::map<int, int> a, std::array<double, 3> b, int c, int d, int e, int f) {}'
expect caught device/a.cu '__global__ void sum_kernel(const Vec3d* a, const float b[], int c, int d, int e, int f, Vec3d* g) {}'
expect caught run/a.cpp 'void f(int /*one*/, int /*two*/, int, int, int, int, std::span<const int>) {}'
expect passed host/a.cpp '  sum(a, b, c, d, e, f, g);'
expect passed host/a.cpp '  const Tree tree(a, 2 * b, c[0], d(1), {1, 2}, &f, "seven, eight");'
expect passed host/a.cpp '  return std::tuple(a.one, a.two, a.three, a.four, a.five, b.six, b.seven);'
expect caught host/a.cpp 'template <class... T> void f(int a, int b, int c, int d, int e, int f, T&&... g) {}'
expect passed host/a.cpp '  // sum(int a, int b, int c, int d, int e, int f, int g)'
expect passed run/library/multiwalk_direct.h 'int sum(const double x[][3], double b, double c, int d, int e, int f, int g);'
exit $failures
