#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every test of the MPI test program ran, not skipped, on at least one of the registered numbers of ranks. Disabled tests
# are test_watchdog.sh's.
#   check_all_run.sh MPIEXEC NUMPROC_FLAG MPI_TESTS RECORD...   records: names of the tests that ran, one a line
set -euo pipefail
mpiexec=$1 flag=$2 tests=$3
shift 3
may_be_skipped='Snapshot.AFullDiskStopsAll'  # mounts a file system, which not every machine allows

names=$("$mpiexec" "$flag" 1 "$tests" --gtest_list_tests |
  awk '/^[^ ].*\.( |$)/ { suite = $1 } /^  / && $1 !~ /^DISABLED_/ { print suite $1 }')
[ -n "$names" ] || { echo "FAILED: $tests lists no tests" && exit 1; }
failures=0
for name in $names; do
  ! grep -qxF -e "$name" "$@" || continue
  if [ "$name" = "$may_be_skipped" ]; then
    echo "not tested here: $name, no file system may be mounted"
  else
    echo "FAILED: $name ran on no number of ranks: see the filters in tests/CMakeLists.txt and its GTEST_SKIP"
    failures=$((failures + 1))
  fi
done
[ $failures -eq 0 ] || exit 1
echo "every test ran on some number of ranks: $(wc -w <<<"$names") tests"
