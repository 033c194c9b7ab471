#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `multiwalk power` of a small box just made: linear theory at small k, tables that agree with each other, and the same
# bytes on 1 and 3 ranks.
#   test_power_command.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/shown_text.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
  echo "FAILED: $*"
  exit 1
}

cat >box.toml <<'T'
[model]
kind = "box"
box_size = 100
[ic]
grid = 24
z_start = 49
fixed_amplitude = true
T
"$multiwalk" ic box.toml -o box.hdf5 >/dev/null 2>&1 || fail "making a box"
"$multiwalk" power box.hdf5 --folds 2 --json power.json --csv power.csv --html power.html >power.txt || fail "power"
on 3 "$multiwalk" power box.hdf5 --folds 2 --json on_3.json >/dev/null || fail "on 3 ranks"
cmp power.json on_3.json || fail "3 ranks find another spectrum than one"
"$multiwalk" power box.hdf5 --folds 2 --json - >stdout.json || fail "JSON to standard output"
cmp power.json stdout.json || fail "standard output is not the file"

[ "$(wc -l <power.csv)" -eq $(($(grep -o '"fold":' power.json | wc -l) + 1)) ] || fail "bins of the table and of JSON"
[ "$(head -1 power.csv)" = k,power,modes,sigma,shot_noise,fold,linear ] || fail "head of the table"
shows power.html 'linear theory' || fail "no linear theory in the chart"
grep -q '13,824 particles at z = 49' power.txt || fail "what was measured: $(head -1 power.txt)"
# Amplitudes are fixed: no scatter but that of a bin's width.
awk -F, 'NR > 1 && $1 < 0.3 { if ($2 < 0.85 * $7 || $2 > 1.15 * $7) { print; bad = 1 } n++ } END { exit bad || n < 4 }' \
  power.csv || fail "power at small k is not linear theory"
# Linear theory by a table: P = 1 at all k today, so the column is one number times its power.
printf '%s\n' '1e-4 1' '1e-2 1' '1 1' '100 1' >flat.txt
"$multiwalk" power box.hdf5 --transfer flat.txt --csv flat.csv >/dev/null || fail "linear theory by a table"
awk -F, 'NR == 2 { first = $7 } NR > 1 && ($7 <= 0 || $7 > 1.001 * first || $7 < 0.999 * first) { print; bad = 1 }
  END { exit bad || NR < 5 }' flat.csv || fail "linear theory is not the table's"
echo "power of a box on 1 and 3 ranks, as JSON, table and chart: as it should be"
exit_unless_shown
