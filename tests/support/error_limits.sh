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
