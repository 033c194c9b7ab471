#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_shortened.py must pass a true list, and catch a pattern that only looks like one, a name that is gone, a line without
# a reason, a part that is none, a test that shortens itself unlisted, and a wrong filter of a test.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p tests/structure build/tests bin
cp "$here/check_shortened.py" tests/structure
for program in unit_tests physics_tests mpi_tests; do
  printf '%s\n' '#!/bin/sh' "printf '%s\n' 'Criteria/Cut.' '  IsRead/0  # GetParam() = 1' '  IsRead/2' 'Plan.' '  Grows'" >build/tests/$program
done
echo 'kills=${MULTIWALK_QUICK:+4}' >tests/test_kills.sh
echo 'kills=4' >tests/test_stops.sh
echo '{"configurePresets": [{"name": "check"}]}' >CMakePresets.json
filter='*Plan*-*IsRead*'
printf '#!/bin/sh\ncat "%s"\n' "$tree/tests.json" >bin/ctest
chmod +x build/tests/* bin/ctest
failures=0

# expect passed|caught WORDS LINE...: these lines beside the true ones.
expect() {
  local got=passed output
  printf '{"tests": [{"name": "kills", "command": ["bash", "%s"]}, {"name": "stops", "command": ["bash", "%s"]}, %s]}\n' \
    "$tree/tests/test_kills.sh" "$tree/tests/test_stops.sh" \
    "{\"name\": \"mpi_4\", \"command\": [\"$tree/build/tests/mpi_tests\", \"--gtest_filter=$filter\"]}" >tests.json
  printf '%s\n' '# a list' 'part kills | forty kills | four' 'long mpi_*:Plan.Grows | long | others' "${@:3}" >tests/shortened.txt
  output=$(python3 tests/structure/check_shortened.py "$tree/bin/ctest" build 2>&1) || got=caught
  [ "$got" = "$1" ] && grep -qF "$2" <<<"$output" || { echo "FAIL: expected $1 '$2', got $got: $output" && failures=1; }
}

expect passed '' 'optimised Criteria/Cut.*/2:Plan.G?ows | slow | /0' 'preset check | quick | the same' \
  'kernels -DCMAKE_CUDA_FLAGS=-O0 | no GPU | the same' 'elsewhere tests/test_stops.sh | hours | by hand'
expect caught 'optimised Criteria/Cut.*/[23]: nothing has this name' 'optimised Criteria/Cut.*/[23] | slow | /0'
expect caught 'optimised Plan.Shrinks: nothing' 'optimised Plan.Grows:Plan.Shrinks | slow | Plan'
expect caught 'long Plan.Shrinks: nothing' 'long Plan.Shrinks | slow | Plan'
expect caught 'long mpi_5: nothing' 'long mpi_5 | slow | mpi_4'
expect caught 'preset quick: nothing' 'preset quick | slow | the same'
expect caught 'elsewhere tests/gone.sh: nothing' 'elsewhere tests/gone.sh | hours | by hand'
expect caught 'there twice' 'optimised Plan.Grows:Plan.Grows | slow | Plan'
expect caught 'not KIND NAME' 'optimised Plan.Grows |  | Plan'
expect caught 'not KIND NAME' 'shorter Plan.Grows | slow | Plan'
expect caught 'does not read MULTIWALK_QUICK' 'part stops | slow | four'
echo 'kills=${MULTIWALK_QUICK:+4}' >tests/test_stops.sh
expect caught 'the test stops reads MULTIWALK_QUICK'
echo 'kills=4' >tests/test_stops.sh
filter='*Plan*-*IsRead*:*Grew*'
expect caught 'the test mpi_4: no test of mpi_tests is called *Grew*'
exit $failures
