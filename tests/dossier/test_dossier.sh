#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_dossier.sh BUILD: the dossier's quickest comparison passes, and fails for the program whose forces are too strong by 1%: few
# bodies, or without rebound a plane wave. A comparison without its reference counts as neither passed nor failed.
set -u
multiwalk=$1/multiwalk reader=matplotlib
source "$(dirname "${BASH_SOURCE[0]}")/../support/find_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }
dossier() {
  MULTIWALK_DOSSIER_PYTHON=$python "$(dirname "${BASH_SOURCE[0]}")/run.sh" "$@" --small --cache "$work/cache" | tee "$work/log"
  return "${PIPESTATUS[0]}"
}
names=few_bodies figures=3
"$python" -c 'import rebound' 2>/dev/null || { echo "MISSING: few_bodies, which needs rebound (pip install rebound)" && names=plane_waves figures=2; }
dossier "$1" --only $names -o "$work/sound" || fail "a comparison of the sound program fails"
[ "$(grep -c '^  ok' "$work/log")" -eq $figures ] || fail "not $figures figures were compared"
grep -q '<svg' "$work/sound/dossier.html" || fail "the page has no chart"
dossier "$1" --only $names -o "$work/broken" --break-force
[ $? -eq 1 ] && [ "$(grep -c '^  NO' "$work/log")" -eq $figures ] || fail "forces that are too strong by 1% pass"
dossier "$1" --only ewald --abacus "$work/nowhere" -o "$work/none"
[ $? -eq 77 ] && grep -q '^MISSING: ewald was not compared' "$work/log" || fail "nothing was compared, and that passes"
