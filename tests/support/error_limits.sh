# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by programs that judge force errors.
# within_limits JSON KEY MEDIAN P99: fails, with a line, unless the figures of `bench forces --json JSON` have errors under
# KEY (error, error_of_rms) whose median and 99% are at most these.
within_limits() {
  local found
  found=$(tr -d ' \n' <"$1" | grep -o "\"$2\":{[^}]*}") || { echo "no errors '$2' in $1" >&2 && return 1; }
  awk -v key="$2" -v median="$3" -v p99="$4" '
    function number(name) { return match($0, "\"" name "\":[0-9][^,}]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : "" }
    { m = number("median"); p = number("p99"); known = m != "" && p != "" }
    END {
      if (!known) print key ": median or 99% is not known" > "/dev/stderr"
      else if (m > median || p > p99)
        printf "%s: median %.2e and 99%% %.2e, at most %.2e and %.2e are allowed\n", key, m, p, median, p99 > "/dev/stderr"
      exit !known || m > median || p > p99
    }' <<<"$found"
}

# strategies_within_limits JSON DIRECT TREE: fails, with a line for each fault, unless `bench strategies --json JSON` measured
# every strategy, with 99% errors of direct summation and of the tree that are at most these, scans included.
strategies_within_limits() {
  tr -d ' \n' <"$1" | grep -oE '"error":\{[^}]*\}|"measured":[a-z]*|"problem":"[a-z]*"|"strategy":"[^"]*"|"value":[0-9]*' |
    awk -v direct="$2" -v tree="$3" '
      function fault(text) { print name ": " text > "/dev/stderr"; faults++ }
      function judge(most) {
        if (p99 == "") fault("99% error is not known")
        else if (p99 > most) fault(sprintf("99%% error %.2e, at most %.2e is allowed", p99, most))
        rows++
      }
      # Keys are in alphabetical order: the name of a row is its last.
      { value = substr($0, index($0, ":") + 1); gsub(/"/, "", value) }
      /^"error"/ { p99 = match($0, /"p99":[0-9][^,}]*/) ? substr($0, RSTART + 6, RLENGTH - 6) + 0 : "" }
      /^"measured"/ { measured = value }
      /^"problem"/ { problem = value }
      /^"strategy"/ {
        name = value ", " problem
        if (measured == "true") judge(problem == "direct" ? direct : tree)
        else fault("was not measured")
        p99 = ""
      }
      /^"value"/ { name = "scan, " value; judge(tree); p99 = "" }
      END {
        if (!rows) print "no strategies were measured" > "/dev/stderr"
        exit faults > 0 || !rows
      }'
}
