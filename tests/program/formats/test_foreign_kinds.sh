#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Initial conditions as other codes write them, made by struct and h5py: runs from them give the power spectra of runs
# from our own format; commands read them; conversions return; damaged files are refused. 77 without h5py.
#   test_foreign_kinds.sh MULTIWALK
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/../../support/refusals.sh"
limit=(timeout -k 1 60)
multiwalk=$(realpath "$1")
reader=numpy
source "$here/../../support/find_python.sh"
export OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cp "$here/box.toml" .
sed 's/kind = "box"/kind = "file"/; /box_size/d' box.toml >from.toml
units() { echo "model.units={length=\"$1\", mass=\"1e10 Msun/h\", velocity=\"km/s\"}"; }
"$multiwalk" ic box.toml -o own.hdf5 >out.txt 2>&1 || { cat out.txt; exit 1; }
"$python" "$here/make_foreign.py" own.hdf5 . >made.txt || { echo "FAILED: making the files"; exit 1; }

# power_of NAME FILE SETTING...: the spectrum at z = 3 of a run from FILE, in NAME.json.
power_of() {
  local name=$1 file=$2
  shift 2
  "$multiwalk" run from.toml --set "model.file=$file" --set run.directory="run_$name" "$@" >"$name.log" 2>&1 ||
    { report "the run from $file: $(tail -3 "$name.log")"; return; }
  "$multiwalk" power "run_$name"/snapshot_000.hdf5 --mesh 32 --json - >"$name.json" 2>err.txt || report "power of $name: $(cat err.txt)"
}
same() { "$python" "$here/compare_power.py" "$1.json" "$2.json" 1e-4 || report "the spectrum from $2 is not that from $1"; }

power_of own own.hdf5
power_of one one.gadget --set "$(units kpc/h)"
power_of two two.1 --set "$(units kpc/h)"
power_of no_units no_units.hdf5 --set "$(units Mpc/h)"
power_of swift swift.hdf5
power_of own_zoom own_zoom.hdf5
power_of zoom zoom.hdf5 --set "$(units kpc/h)"
power_of zoom_binary zoom.gadget --set "$(units kpc/h)"
for kind in one two no_units swift; do same own $kind; done
for kind in zoom zoom_binary; do same own_zoom $kind; done
power_of faster one.gadget --set 'model.units={length="kpc/h", mass="1e10 Msun/h", velocity="1001 m/s"}'
! "$python" "$here/compare_power.py" own.json faster.json 1e-4 >out.txt || report "velocities 0.1% too large make no difference"

for kind in zoom one; do
  "$multiwalk" run from.toml --set model.file="$kind.$([ $kind = zoom ] && echo hdf5 || echo gadget)" --set "$(units kpc/h)" \
    --set run.directory="auto_$kind" --set force.softening=auto --set time.z_end=23 >"auto_$kind.log" 2>&1 ||
    report "a run with the default softening: $(tail -3 "auto_$kind.log")"
done
grep -q "masses differ by a factor of 8, and the default softening" auto_zoom.log || report "no word about a zoom's softening"
! grep -q "masses differ" auto_one.log || report "equal masses are warned of"

# Commands that look at a file.
for command in 'info --check' 'power' 'halos --min-particles 5' 'image -o picture.png' 'accuracy --sample 10'; do
  # shellcheck disable=SC2086
  "$multiwalk" ${command%% *} two.0 $(echo "$command" | cut -s -d' ' -f2-) --set "$(units kpc/h)" >out.txt 2>err.txt ||
    report "$command of a binary set: $(cat err.txt)"
done
"$multiwalk" plan one.gadget --set "$(units kpc/h)" >out.txt 2>err.txt || report "plan of a file: $(cat err.txt)"
"$multiwalk" plan from.toml --set model.file=one.gadget --set "$(units kpc/h)" >out.txt 2>err.txt || report "plan: $(cat err.txt)"

# Conversions. The set_checksum is that of positions, velocities and ids to the last bit.
sums() { "$multiwalk" info --check --json - "$@" 2>err.txt | sed -n 's/.*"set_checksum": "\(.*\)".*/\1/p'; }
convert() { "$multiwalk" convert "$@" >out.txt 2>err.txt || report "convert $*: $(cat err.txt)"; }
convert two.0 back.gadget --format gadget1 --set "$(units kpc/h)"
cmp back.gadget <("$python" - <<'P'
import sys
data = bytearray(open("double.gadget", "rb").read())
data[4 + 196] = 1  # flag_doubleprecision, which our writer sets
sys.stdout.buffer.write(data)
P
) || report "two files of format 2, big-endian, are not the file of format 1"
convert one.gadget one.hdf5 --set "$(units kpc/h)"
convert one.hdf5 again.gadget --format gadget1
cmp one.gadget again.gadget || report "GADGET's format 1 to HDF5 and back"
convert one.hdf5 s.hdf5 --format swift --precision double
convert s.hdf5 again.gadget --format gadget1 --precision single
cmp <(tail -c +265 one.gadget) <(tail -c +265 again.gadget) || report "through SWIFT's format and back"
convert zoom.gadget z.hdf5 --set "$(units kpc/h)"
[ -n "$(sums z.hdf5)" ] && [ "$(sums z.hdf5)" = "$(sums zoom.gadget --set "$(units kpc/h)")" ] || report "a zoom in HDF5"
for format in gadget1 gadget2 hdf5 swift; do
  convert zoom.gadget "zoom.$format" --format $format --set "$(units kpc/h)"
  [[ $format == gadget* ]] && set -- --set "$(units kpc/h)" || set --
  "$multiwalk" info --check "zoom.$format" "$@" >out.txt 2>err.txt || report "zoom.$format is not read: $(cat err.txt)"
done
"$python" "$here/check_swift.py" zoom.hdf5 zoom.swift >out.txt 2>&1 || report "a zoom for SWIFT: $(tail -3 out.txt)"
convert own.hdf5 own.gadget2 --format gadget2
[ "$(sums own.hdf5)" = "$(sums own.gadget2 --set "$(units kpc/h)")" ] || report "our own in format 2"
refuses 'add --format' "$multiwalk" convert one.gadget x.dat --set "$(units kpc/h)"
refuses 'is the input' "$multiwalk" convert one.gadget one.gadget --format gadget2 --set "$(units kpc/h)"

# Refusals.
refuses 'one.gadget: .*set model.units = .length = "kpc/h".*agrees with omega_m' "$multiwalk" info one.gadget
refuses 'gas.gadget: holds 3 gas particles' "$multiwalk" info gas.gadget --set "$(units kpc/h)"
refuses 'nan.gadget: Velocities hold NaN' "$multiwalk" info --check nan.gadget --set "$(units kpc/h)"
refuses 'nan.gadget: its velocities hold NaN' "$multiwalk" convert nan.gadget no.hdf5 --set "$(units kpc/h)"
refuses 'none.gadget: holds no particles' "$multiwalk" info none.gadget --set "$(units kpc/h)"
refuses 'swift.hdf5: has no /Cosmology' "$multiwalk" info swift.hdf5
head -c 50000 one.gadget >cut.gadget
refuses 'cut.gadget: .*truncated \(byte' "$multiwalk" info cut.gadget --set "$(units kpc/h)"
refuses 'cut.gadget: .*truncated \(byte' "$multiwalk" run from.toml --set model.file=cut.gadget --set "$(units kpc/h)"
printf 'x%.0s' {1..600} >letters
refuses 'letters: is not an HDF5 file' "$multiwalk" info letters
[ ! -e run ] && [ ! -e no.hdf5 ] && [ ! -e no.hdf5.partial ] || report "a refusal left something"

if [ $failures -eq 0 ]; then echo "files of other codes give the same universes"; else exit 1; fi
