#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that `multiwalk convert` writes for other codes, read by other people's programs, and one that pynbody writes. 77 without
# the reader.
#   test_foreign_in_python.sh READER MULTIWALK     READER: pynbody, yt or swiftsimio
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
multiwalk=$(realpath "$2")
reader=$1
source "$here/../../support/find_python.sh"
export OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*" && exit 1; }
convert() { "$multiwalk" convert "$@" >out.txt 2>&1 || fail "convert $*: $(cat out.txt)"; }
units='model.units={length="kpc/h", mass="1e10 Msun/h", velocity="km/s"}'

"$multiwalk" ic "$here/box.toml" -o own.hdf5 >out.txt 2>&1 || fail "initial conditions: $(cat out.txt)"
"$python" "$here/make_foreign.py" own.hdf5 . "$reader" || fail "making the files"
if [ "$reader" = swiftsimio ]; then
  convert zoom.gadget zoom.swift --format swift --set "$units"
  "$python" "$here/check_swift.py" zoom.hdf5 zoom.swift swiftsimio || fail "a zoom for SWIFT as swiftsimio reads it"
  exit 0
fi
for format in gadget1 gadget2; do convert own.hdf5 single.$format --format $format --precision single; done
"$python" "$here/check_converted.py" "$reader" own.hdf5 single.gadget1 single.gadget2 || fail "GADGET's formats as $reader reads them"
if [ "$reader" = pynbody ]; then
  convert pynbody.gadget back.hdf5 --set "$units"
  "$python" "$here/check_converted.py" pynbody back.hdf5 single.gadget1 || fail "a file that pynbody wrote"
fi
