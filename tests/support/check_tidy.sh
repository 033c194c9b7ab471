#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER [FILE...]: clang-tidy 16 over the sources of the libraries and the program, by .clang-tidy.
# Skipped (77) without clang-tidy 16.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
shift
tool=$(command -v clang-tidy-16) || { echo "no clang-tidy-16 here"; exit 77; }
[ $# -gt 0 ] || set -- $(find host decomposition ic analysis run -name "*.cpp" 2>/dev/null | sort)

# clang has its own omp.h only with its own runtime library: g++'s, less an attribute clang does not know.
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
sed 's/__malloc__ ([a-z_]*),*//' "$(g++ -print-file-name=include/omp.h)" >"$headers/omp.h"
printf '%s\n' "$@" |
  xargs -P "$(nproc)" -n 1 "$tool" -p "$build" --quiet --warnings-as-errors='*' --extra-arg="-isystem$headers"
