#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a peer's accelerations by direct sums in double precision and writes a row for table.py."""
import argparse
import json

from peer_files import Fault, exit_with_one_line, np, read_raw, read_snapshot


def accelerations_of(given, particles):
    """(N, 3) in the snapshot's order."""
    pulls = read_raw(given.accelerations, given.type, 3)
    number = len(particles["mass"])
    if len(pulls) != number:
        raise Fault(f"{given.accelerations} has {len(pulls)} accelerations, the snapshot {number} particles")
    pulls = pulls.astype(np.float64)
    if not given.ids:
        return pulls
    ids = read_raw(given.ids, "<u8", 1)
    theirs, ours = np.argsort(ids), np.argsort(particles["id"])
    if len(ids) != number or not np.array_equal(ids[theirs], particles["id"][ours]):
        raise Fault(f"{given.ids} does not hold the snapshot's particle numbers")
    sorted_pulls = np.empty_like(pulls)
    sorted_pulls[ours] = pulls[theirs]
    return sorted_pulls


def exact_pull(particles, target, softening, law):
    """plummer: 1/(r^2 + s^2)^(3/2); floor: 1/max(r, s)^3."""
    d = particles["position"] - particles["position"][target]
    r2 = np.einsum("ij,ij->i", d, d)
    r2 = r2 + softening**2 if law == "plummer" else np.maximum(r2, softening**2)
    r2[target] = 1
    return (particles["mass"].astype(np.float64) / (r2 * np.sqrt(r2))) @ d


def errors_of(given, particles, pulls):
    number = len(pulls)
    if given.sample < 1000 and given.sample < number:
        raise Fault("a 99% error needs a sample of 1000 or more")
    chosen = np.random.default_rng(given.seed).permutation(number)[:given.sample]
    exact = np.array([exact_pull(particles, i, given.softening, given.law) for i in chosen])
    return np.linalg.norm(pulls[chosen] - exact, axis=1) / np.linalg.norm(exact, axis=1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    add = arguments.add_argument
    add("snapshot", help="the particles, as Multiwalk wrote them")
    add("accelerations", help="raw array (N, 3) with G = 1, in the snapshot's order unless --ids is given")
    add("output", help="row to write (JSON)")
    add("--ids", help="raw array (N) of 64-bit numbers, those of id.raw, in the order of the accelerations")
    add("--type", default="<f4", choices=["<f4", "<f8"], help="of the accelerations (default: %(default)s)")
    add("--softening", type=float, required=True)
    add("--law", default="plummer", choices=["plummer", "floor"], help="1/(r^2 + s^2)^(3/2) or 1/max(r, s)^3")
    add("--sample", type=int, default=1000, help="particles compared (default: %(default)s)")
    add("--seed", type=int, default=1)
    add("--code", required=True, help="name and commit of the peer")
    add("--setting", required=True, help="what was varied, e.g. 'theta 0.4'")
    add("--end", required=True, choices=["host", "resident", "step"],
        help="what was timed: forces from host arrays to host arrays, forces resident, or a whole step")
    add("--seconds", type=float, required=True, help="median of several")
    given = arguments.parse_args()
    if not given.seconds > 0:
        raise Fault("--seconds must be greater than 0")
    particles = read_snapshot(given.snapshot)
    errors = errors_of(given, particles, accelerations_of(given, particles))
    row = {"code": given.code, "setting": given.setting, "end": given.end, "seconds": given.seconds,
           "particles": len(particles["mass"]), "sample": len(errors),
           "median": float(np.quantile(errors, 0.5)), "p99": float(np.quantile(errors, 0.99))}
    with open(given.output, "w") as file:
        json.dump(row, file, indent=1)
    print(f"{row['code']}, {row['setting']}: median {row['median']:.2e}, 99% {row['p99']:.2e} of {row['sample']} particles")


exit_with_one_line(main)
