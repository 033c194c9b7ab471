#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER [FILE...]: clang-tidy 16 over the sources of the libraries and the program, by .clang-tidy.
# Most of its time goes into headers, so sources with equal flags are read together, several as one text. Where such a text
# does not pass (two sources may use a name for different things), its halves are read, down to single sources: what is
# found there counts. Skipped (77) without clang-tidy 16.
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

# One line a group: a folder's sources of equal flags, the flags after "--". A source that is compiled twice, or with
# quoted options, stays alone.
printf '%s\n' "$@" | awk -v root="$PWD/" '
  /"command":/ {flags = $0; sub(/ -o .*/, "", flags); flags = substr(flags, index(flags, " -") + 1)}
  /"file":/ {
    split($0, part, "\""); file = part[4]; if (index(file, root) == 1) file = substr(file, length(root) + 1)
    alone[file] = file in options || flags ~ /\\/; options[file] = flags
  }
  FILENAME == "-" {
    if (alone[$0] || !($0 in options)) {print; next}
    folder = $0; sub(/\/.*/, "", folder); key = folder " " options[$0]
    if (size[key]++ % 8 == 0) group[key] = ++groups
    list[group[key]] = list[group[key]] $0 " "; common[group[key]] = options[$0]
  }
  END {for (g = groups; g > 0; --g) print list[g] "-- " common[g]}' "$build/compile_commands.json" - >"$work/groups"

check() {  # check SOURCE, or check SOURCE... -- FLAG...: as one text, and in halves where that does not pass
  local sources=() text
  while [ $# -gt 0 ] && [ "$1" != -- ]; do sources+=("$1") && shift; done
  if [ ${#sources[@]} -eq 1 ]; then
    "$tool" -p "$build" --quiet --warnings-as-errors='*' --extra-arg="-isystem$work" "${sources[0]}"
    return
  fi
  text=$(mktemp "$work/XXXXXX.cpp")
  printf '#include "%s"  // NOLINT\n' "${sources[@]}" >"$text"
  "$tool" "$text" --quiet --warnings-as-errors='*' --config-file=.clang-tidy \
    --header-filter='/(host|device|decomposition|ic|analysis|run)/.*\.[ch]pp$' "$@" "-isystem$work" &>"$text.log" &&
    return
  local half=$((${#sources[@]} / 2)) failed=0
  check "${sources[@]:0:half}" "$@" || failed=1
  check "${sources[@]:half}" "$@" || failed=1
  return $failed
}
export -f check
export tool work build
# Two checks look at the file named only, not at what it includes: at its using declarations and C's headers.
c_headers='assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdarg|stdbool|stddef|stdint'
c_headers+='|stdio|stdlib|string|tgmath|time|uchar|wchar|wctype'
{ grep -lE "using +(typename +)?[A-Za-z_0-9]*::[^=]*;|include *<($c_headers)[.]h>" -- "$@" || true; } >"$work/named"
xargs -r -P "$(nproc)" -n 1 "$tool" -p "$build" --quiet --warnings-as-errors='*' --extra-arg="-isystem$work" \
  --checks='-*,misc-unused-using-decls,modernize-deprecated-headers' <"$work/named"
xargs -P "$(nproc)" -L 1 bash -c 'check "$@"' _ <"$work/groups"
