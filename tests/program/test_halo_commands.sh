#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Halos as a user meets them: at the outputs of a run, by `multiwalk halos` and `profile`; on one rank and on three the
# same bytes.
#   test_halo_commands.sh MPIEXEC NUMPROC_FLAG MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/shown_text.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

cat >run.toml <<'T'
[run]
directory = "run"
[model]
kind = "sphere"
radius = 6
[ic]
grid = 20
[output]
halos = true
halo_images = 1
image_pixels = 64
error_sample = 0
census_epochs = 0
T

on 3 "$multiwalk" run run.toml --set time.eta=0.1 >run.log 2>&1 || fail "the run: $(tail -3 run.log)"
snapshot=run/snapshot_000.hdf5
[ -s run/fof_subhalo_tab_000.hdf5 ] || fail "no catalogue beside the snapshot"
shows run/report.html 'friends-of-friends groups hold' || fail "no halos in the report"
[ -s run/image_000_halo_0.png ] && shows run/report.html 'halo 0 · image_000_halo_0.png' &&
  grep -q '"image_000_halo_0.png":"iVBORw0KGgo' run/report.html ||
  fail "no picture of the largest halo"
grep -q '"file":"fof_subhalo_tab_000.hdf5"' <(tr -d ' \n' <run/report.json) || fail "no catalogue in report.json"

for ranks in 1 3; do
  on $ranks "$multiwalk" halos $snapshot --csv h$ranks.csv --json h$ranks.json --html h$ranks.html \
    --hdf5 fof_subhalo_tab_$ranks.hdf5 >h$ranks.log || fail "halos on $ranks"
  on $ranks "$multiwalk" profile $snapshot --halo 1 --csv p$ranks.csv --json p$ranks.json --html p$ranks.html \
    >p$ranks.log || fail "profile on $ranks"
  on $ranks "$multiwalk" image $snapshot --halo 1 --pixels 100 -o i$ranks.png >/dev/null || fail "picture on $ranks"
  shows h$ranks.html 'Jenkins et al. (2001)' && shows p$ranks.html 'Circular velocity' || fail "no charts on $ranks"
done
for file in h%.csv h%.json h%.log p%.csv p%.json p%.log i%.png; do
  cmp "${file/\%/1}" "${file/\%/3}" || fail "$file differs between 1 rank and 3"
done
found=$(($(wc -l <h1.csv) - 1))
[ $found -ge 5 ] || fail "only $found halos"
head -1 h1.log | grep -q "^$found halos with" || fail "summary: $(head -1 h1.log)"
grep -q 'from the centre, Mpc/h' h1.log && shows h1.html 'from the centre' && head -1 h1.csv | grep -q 'x_from_centre' ||
  fail "places in a sphere do not say from where"
[ "$(wc -l <p1.csv)" -eq 31 ] || fail "a profile has 30 bins"
few=$("$multiwalk" halos $snapshot --min-particles 200 | head -1)
[ "${few%% *}" -eq "$(awk -F, 'NR > 1 && $3 >= 200' h1.csv | wc -l)" ] || fail "--min-particles 200: $few"

refuses() {
  local pattern=$1
  shift
  "$@" >/dev/null 2>err.txt
  [ $? -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q "$pattern" err.txt || fail "$*: $(cat err.txt)"
}
refuses "there are $found halos" "$multiwalk" profile $snapshot --halo $found
refuses "there are $found halos" "$multiwalk" image $snapshot --halo $found -o no.png
refuses 'cannot\|No such' "$multiwalk" halos missing.hdf5
"$multiwalk" ic run.toml --set 'model.kind="plummer"' --set model.particles=100 --set output.halos=false -o plummer.hdf5 >/dev/null
refuses 'Newtonian' "$multiwalk" halos plummer.hdf5

if [ $failures -eq 0 ]; then echo "halos and profiles as they should be"; else exit 1; fi
exit_unless_shown
