#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Snapshots that are not what they seem, by every command that reads one: virtual masters without their sources, masses that
# contradict omega_m, particles of different masses. And what `ic` writes.
#   test_strange_snapshots.sh MULTIWALK CHANGE_FILES
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../support/refusals.sh"
limit=(timeout -k 1 60)
multiwalk=$(realpath "$1")
change=$(realpath "$2")
export OMP_NUM_THREADS=2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# warns PATTERN COMMAND...: success, and a warning that matches.
warns() {
  local pattern=$1
  shift
  timeout -k 1 100 "$@" >out.txt 2>err.txt || report "failed: $* said: $(cat err.txt)"
  grep -qE "WARNING: .*$pattern" out.txt err.txt || report "no warning of '$pattern' from: $*"
}
checksum() { "$multiwalk" info --check --json - "$1" 2>err.txt | sed -n 's/.*"checksum": "\(.*\)".*/\1/p'; }

cat >box.toml <<'T'
[model]
kind = "box"
box_size = 16
[ic]
grid = 16
z_start = 9
[force]
accuracy = "fast"
[output]
error_sample = 0
census_epochs = 0
T
cat >from.toml <<'T'
[model]
kind = "file"
[force]
accuracy = "fast"
[time]
z_end = 8.5
[output]
error_sample = 0
census_epochs = 0
images = false
T
sphere=(--set 'model.kind="sphere"' --set model.radius=8 --set ic.grid=20)
"$multiwalk" ic box.toml -o box.hdf5 >out.txt 2>&1 || report "making a box: $(cat out.txt)"
"$multiwalk" ic box.toml "${sphere[@]}" -o sphere.hdf5 >out.txt 2>&1 || report "making a sphere: $(cat out.txt)"
from() { # FILE SETTING...
  local file=$1
  shift
  "$multiwalk" run from.toml --set "model.file=\"$file\"" --set run.directory=run --overwrite "$@"
}
export -f from
export multiwalk

# A copy of a distributed snapshot's master.
mkdir beside elsewhere
cp box.hdf5 beside/part.hdf5
"$change" virtual beside/master.hdf5 beside/part.hdf5 || report "making a virtual master"
[ "$(checksum beside/master.hdf5)" = "$(checksum box.hdf5)" ] || report "a virtual master is not its source: $(cat err.txt)"
# Another folder that the environment names is not read instead.
"$multiwalk" ic box.toml --set model.seed=99 -o elsewhere/part.hdf5 >out.txt 2>&1 || report "making another box"
export HDF5_VDS_PREFIX=$work/elsewhere
[ "$(checksum beside/master.hdf5)" = "$(checksum box.hdf5)" ] || report "HDF5_VDS_PREFIX changes what is read"
rm beside/part.hdf5
for command in info 'info --check' power halos 'profile --halo 0' 'image -o no.png' 'accuracy --sample 10' plan 'plan --ranks 8'; do
  # shellcheck disable=SC2086
  refuses 'its source part.hdf5 .* is missing' "$multiwalk" ${command%% *} beside/master.hdf5 \
    $([ "$command" = "${command#* }" ] || echo "${command#* }")
done
refuses 'its source part.hdf5 .* is missing' bash -c 'from beside/master.hdf5'
refuses 'its source part.hdf5 .* is missing' "$multiwalk" bench steps from.toml --set 'model.file="beside/master.hdf5"'
[ ! -e run ] && [ ! -e no.png ] || report "a virtual master without its source left something"
unset HDF5_VDS_PREFIX

# Masses that contradict omega_m.
for name in box sphere; do
  cp $name.hdf5 heavy.hdf5
  "$change" scale heavy.hdf5 Header MassTable 1.2 || report "making a heavy $name"
  what="heavy.hdf5: its particles have 1.[12][0-9]* times the mass that omega_m = [0-9.]* gives the $name"
  for command in info 'info --check' halos 'image -o heavy.png' 'accuracy --sample 10 --theta 0.6'; do
    # shellcheck disable=SC2086
    warns "$what" "$multiwalk" ${command%% *} heavy.hdf5 $([ "$command" = "${command#* }" ] || echo "${command#* }")
  done
  refuses "$what.*allow_mass_mismatch" bash -c 'from heavy.hdf5'
  [ ! -e run ] || report "a refused run left a directory"
  refuses "$what.*allow_mass_mismatch" "$multiwalk" plan heavy.hdf5
  refuses "$what.*allow_mass_mismatch" "$multiwalk" plan heavy.hdf5 --ranks 8
  refuses "$what.*allow_mass_mismatch" "$multiwalk" bench steps from.toml --set 'model.file="heavy.hdf5"'
  warns "$what" "$multiwalk" plan heavy.hdf5 --set model.allow_mass_mismatch=true
  warns "$what" bash -c 'from heavy.hdf5 --set model.allow_mass_mismatch=true'
  grep -qE "$what" run/log.txt || report "no word of the masses in the log"
  rm -rf run
  "$multiwalk" info --check $name.hdf5 >out.txt 2>err.txt
  ! grep -q WARNING err.txt || report "a good $name is warned of: $(cat err.txt)"
done
cp box.hdf5 heavy.hdf5
"$change" scale heavy.hdf5 Header MassTable 1.2
warns 'gives the box' "$multiwalk" power heavy.hdf5
warns 'gives the box' "$multiwalk" profile heavy.hdf5 --halo 0 --linking 1.1

# Halos of particles with different masses are linked by one length, with a warning.
cp box.hdf5 mixed.hdf5
"$change" masses mixed.hdf5 1.01 || report "making different masses"
warns "particles' masses differ" "$multiwalk" halos mixed.hdf5
warns "particles' masses differ" bash -c 'from mixed.hdf5 --set output.halos=true'
! "$multiwalk" halos box.hdf5 2>&1 | grep -q WARNING || report "equal masses are warned of"

# The file name is the one asked for; accelerations, in several files.
"$multiwalk" ic box.toml -o z1.h5 >out.txt 2>&1 && [ "$(cat out.txt | tail -1)" = "z1.h5: 4096 particles" ] && [ -s z1.h5 ] ||
  report "ic -o z1.h5: $(cat out.txt)"
! "$change" datasets z1.h5 | grep -q Acceleration || report "accelerations that were not asked for"
"$multiwalk" ic box.toml -o set.h5 --set output.files_per_snapshot=3 --set output.accelerations=true >out.txt 2>&1 ||
  report "a set of files with accelerations: $(cat out.txt)"
for k in 0 1 2; do
  "$change" datasets set.$k.h5 | grep -qx Acceleration || report "no accelerations in set.$k.h5"
done
sums() { "$multiwalk" info --check --json - "$1" | sed -n 's/.*"set_checksum": "\(.*\)".*/\1/p'; }
[ -n "$(sums set.1.h5)" ] && [ "$(sums set.1.h5)" = "$(sums z1.h5)" ] || report "a set of files is not the one file"

if [ $failures -eq 0 ]; then echo "strange snapshots are known for what they are"; else exit 1; fi
