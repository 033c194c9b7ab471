# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests of refusals, which count what went wrong in `failures`.
failures=0
limit=()            # a command that bounds the time of each refusal
matching=(-qE)      # how grep compares

report() { echo "FAILED: $*"; failures=$((failures + 1)); }

# refuses PATTERN COMMAND...: exit code 1, one line on stderr that matches.
refuses() {
  local pattern=$1
  shift
  "${limit[@]}" "$@" >out.txt 2>err.txt
  local code=$?
  [ $code -eq 1 ] || report "exit code $code, wanted 1: $*"
  [ "$(wc -l <err.txt)" -eq 1 ] || report "not one line: $* said: $(cat err.txt)"
  grep "${matching[@]}" "$pattern" err.txt || report "no '$pattern' from: $* said: $(cat err.txt)"
}
