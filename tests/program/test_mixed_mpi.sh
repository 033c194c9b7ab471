#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_mixed_mpi.sh SOURCE_FOLDER MPI_NAME: configuring must stop, and say why, at an HDF5 that needs another MPI than the
# one found, and continue with a serial one. The HDF5 is an empty library that a false h5pcc names; nothing is built with
# it.
set -euo pipefail
source=$1 mpi=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
: >log

mkdir include
printf '#define H5_VERSION "1.10.8"\n' | tee include/hdf5.h >include/H5pubconf.h
cat >h5pcc <<H5PCC
#!/bin/sh
case " \$* " in
  *" -showconfig "*) echo "HDF5 Version: 1.10.8" ;;
  *" -show "*) echo "gcc -I$work/include -L$work -lhdf5" ;;
esac
H5PCC
chmod +x h5pcc

configure() {
  rm -rf build
  cmake -G Ninja -S "$source" -B build -DMULTIWALK_TESTS=OFF -DMULTIWALK_CUDA=OFF -DHDF5_C_COMPILER_EXECUTABLE="$work/h5pcc" \
    -DHDF5_NO_FIND_PACKAGE_CONFIG_FILE=ON "${@}" >log 2>&1
}
fail() {
  echo "FAIL: $1"
  cat log
  exit 1
}
# fake_library NAME NEEDED: lib<NAME>.so that needs the shared library NEEDED, or nothing.
fake_library() {
  local link=()
  if [ -n "$2" ]; then
    gcc -shared -Wl,-soname,"$2" -o "$2" -x c /dev/null
    link=(-Wl,--no-as-needed "$work/$2")
  fi
  gcc -shared -o "lib$1.so" -x c /dev/null -x none "${link[@]}"
}

case $mpi in
  MPICH) own=libmpich.so.12 other=libmpi.so.40 built_for='Open MPI' ;;
  'Open MPI') own=libmpi.so.40 other=libmpich.so.12 built_for=MPICH ;;
  *) fail "the MPI found is '$mpi', neither MPICH nor Open MPI" ;;
esac

fake_library hdf5 "$other"
! configure || fail "an HDF5 for $built_for was taken with $mpi"
message="libhdf5.so was built for $built_for (it needs $other), but the MPI found is $mpi"
tr -s ' \n' ' ' <log | grep -qF "$message" || fail "configuring stopped without saying: $message"
fake_library hdf5 "$own"
configure || fail "an HDF5 for $mpi itself was refused"
fake_library hdf5 ""
configure || fail "a serial HDF5 was refused"
