#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# unit_shards.sh BUILD_FOLDER SHARDS: all unit tests, shared out between SHARDS processes: a process takes longer to start
# than most tests to run. Shows the end of the output of each process that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 shards=$2
export GTEST_TOTAL_SHARDS=$shards OMP_WAIT_POLICY=passive
export LSAN_OPTIONS=suppressions=$PWD/tests/support/leak_suppressions.txt:print_suppressions=0
processes=() failed=0
for ((shard = 0; shard < shards; ++shard)); do
  GTEST_SHARD_INDEX=$shard timeout 1500 "$build/tests/unit_tests" >"$build/unit_tests_$shard.log" 2>&1 &
  processes+=($!)
done
for ((shard = 0; shard < shards; ++shard)); do
  wait "${processes[shard]}" || { failed=1 && tail -n 40 "$build/unit_tests_$shard.log"; }
done
ran=$(cat "$build"/unit_tests_*.log | grep -c '^\[ RUN  ') || true
[ "$ran" -gt 0 ] || { echo "no unit test ran" && failed=1; }
echo "$ran unit tests in $shards processes: $([ $failed -eq 0 ] && echo passed || echo FAILED)"
exit $failed
