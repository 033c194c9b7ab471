#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_version.sh PROGRAM CMAKE_VERSION: CITATION.cff, CMake, `PROGRAM --version` and the newest entry of CHANGELOG.md
# agree.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cited=$(sed -n 's/^version: //p' "$root/CITATION.cff")
program=$("$1" --version | sed -n 's/^multiwalk \([^ ]*\) (commit .*/\1/p')
changelog=$(sed -n 's/^## \([0-9][^ ]*\).*/\1/p' "$root/CHANGELOG.md" | head -n 1)
[ -n "$cited" ] && [ "$cited" = "$2" ] && [ "$cited" = "$program" ] && [ "$cited" = "$changelog" ] && exit 0
echo "version: CITATION.cff says '$cited', CMake '$2', multiwalk --version '$program', CHANGELOG.md '$changelog'"
exit 1
