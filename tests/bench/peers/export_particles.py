#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the particles of a Newtonian snapshot as a tipsy file (Bonsai reads it) or as raw arrays."""
import argparse
import os

from peer_files import Fault, exit_with_one_line, read_snapshot, write_raw, write_tipsy


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("snapshot", help="made by multiwalk ic or multiwalk run")
    arguments.add_argument("--tipsy", metavar="FILE", help="tipsy of version 2, little-endian")
    arguments.add_argument("--raw", metavar="FOLDER", help="position.raw, velocity.raw, mass.raw, id.raw")
    given = arguments.parse_args()
    if not (given.tipsy or given.raw):
        raise Fault("nothing to write: give --tipsy FILE or --raw FOLDER")
    particles = read_snapshot(given.snapshot)
    if given.tipsy:
        write_tipsy(given.tipsy, particles)
    if given.raw:
        os.makedirs(given.raw, exist_ok=True)
        write_raw(given.raw, particles)
    print(f"{len(particles['mass'])} particles written")


exit_with_one_line(main)
