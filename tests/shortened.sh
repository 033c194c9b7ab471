# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced in the folder of the checkout. shortened KIND: the names of that kind in tests/shortened.txt, joined by colons.
shortened() { sed -n "s/^$1 \([^|]*[^| ]\) *|.*/\1/p" tests/shortened.txt | paste -sd:; }
