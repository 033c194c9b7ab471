#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# unit_shards.sh BUILD_FOLDER PROCESSES: all unit tests, in shards of which PROCESSES run at a time. Few tests are long and a
# process takes longer to start than most tests to run: three shards for each process. Shows the end of the output of each
# shard that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 processes=$2 shards=$((3 * $2))
export GTEST_TOTAL_SHARDS=$shards OMP_WAIT_POLICY=passive
export LSAN_OPTIONS=suppressions=$PWD/tests/support/leak_suppressions.txt:print_suppressions=0
rm -f "$build"/unit_tests_*.log
shard() {
  GTEST_SHARD_INDEX=$2 timeout 1500 "$1/tests/unit_tests" >"$1/unit_tests_$2.log" 2>&1 || { tail -n 40 "$1/unit_tests_$2.log" && exit 1; }
}
export -f shard
failed=0
seq 0 $((shards - 1)) | xargs -P "$processes" -I{} bash -c 'shard "$1" {}' - "$build" || failed=1
ran=$(cat "$build"/unit_tests_*.log | grep -c '^\[ RUN  ') || true
[ "$ran" -gt 0 ] || { echo "no unit test ran" && failed=1; }
echo "$ran unit tests in $shards shards: $([ $failed -eq 0 ] && echo passed || echo FAILED)"
exit $failed
