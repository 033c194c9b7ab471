# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests that stop a run and go on with it. Moves to a folder $work of their own, which they remove; the
# undisturbed run is in whole/, the parameters in run.toml. Needs $multiwalk.
work=$(mktemp -d)
cd "$work" || exit 1

fail() { echo "FAILED: $*"; tail -n 3 ./*.log; exit 1; }

checksum() { "$multiwalk" info --check --json - "$1" | sed -n 's/.*"checksum": "\(.*\)".*/\1/p'; }

# same FILE FILE: two snapshots with the same bits.
same() {
  local a b
  a=$(checksum "$1")
  b=$(checksum "$2")
  [ -n "$a" ] && [ "$a" = "$b" ] || fail "$1 and $2 differ: '$a' and '$b'"
}

# same_steps RUN RUN: the tables have the same steps, each once; measured seconds and speeds, from the column "seconds" on,
# may differ.
same_steps() {
  local last run
  last=$(head -1 "$1/steps.csv" | tr ',' '\n' | grep -nx seconds | cut -d: -f1)
  [ "$last" -gt 10 ] || fail "$1/steps.csv has no columns"
  for run in "$1" "$2"; do cut -d, -f1-$((last - 1)) "$run/steps.csv" >"$run.steps"; done
  cmp "$1.steps" "$2.steps" || fail "$1/steps.csv and $2/steps.csv differ"
  [ "$(sort "$1.steps" | uniq -d | wc -l)" -eq 0 ] || fail "$1/steps.csv has a step twice"
}

# start_or_resume DIRECTORY MULTIWALK...: starts the run there, or goes on with it, in the background.
start_or_resume() {
  local directory=$1
  shift
  if [ -e "$directory/parameters.toml" ]; then
    "$@" run --restart "$directory" &
  else   # killed before it had written anything
    "$@" run run.toml --set "run.directory=\"$directory\"" --overwrite &
  fi
}

# kill_and_resume KILLS TENTHS COMPARE: kills runs with SIGKILL, each after less than TENTHS tenths of a second, and resumes
# them. A run that gets to its end before all kills are spent is compared by `COMPARE DIRECTORY`, and another one begun.
# Leaves the numbers done_kills and round.
kill_and_resume() {
  local kills=$1 tenths=$2 compare=$3 directory
  done_kills=0 round=0
  while [ $done_kills -lt "$kills" ]; do
    round=$((round + 1))
    directory=killed_$round
    start_or_resume $directory "$multiwalk" >>killed.log 2>&1
    while [ $done_kills -lt "$kills" ]; do
      sleep "0.$((RANDOM % tenths))$((RANDOM % 90 + 10))"
      kill -9 $! 2>/dev/null || break
      wait $! 2>/dev/null
      done_kills=$((done_kills + 1))
      start_or_resume $directory "$multiwalk" >>killed.log 2>&1
    done
    wait $! || fail "the resumed run after $done_kills kills"
    "$compare" $directory
    same_steps whole $directory
  done
}
