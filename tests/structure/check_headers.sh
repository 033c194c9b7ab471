#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_headers.sh BUILD: every header compiles alone (target headers_alone); with MULTIWALK_QUICK=1 only eight of them, the most
# recently changed first.
set -euo pipefail
build=$(realpath "$1")
targets=(headers_alone)
if [ -n "${MULTIWALK_QUICK:-}" ]; then
  mapfile -t targets < <(awk -v most=8 '
    function name_of(path) {sub(/^.*headers_alone\.dir\/headers\//, "", path); sub(/\.[a-z.]+$/, "", path); return path}
    FNR == NR {
      if (match($0, / -o [^ ]*headers_alone\.dir[^ ]*/)) {object = substr($0, RSTART + 4, RLENGTH - 4); objects[name_of(object)] = object}
      next
    }
    name_of($0) in objects && found < most {print objects[name_of($0)]; ++found}' "$build/compile_commands.json" \
    <("$(dirname "${BASH_SOURCE[0]}")"/recent.sh '^[a-z]+/.*[.](hpp|cuh)$' 100000))
  [ ${#targets[@]} -gt 0 ] || { echo "FAILED: no header found"; exit 1; }
fi
cmake --build "$build" --target "${targets[@]}"
