#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_error_limits.sh: error_limits.sh accepts errors within their limits, and refuses, with one line, errors that are beyond
# them, unknown or absent.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/error_limits.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
faults=0
# accepts WHAT COMMAND...; refuses WHAT MESSAGE COMMAND...
accepts() { "${@:2}" 2>said || { echo "refused: $1: $(cat said)"; faults=1; }; }
refuses() {
  if "${@:3}" 2>said; then echo "accepted: $1" && faults=1; fi
  grep -q -- "$2" said || { echo "$1: says '$(cat said)' instead of '$2'"; faults=1; }
}
# forces MEDIAN P99 [KEY]
forces() {
  printf '{\n "%s": {\n  "max": 0.5,\n  "median": %s,\n  "p90": 0.0004,\n  "p99": %s,\n  "sample": 1000\n },\n "other": 1\n}\n' \
    "${3:-error}" "$1" "$2" >forces.json
}
forces 2.4e-4 0.0009
accepts "errors within their limits" within_limits forces.json error 2.5e-4 1e-3
refuses "a median beyond its limit" "median 2.40e-04" within_limits forces.json error 2.3e-4 1e-3
refuses "a 99% error beyond its limit" "99% 9.00e-04" within_limits forces.json error 2.5e-4 8e-4
refuses "errors under another key" "no errors 'error_of_rms'" within_limits forces.json error_of_rms 1 1
forces 2.4e-4 null
refuses "an unknown 99% error" "is not known" within_limits forces.json error 1 1
forces null 1e-4
refuses "an unknown median" "is not known" within_limits forces.json error 1 1
forces 1e-5 1.5e-5 error_of_rms
accepts "errors relative to the rms" within_limits forces.json error_of_rms 1e-4 2e-5
exit $faults
