# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced, with their arguments MPIEXEC NUMPROC_FLAG MULTIWALK, by tests that run the program on ranks of one thread each:
# sets $mpiexec, $flag, $multiwalk and $support, this folder.
mpiexec=$1
flag=$2
multiwalk=$(realpath "$3")
support=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
export OMP_NUM_THREADS=1 OMPI_MCA_rmaps_base_oversubscribe=1

# on RANKS COMMAND...: at most 250 s.
on() { timeout 250 "$mpiexec" "$flag" "$@"; }
