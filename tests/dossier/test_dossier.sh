#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_dossier.sh BUILD: the dossier's quickest comparison passes, and fails with --break-force.
set -u
multiwalk=$1/multiwalk reader=rebound,matplotlib
source "$(dirname "${BASH_SOURCE[0]}")/../support/find_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dossier() {
  MULTIWALK_DOSSIER_PYTHON=$python "$(dirname "${BASH_SOURCE[0]}")/run.sh" "$@" --only few_bodies --cache "$work/cache"
}
dossier "$1" -o "$work/sound" || { echo "FAILED: a comparison of the sound program fails"; exit 1; }
grep -q '<svg' "$work/sound/dossier.html" || { echo "FAILED: the page has no chart"; exit 1; }
dossier "$1" -o "$work/broken" --break-force >"$work/log"
status=$?
cat "$work/log"
[ $status -eq 1 ] && [ "$(grep -c '^  NO' "$work/log")" -eq 3 ] || { echo "FAILED: forces wrong by 1% pass"; exit 1; }
