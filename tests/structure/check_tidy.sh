#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_tidy.sh BUILD_FOLDER [FILE...]: clang-tidy 16 over the sources of the libraries and the program, by .clang-tidy.
# Most of its time goes into headers, so sources of a folder are read as one text, copied one after the other (some checks look
# only at the named file, not at what it includes); a few thousand lines at a time, as the time of one check grows with the
# square of a text. Where such a text does not pass (two sources may use a name for different things), its halves are read,
# down to single sources: what is found there counts. With MULTIWALK_QUICK=1: five sources, the most recently changed first.
# Skipped (77) without clang-tidy 16.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
shift
tool=$(command -v clang-tidy-16) || exec tests/structure/skip_without.sh clang-tidy-16
sources='^(host|decomposition|ic|analysis|run)/.*[.]cpp$'
[ $# -gt 0 ] || [ -z "${MULTIWALK_QUICK:-}" ] || set -- $(tests/structure/recent.sh "$sources" 5)
[ $# -gt 0 ] || set -- $(find host decomposition ic analysis run -name "*.cpp" 2>/dev/null | sort)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# clang has its own omp.h only with its own runtime library: g++'s, less an attribute clang does not know.
sed 's/__malloc__ ([a-z_]*),*//' "$(g++ -print-file-name=include/omp.h)" >"$work/omp.h"

printf '%s\n' "$@" >"$work/asked"

# One command per line, long texts first: check, sources of a folder and of equal flags, and the flags after "--". A source that
# is not compiled gets flags of its folder.
xargs -d '\n' wc -l <"$work/asked" | awk -v root="$PWD/" -v most=2500 '
  function folder(file) {sub(/\/[^\/]*$/, "", file); return file}
  function add(file, key) {
    if (index(file, root) == 1) file = substr(file, length(root) + 1)
    if (!(file in lines)) return
    compiled[file]; if (!(folder(file) in usual)) usual[folder(file)] = flags
    key = file; sub(/\/.*/, " -- " flags, key)
    if (!(key in list)) group[++groups] = key
    list[key] = list[key] " " file; length_of[key] += lines[file]
  }
  function print_texts(key, sources, count, texts, text, length_now, i) {
    count = split(list[key], sources, " "); texts = int(length_of[key] / most) + 1
    for (i = 1; i <= count; ++i) {
      text = text " " sources[i]; length_now += lines[sources[i]]
      if (i < count && length_now < length_of[key] / texts) continue
      print length_now " check" text substr(key, index(key, " -- ")); text = ""; length_now = 0
    }
  }
  FILENAME == "-" {if ($2 != "total") lines[$2] = $1; next}
  /"command":/ {  # less the flags that say how to compile, not what
    flags = $0; sub(/ -o .*/, "", flags); flags = substr(flags, index(flags, " -") + 1)
    gsub(/\\"/, "\"", flags); gsub(/\\\\/, "\\", flags)
    gsub(/ -(O[0-9]|fPIC|fno-[a-z]*-(math|errno)|f[a-z-]*=[a-z]*)/, "", flags)
  }
  /"file":/ {
    split($0, entry, "\""); text = entry[4]
    if (text !~ /\/Unity\//) add(text)
    else while ((getline <text) > 0) if (/^#include "/) add(substr($0, 11, length($0) - 11))
  }
  END {
    for (file in lines) if (!(file in compiled)) {
      near = folder(file); while (!(near in usual) && near ~ /\//) near = folder(near)
      flags = usual[near]; add(file)
    }
    for (g = 1; g <= groups; ++g) print_texts(group[g])
  }' - "$build/compile_commands.json" | sort -rn | sed 's/^[0-9]* //' >"$work/commands"

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
