# SPDX-License-Identifier: GPL-3.0-or-later
"""Communicators of mpi4py."""
from __future__ import annotations

from typing import Any

from . import _multiwalk
from ._multiwalk import InputError


def ranks_of(comm: Any) -> _multiwalk.Ranks:
    """The ranks of an mpi4py communicator; None: this process alone, without MPI. Collective."""
    if comm is None:
        return _multiwalk.Ranks()
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise InputError(f"comm needs mpi4py, which cannot be imported: {error}") from None
    if not isinstance(comm, MPI.Comm):
        raise InputError(f"comm = {comm!r}: give a communicator of mpi4py, such as MPI.COMM_WORLD, or None")
    if comm == MPI.COMM_NULL:
        raise InputError("comm is MPI.COMM_NULL: this rank is not part of it")
    return _multiwalk.Ranks(MPI._addressof(comm), MPI.Get_library_version())
