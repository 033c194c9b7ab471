#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_tidy.sh BUILD_FOLDER [FILE...]: clang-tidy 16 over the sources of the libraries and the program, by .clang-tidy.
# Most of its time goes into headers, so the sources that a unity build joins are read as one text, copied one after the
# other: some checks look only at the named file, not at what it includes. Where such a text does not pass (two sources may
# use a name for different things), its halves are read, down to single sources: what is found there counts. Skipped
# (77) without clang-tidy 16.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
shift
tool=$(command -v clang-tidy-16) || { echo "no clang-tidy-16 here"; exit 77; }
[ $# -gt 0 ] || set -- $(find host decomposition ic analysis run -name "*.cpp" 2>/dev/null | sort)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# clang has its own omp.h only with its own runtime library: g++'s, less an attribute clang does not know.
sed 's/__malloc__ ([a-z_]*),*//' "$(g++ -print-file-name=include/omp.h)" >"$work/omp.h"

printf '%s\n' "$@" >"$work/asked"

# One command per line: check, a folder's sources of equal flags, and the flags after "--". Sources may be compiled in joined
# texts; one that is not compiled gets flags of its folder.
awk -v root="$PWD/" '
  function folder(file) {sub(/\/[^\/]*$/, "", file); return file}
  function add(file, text, key) {
    if (index(file, root) == 1) file = substr(file, length(root) + 1)
    if (!(file in asked)) return
    compiled[file]; if (!(folder(file) in usual)) usual[folder(file)] = flags
    key = file; sub(/\/.*/, text " -- " flags, key)
    if (!(key in list)) group[++groups] = key
    list[key] = list[key] " " file
  }
  FILENAME ~ /asked$/ {asked[$0]; next}
  /"command":/ {
    flags = $0; sub(/ -o .*/, "", flags); flags = substr(flags, index(flags, " -") + 1)
    gsub(/\\"/, "\"", flags); gsub(/\\\\/, "\\", flags)
  }
  /"file":/ {
    split($0, entry, "\""); text = entry[4]
    if (text !~ /\/Unity\//) add(text)
    else while ((getline <text) > 0) if (/^#include "/) add(substr($0, 11, length($0) - 11), text)
  }
  END {
    for (g = groups; g > 0; --g) print "check" list[group[g]] substr(group[g], index(group[g], " -- "))
    for (file in asked) if (!(file in compiled)) {
      near = folder(file); while (!(near in usual) && near ~ /\//) near = folder(near)
      print "check " file " -- " usual[near]
    }
  }' "$work/asked" "$build/compile_commands.json" >"$work/commands"

tidy() { "$tool" --quiet --warnings-as-errors='*' "$@" "-isystem$work"; }
check() {  # as one text, and in halves where that does not pass
  local sources=() text failed=0
  while [ "$1" != -- ]; do sources+=("$1") && shift; done
  if [ ${#sources[@]} -eq 1 ]; then
    tidy "${sources[0]}" "$@"
    return
  fi
  text=$(mktemp "$work/XXXXXX.cpp")
  cat "${sources[@]}" >"$text"
  tidy "$text" --config-file=.clang-tidy --header-filter='/(host|device|decomposition|ic|analysis|run)/.*\.[ch]pp$' "$@" \
    &>"$text.log" && return
  local half=$((${#sources[@]} / 2))
  check "${sources[@]:0:half}" "$@" || failed=1
  check "${sources[@]:half}" "$@" || failed=1
  return $failed
}
export -f tidy check
export tool work
xargs -d '\n' -P "$(nproc)" -n 1 bash -c <"$work/commands"
