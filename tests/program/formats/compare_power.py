# SPDX-License-Identifier: GPL-3.0-or-later
# compare_power.py A.json B.json LIMIT: fails unless both spectra have the same bins and powers that differ by at most LIMIT.
import json
import sys


def bins(path):
    with open(path) as file:
        return json.load(file)["bins"]


one, other = bins(sys.argv[1]), bins(sys.argv[2])
assert len(one) == len(other) > 5, "different bins"
difference = max(abs(b["power"] / a["power"] - 1) for a, b in zip(one, other))
print(f"{difference:.2e} {sys.argv[2]}")
sys.exit(0 if difference <= float(sys.argv[3]) else 1)
