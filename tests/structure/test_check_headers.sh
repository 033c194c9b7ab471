#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_headers.py must pass headers that include what they use, in one text where each includes the others, and catch one that
# leans on what another includes, whether it begins a text or not.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{tests/structure,build,host/base,host/tree}
cp "$here/check_headers.py" "$tree/tests/structure"
cd "$tree"
echo "[{\"file\": \"a.cpp\", \"command\": \"c++ -std=c++20 -O2 -I$tree -o tests/CMakeFiles/unit_tests.dir/a.cpp.o -c a.cpp\"}]" \
  >build/compile_commands.json
failures=0

# expect passed|caught WORDS
expect() {
  local got=passed output
  output=$(MULTIWALK_QUICK='' python3 -B tests/structure/check_headers.py build 2>&1) || got=caught
  [ "$got" = "$1" ] && grep -q "$2" <<<"$output" || { echo "FAIL: expected $1 '$2', got $got: $output" && failures=1; }
}

printf '%s\n' '#pragma once' '#include <vector>' 'struct A { std::vector<int> all; };' >host/base/a.hpp
printf '%s\n' '#pragma once' '#include "host/base/a.hpp"' 'struct B { A a; };' >host/base/b.hpp
printf '%s\n' '#pragma once' '#include "host/base/b.hpp"' 'struct C { B b; A a; };' >host/tree/c.hpp
printf '%s\n' '#pragma once' 'inline int d() { return 1; }' >host/tree/d.hpp
expect passed '4 headers in 2 texts'
printf '%s\n' '#pragma once' 'struct D { std::vector<int> all; };' >host/tree/d.hpp
expect caught 'FAILED alone: one of host/tree/d.hpp'
printf '%s\n' '#pragma once' '#include "host/base/a.hpp"' 'struct D { B b; };' >host/tree/d.hpp
expect caught 'FAILED alone: one of host/'
printf '%s\n' '#pragma once' '#include "host/base/b.hpp"' 'struct D { C c; };' >host/tree/d.hpp
expect caught 'FAILED alone: one of host/'
printf '%s\n' '#include "host/tree/d.hpp"' >host/tree/d.cpp  # compiled with its own source
expect passed '3 headers in 1 texts'
exit $failures
