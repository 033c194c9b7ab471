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

# strategies DIRECT TREE SCAN [MEASURED]: 99% errors.
strategies() {
  local row='"backend": "cuda", "error": {"max": 1, "median": 1e-6, "p99": %s, "sample": 1000}, "measured": %s, "problem": "%s", "seconds": 1, "strategy": "%s", "why": ""'
  # shellcheck disable=SC2059
  printf "{\n\"scans\": {\"group_size\": {\"rows\": [{\"error\": {\"max\": 1, \"p99\": $3}, \"value\": 64}]}},\n\"strategies\": [{$row}, {$row}]}" \
    "$1" true direct multi-walk "$2" "${4:-true}" tree CPU >strategies.json
}
strategies 1e-5 1.2e-2 1.1e-2
accepts "strategies within their limits" strategies_within_limits strategies.json 1e-4 2e-2
refuses "direct summation beyond its limit" "multi-walk, direct: 99% error 1.00e-05" \
  strategies_within_limits strategies.json 1e-6 2e-2
refuses "a tree beyond its limit" "CPU, tree: 99% error 1.20e-02" strategies_within_limits strategies.json 1e-4 1.15e-2
refuses "a scan beyond its limit" "scan, 64" strategies_within_limits strategies.json 1e-4 1e-2
strategies null 1.2e-2 1.1e-2
refuses "an unknown error" "multi-walk, direct: 99% error is not known" strategies_within_limits strategies.json 1 1
strategies 1e-5 1.2e-2 1.1e-2 false
refuses "a strategy that was not measured" "CPU, tree: was not measured" strategies_within_limits strategies.json 1 1
echo '{"strategies": []}' >strategies.json
refuses "nothing measured" "no strategies were measured" strategies_within_limits strategies.json 1 1
exit $faults
