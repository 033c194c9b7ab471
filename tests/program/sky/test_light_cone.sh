#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The light cone of a small box: its files agree with each other on 1 and 3 ranks and in other programs, and a run that is
# killed with SIGKILL again and again ends with the same files: FITS byte for byte, HDF5 in all data (it stores times of writing).
#   test_light_cone.sh MPIEXEC NUMPROC_FLAG MULTIWALK [KILLS] (or MULTIWALK_KILLS in the environment)
# With MULTIWALK_QUICK=1: no kill, no octant, cone or rotated copies, and halos on three ranks only.
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/../on_ranks.sh"
check=$here/check_light_cone.py
reader=healpy,scipy
source "$here/../../support/find_python.sh"
kills=${MULTIWALK_KILLS:-${4:-10}}
long=yes
[ -z "${MULTIWALK_QUICK:-}" ] || kills=0 long=
source "$here/../resumed_runs.sh"
trap 'kill -9 %1 2>/dev/null; rm -rf "$work"' EXIT

cat >run.toml <<'T'
[run]
directory = "whole"
checkpoint_every = "0.05 s"
threads = 1
[model]
kind = "box"
box_size = 80
[ic]
grid = 16
z_start = 9
[time]
z_end = 0
eta = 0.08
[force]
accuracy = "fast"
[output]
snapshots = false
images = false
error_sample = 0
census_epochs = 0
[lightcone]
particles = true
halos = true
shells = true
shell_velocities = true
observer = [1, 40, 79]
z_far = 0.08
shell_count = 3
nside = 32
T

"$multiwalk" run run.toml >whole.log 2>&1 || fail "the undisturbed run"
"$python" "$check" whole full || fail "the files of the whole sky"
[ ! -e whole/lightcone_particles_00000.rows ] || fail "rows are left behind"
on 3 "$multiwalk" run run.toml --set 'run.directory="three"' >three.log 2>&1 || fail "on 3 ranks"
"$python" "$check" three full whole || fail "3 ranks see another sky"
for sky in ${long:+octant cone}; do
  "$multiwalk" run run.toml --set "run.directory=\"$sky\"" --set "lightcone.opening=\"$sky\"" \
    --set 'lightcone.axis=[1,1,0.5]' --set lightcone.half_angle=30 >$sky.log 2>&1 || fail "an $sky"
  "$python" "$check" $sky $sky whole || fail "the files of the $sky"
done
turn() { "$@" --set lightcone.rotate_replicas=true --set lightcone.shift_replicas=true >turned.log 2>&1; }
[ -z "$long" ] || turn "$multiwalk" run run.toml --set 'run.directory="turned"' || fail "rotated copies"
[ -z "$long" ] || "$python" "$check" turned full || fail "the files with rotated copies"
[ -z "$long" ] || turn on 3 "$multiwalk" run run.toml --set 'run.directory="turned_three"' || fail "rotated copies on 3 ranks"
[ -z "$long" ] || "$python" "$check" turned_three full turned || fail "3 ranks see other copies"
halos() { "$@" --set model.box_size=50 --set lightcone.z_far=0.05 --set 'lightcone.observer=[1,25,49]' >halos.log 2>&1; }
[ -z "$long" ] || halos "$multiwalk" run run.toml --set 'run.directory="halos"' || fail "a cone with halos"
[ -z "$long" ] || "$python" "$check" halos halos || fail "the halos"
halos on 3 "$multiwalk" run run.toml --set 'run.directory="halos_three"' || fail "a cone with halos on 3 ranks"
"$python" "$check" halos_three halos || fail "the halos of 3 ranks"
"$multiwalk" sky whole >sky.txt || fail "multiwalk sky"
grep -q 'data-kind="sky"' whole/sky.html || fail "no page of the sky"
[ -z "$long" ] || "$multiwalk" sky octant >octant.txt || fail "multiwalk sky of an octant"
"$python" "$check" whole kappa || fail "the convergence"

# Killed anywhere, and continued.
compare() {
  local file
  for file in whole/lightcone_*.fits; do cmp "$file" "$1/${file#whole/}" || fail "$file after kills"; done
  "$python" "$check" "$1" same whole || fail "HDF5 files after kills"
}
kill_and_resume "$kills" 5 compare
echo "$done_kills kills in $round runs: the same light cone"

# Continued on another number of ranks: the same particles.
"$multiwalk" run run.toml --set 'run.directory="moved"' --set time.max_steps="$(($(wc -l <whole/steps.csv) - 4))" \
  >moved.log 2>&1
[ $? -eq 3 ] || fail "the run did not stop early"
[ -s moved/lightcone_particles_00000.rows ] || fail "the run stopped before its light cone began"
# Rows that were changed, and a table of steps that was, are refused.
for changed in lightcone_particles_00000.rows steps.csv; do
  rm -rf changed && cp -r moved changed
  middle=$(($(stat -c %s changed/$changed) / 2))
  other=7
  [ "$(od -An -tc -j $middle -N 1 changed/$changed | tr -d ' ')" != 7 ] || other=8
  printf $other | dd of=changed/$changed bs=1 seek=$middle conv=notrunc status=none
  "$multiwalk" run --restart changed >refused.log 2>&1 && fail "a changed $changed was taken"
  grep -q "$changed has other rows than" refused.log || fail "no word of the changed $changed: $(tail -1 refused.log)"
done
on 2 "$multiwalk" run --restart moved --set time.max_steps=0 >>moved.log 2>&1 || fail "going on with 2 ranks"
"$python" "$check" moved full whole || fail "2 ranks went on with another sky"

# A restart cannot change the light cone.
"$multiwalk" run --restart moved --set lightcone.nside=64 --set time.z_end=-0.01 >refused.log 2>&1 && fail "another light cone was taken"
grep -q 'a restart cannot change a light cone' refused.log || fail "no word of the light cone"
"$multiwalk" run run.toml --set 'run.directory="late"' --set lightcone.z_far=20 >refused.log 2>&1 && fail "z_far = 20"
grep -q 'before the start of the run' refused.log || fail "no word of z_far"
"$multiwalk" run run.toml --set 'run.directory="late"' --set lightcone.particles=false >refused.log 2>&1 &&
  fail "halos without particles"
grep -q 'halos needs lightcone.particles' refused.log || fail "no word of particles"
"$multiwalk" run run.toml --set 'run.directory="late"' --set lightcone.shells=false >refused.log 2>&1 &&
  fail "velocities without shells"
grep -q 'shell_velocities needs lightcone.shells' refused.log || fail "no word of velocities"
"$multiwalk" sky killed.log >refused.log 2>&1 && fail "a sky of no run"
grep -q 'has no shells' refused.log || fail "no word of shells"
