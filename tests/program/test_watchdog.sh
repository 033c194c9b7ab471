#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A rank that dies ends the job within seconds, with one line, even when the launcher does not notice; a rank that fails
# tells why, and nothing else does; a good end is silent.
#   test_watchdog.sh MPIEXEC MPI_TESTS
set -u
mpiexec=$1
tests=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; cat "$work/log"; exit 1; }

# A launcher that learns nothing: a shell outlives each rank, keeps its connection to the launcher and notes its end.
cat >"$work/rank" <<'R'
"$@"
echo "ended with $?, $SECONDS s" >>"$WORK/ends"
for _ in $(seq 300); do [ "$(wc -l <"$WORK/ends")" -ge "$RANKS" ] && break; sleep 0.1; done
R
export WORK=$work OMP_NUM_THREADS=1

# job RANKS DYING TEST: leaves the output in log, and the ranks' ends in ends.
job() {
  : >"$work/ends"
  echo "$3" >>"$work/jobs"
  RANKS=$1 DYING_RANK=$2 timeout 60 "$mpiexec" -n "$1" bash "$work/rank" "$tests" --gtest_also_run_disabled_tests \
    --gtest_brief=1 --gtest_filter="$3" >"$work/log" 2>&1
}

numbers="2 5" first_dying="0 1"
[ -z "${MULTIWALK_QUICK:-}" ] || numbers=3 first_dying=
for ranks in $numbers; do
  for dying in $(printf "%s\n" $first_dying $((ranks - 1)) | sort -u); do
    for what in Wait Work; do
      job $ranks $dying "Watchdog.DISABLED_ARankIsKilledWhileOthers$what"
      [ "$(wc -l <"$work/ends")" -eq $ranks ] || fail "rank $dying of $ranks died ($what): others live on"
      ! grep -q 'ended with 0' "$work/ends" || fail "rank $dying of $ranks died ($what): a rank ended as if all were well"
      seconds=$(sed 's/.*, \(.*\) s/\1/' "$work/ends" | sort -n | tail -1)
      [ "$seconds" -le 20 ] || fail "rank $dying of $ranks died ($what): the job went on for $seconds s"
      [ "$(grep -c "multiwalk: rank $dying on .* has died" "$work/log")" -eq 1 ] || fail "rank $dying of $ranks died ($what): not one line of it"
    done
    for what in ARankFails ASumOfTheRingFails; do
      job $ranks $dying "Watchdog.DISABLED_$what"
      [ $? -ne 124 ] || fail "rank $dying of $ranks failed ($what): others live on"
      grep -q 'the reason' "$work/log" || fail "rank $dying of $ranks failed ($what): no reason told"
      ! grep -q 'has died' "$work/log" || fail "rank $dying of $ranks failed ($what): said to have died"
    done
  done
done

for name in $("$mpiexec" -n 1 "$tests" --gtest_list_tests --gtest_filter='Watchdog.*' | sed -n 's/^  //p'); do
  grep -qx "Watchdog.$name" "$work/jobs" || fail "nothing runs Watchdog.$name"
done

job 5 none 'Agree.*'
[ "$(grep -c 'ended with 0' "$work/ends")" -eq 5 ] || fail "a good end is not one"
! grep -q 'multiwalk:' "$work/log" || fail "a good end is not silent"
echo "killed ranks end their jobs, with one line each"
