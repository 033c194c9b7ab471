#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run directories in which something is wrong: pipes and links under the names of a run's files, checkpoints of other runs,
# a damaged state, control characters in names. Each is refused or reported in one line, and nothing hangs.
#   test_restart_faults.sh MULTIWALK CHANGE_FILES
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../support/refusals.sh"
limit=(timeout -k 1 20)
multiwalk=$(realpath "$1")
change=$(realpath "$2")
export OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >small.toml <<'T'
[run]
directory = "run"
[model]
kind = "plummer"
particles = 100
[time]
t_end = 0.05
max_dt = 0.01
[force]
softening = 0.05
[output]
error_sample = 0
census_epochs = 0
images = false
T
# made DIRECTORY SETTING...: a run that was stopped after some steps.
made() {
  "$multiwalk" run small.toml --set "run.directory=\"$1\"" "${@:2}" >log.txt 2>&1
  [ $? -eq 3 ] || report "the run in $1 did not stop: $(tail -2 log.txt)"
}
made run --set time.max_steps=2
copy() { rm -rf copy && cp -r run copy; }

# Pipes under the names of a run's files.
for name in checkpoint_99999999.mwc checkpoint_00000002.part00001.mwc parameters.toml log.txt sizes.json report.json report.html \
  snapshot_000.hdf5 diagnostics.hdf5.partial; do
  copy
  rm -f copy/$name
  mkfifo copy/$name
  refuses "copy/$name has the name of a run's file but is a pipe" "$multiwalk" run --restart copy
  refuses "copy/$name has the name of a run's file but is a pipe" "$multiwalk" run small.toml --set 'run.directory="copy"' --overwrite
  refuses "copy/$name has the name of a run's file but is a pipe" "$multiwalk" report copy
done

# A log that is a link would be written elsewhere.
copy
echo mine >precious.txt
ln -sf ../precious.txt copy/log.txt
refuses 'log.txt is a link' "$multiwalk" run --restart copy
refuses 'log.txt is a link' "$multiwalk" run small.toml --set 'run.directory="copy"' --overwrite
[ "$(cat precious.txt)" = mine ] || report "the log was written through a link"
# Checkpoints may be links.
mkdir linked && ln -s ../run/checkpoint_00000002.mwc linked && "$multiwalk" run --restart linked --set time.max_steps=0 >out.txt 2>&1 ||
  report "a checkpoint behind a link: $(tail -2 out.txt)"

# A checkpoint of another run with the same parameters: newer, older, and without parameters.toml.
made other --set time.max_steps=3
[ "$(head -1 run/parameters.toml)" != "$(head -1 other/parameters.toml)" ] || report "two runs have one number"
copy
cp other/checkpoint_00000003.mwc copy
refuses 'checkpoint_00000003.mwc belongs to another run .* than parameters.toml' "$multiwalk" run --restart copy
rm copy/parameters.toml
refuses 'checkpoint_00000002.mwc belongs to another run .* than copy/checkpoint_00000003.mwc' "$multiwalk" run --restart copy
copy
cp other/checkpoint_00000003.mwc copy/checkpoint_00000001.mwc
refuses 'checkpoint_00000001.mwc belongs to another run' "$multiwalk" run --restart copy
rm copy/checkpoint_00000001.mwc
"$multiwalk" run --restart copy --set time.max_steps=0 >out.txt 2>&1 || report "a run's own checkpoint: $(tail -2 out.txt)"
! grep -q WARNING out.txt || report "a run's own checkpoint is warned of: $(grep WARNING out.txt)"
[ "$(head -1 run/parameters.toml)" = "$(head -1 copy/parameters.toml)" ] || report "a run lost its number at a restart"

# Somebody wrote parameters.toml again without the run's number: the checkpoints still hold it.
copy
sed -i 1d copy/parameters.toml
for steps in 3 4; do
  "$multiwalk" run --restart copy --set time.max_steps=$steps >out.txt 2>&1
  grep -q 'belongs to another run' out.txt && report "restart to step $steps: a run refuses its own checkpoint: $(tail -1 out.txt)"
done
[ "$(head -1 run/parameters.toml)" = "$(head -1 copy/parameters.toml)" ] || report "a run got another number at a restart"

# A checkpoint that names no run, as in older versions, and whose settings differ from those of the directory's run.
made theta --set time.max_steps=3 --set force.theta=0.4
"$change" anonymous theta/checkpoint_00000003.mwc || report "taking a number away"
copy
cp theta/checkpoint_00000003.mwc copy
"$multiwalk" run --restart copy --set time.max_steps=0 >out.txt 2>&1 || report "a checkpoint without a number: $(tail -2 out.txt)"
grep -q 'WARNING: other settings than parameters.toml has: .*force.theta from 0.6 to 0.4' out.txt ||
  report "no word of other settings: $(cat out.txt)"

# A state that is complete except for its record.
copy
"$change" record copy/checkpoint_00000002.mwc || report "damaging a record"
refuses 'state.* is damaged or of another version' "$multiwalk" run --restart copy
# The record of an older version.
copy
"$change" format copy/checkpoint_00000002.mwc || report "an older format"
refuses 'was written by multiwalk [0-9.]+ .*, whose record has another format: continue the run with that' "$multiwalk" run --restart copy
! grep -q 'json' err.txt || report "raw words of a library: $(cat err.txt)"

# Runs without a checkpoint at their end: a finished one is not begun anew by mistake, one that is stopped writes one.
without=(--set run.final_checkpoint=false)
"$multiwalk" run small.toml --set 'run.directory="ended"' "${without[@]}" >out.txt 2>&1 || report "a run without its last checkpoint: $(tail -2 out.txt)"
! compgen -G 'ended/checkpoint_*' >names.txt || report "a checkpoint although none is wanted: $(cat names.txt)"
cp -r ended before
refuses 'ended: the run is finished and left no checkpoint \(run.final_checkpoint = false\): start' "$multiwalk" run --restart ended
refuses 'the run is finished and left no checkpoint' "$multiwalk" run --restart ended --set time.t_end=0.1
diff -r before ended >out.txt || report "a refused restart changed its directory: $(cat out.txt)"
made stopped --set time.max_steps=2 "${without[@]}"
[ -e stopped/checkpoint_00000002.mwc ] || report "a stopped run wrote no checkpoint"
"$multiwalk" run --restart stopped --set time.max_steps=0 >out.txt 2>&1 || report "a stopped run goes on: $(tail -2 out.txt)"
[ "$(echo stopped/checkpoint_*)" = stopped/checkpoint_00000002.mwc ] || report "checkpoints of a run that went on: $(echo stopped/checkpoint_*)"
"$multiwalk" run --restart stopped --set time.max_steps=0 --set time.t_end=0.08 --set run.final_checkpoint=true >out.txt 2>&1 ||
  report "a finished run goes on from an earlier checkpoint: $(tail -2 out.txt)"
[ "$(compgen -G 'stopped/checkpoint_*' | wc -l)" -eq 2 ] || report "no checkpoint at a later end: $(echo stopped/checkpoint_*)"

# Control characters in names reach neither terminal nor log, 8-bit ones neither.
strange=$'a\x1b[31m\xc2\x9b31mb'
esc() { LC_ALL=C grep -q $'\x1b\|\xc2\x9b' "$@"; }
timeout 60 "$multiwalk" run small.toml --set 'run.directory="a\u001b[31m\u009b31mb"' --set time.max_steps=1 >out.txt 2>&1
[ -d "$strange" ] || report "no run in a strange directory: $(cat out.txt)"
! esc out.txt "$strange/log.txt" || report "control characters of a directory are printed"
grep -qF 'a\x1b[31m\xc2\x9b31mb' out.txt || report "a strange directory is not named: $(cat out.txt)"
"$multiwalk" ic small.toml -o "$strange.hdf5" >out.txt 2>&1 || report "a strange file: $(cat out.txt)"
"$multiwalk" info "$strange.hdf5" >>out.txt 2>&1
"$multiwalk" image "$strange.hdf5" -o "$strange.png" >>out.txt 2>&1
"$multiwalk" accuracy "$strange.hdf5" --sample 5 >>out.txt 2>&1
"$multiwalk" report "$strange" >>out.txt 2>&1
! esc out.txt || report "control characters of a file are printed: $(cat -v out.txt)"
for wrong in $'--bogus\n\x1b[31m' $'two\nlines'; do
  refuses 'bogus.n.x1b|two.nlines' "$multiwalk" info x.hdf5 "$wrong"
done

if [ $failures -eq 0 ]; then echo "every run directory was read or refused with a word"; else exit 1; fi
