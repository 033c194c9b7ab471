#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# slowest.sh BUILD...: the 20 slowest tests of the last runs of unit_shards.sh and, by its ctest.xml, of ctest in these folders.
set -euo pipefail
for build in "$@"; do
  cat "$build"/unit_tests_*.log 2>/dev/null | sed -nE 's/^\[ +OK \] ([^ ,]+).* \(([0-9]+) ms\)$/\2e-3 \1/p' | sed "s|\$| ($build)|" || true
  sed -nE 's/.*<testcase name="([^"]*)".* time="([0-9.]+)".*/\2 \1/p' "$build/ctest.xml" 2>/dev/null || true
done | sort -grk 1,1 | awk 'NR <= 20 {seconds = $1; $1 = ""; printf "%8.1f %s\n", seconds, $0}'
