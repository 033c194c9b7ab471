#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh: the tests of the scripts of pages, by node 18 or newer; 77 (skipped) without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v node >/dev/null || { echo "no node here: what pages show is not tested"; exit 77; }
version=$(node --version)
version=${version#v}
[ "${version%%.*}" -ge 18 ] || { echo "node $version is older than 18: what pages show is not tested"; exit 77; }
node --test test_*.js
