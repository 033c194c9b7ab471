#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_peers.sh MULTIWALK: particles exported for other codes, errors of their accelerations, our side and the table; exit code
# 77, with the reason, where no Python here has numpy and h5py.
set -u
multiwalk=$(realpath "$1")
peers=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
reader=numpy
source "$peers/../../support/find_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1
failures=0
report() { echo "FAILED: $*"; failures=1; }
# refuses PATTERN COMMAND...: fails with one line that holds the pattern.
refuses() {
  "${@:2}" >out.txt 2>&1 && report "${*:2} was accepted"
  [ "$(wc -l <out.txt)" -eq 1 ] && grep -qE -- "$1" out.txt || report "no line '$1' of ${*:2}, but: $(cat out.txt)"
}
script() { "$python" "$peers/$1" "${@:2}"; }

cat >sphere.toml <<'T'
[model]
kind = "plummer"
particles = 2000
T
"$multiwalk" ic sphere.toml -o sphere.hdf5 >/dev/null || report "no particles"
script export_particles.py sphere.hdf5 --tipsy sphere.tipsy --raw particles >/dev/null || report "no export"
PYTHONPATH=$peers "$python" "$peers/check_export.py" sphere.hdf5 sphere.tipsy particles pulls.raw || report "the export"
refuses 'nothing to write' script export_particles.py sphere.hdf5
refuses 'no HDF5 snapshot' script export_particles.py sphere.toml --raw particles
head -c 1000 sphere.tipsy >short.tipsy
refuses 'its header says 2000' env PYTHONPATH="$peers" "$python" -c \
  'import peer_files, sys; peer_files.exit_with_one_line(lambda: peer_files.read_tipsy("short.tipsy"))'

row() { script peer_row.py sphere.hdf5 pulls.raw "$1" --ids pulls.raw.ids --type '<f8' --softening 0.05 --sample 2000 \
  --code "Peer" --setting "theta $2" --end "$3" --seconds "$4"; }
mkdir rows
row rows/peer_a.json 0.5 host 0.5 >out.txt && grep -q 'median 1.00e-04, 99% 1.00e-02 of 2000' out.txt ||
  report "known errors: $(cat out.txt)"
refuses 'does not hold the snapshot' script peer_row.py sphere.hdf5 pulls.raw out.json --ids particles/position.raw \
  --type '<f8' --softening 0.05 --code P --setting S --end host --seconds 1
refuses 'has 4000 accelerations' script peer_row.py sphere.hdf5 pulls.raw out.json --softening 0.05 --code P --setting S \
  --end host --seconds 1

# Half-way between errors of 1e-4 and 1e-2 in logarithms a peer takes sqrt(0.5 x 2) s, we sqrt(0.25 x 1) s.
sed 's/"p99": [^,}]*/"p99": 1e-4/; s/"seconds": [^,]*/"seconds": 2/' rows/peer_a.json >rows/peer_b.json
sed -i 's/"p99": [^,}]*/"p99": 1e-2/' rows/peer_a.json
ours='{"backend": "cuda", "resident": false, "particles": 2000, "seconds_median": %s, "error": {"median": 1e-4, "p99": %s}}'
# shellcheck disable=SC2059
printf "$ours" 0.25 1e-2 >rows/forces_host_alpha-0.01.json
# shellcheck disable=SC2059
printf "$ours" 1 1e-4 >rows/forces_host_alpha-0.001.json
script table.py rows --p99 1e-3 >out.txt || report "the table: $(cat out.txt)"
grep -qE '^Peer +1 +2000 +0\.50  theta' out.txt || report "the peer's row: $(cat out.txt)"
grep -qE '^Multiwalk cuda +0\.5 +4000 +1\.00  alpha-0.001 to alpha-0.01$' out.txt || report "our row: $(cat out.txt)"
script table.py rows --p99 1e-1 | grep -q 'no 99% errors on both sides of 1.00e-01: 1.00e-04, 1.00e-02' ||
  report "errors outside of what was measured"
refuses 'holds no row' script table.py sphere.toml
echo '{"code": "Other", "setting": "", "end": "host", "seconds": 1, "particles": 3, "p99": 1e-3}' >other.json
refuses 'different numbers of particles' script table.py rows other.json

export BACKEND=cpu REPEATS=1 SOFTENING=0.05
bash "$peers/ours.sh" "$multiwalk" sphere.hdf5 ours 0.002 0.02 || report "our side"
[ "$(find ours -name '*.json' | wc -l)" -eq 4 ] && [ "$(find ours -type f | wc -l)" -eq 4 ] || report "files: $(ls ours)"
script table.py ours --p99 8e-4 >out.txt || report "the table of our side: $(cat out.txt)"
[ "$(grep -cE '^Multiwalk cpu +[0-9.e-]+ +[0-9.e+]+ +1\.00  alpha-0.002 to alpha-0.02$' out.txt)" -eq 2 ] ||
  report "our side alone: $(cat out.txt)"
refuses 'no program' bash "$peers/ours.sh" ./nothing sphere.hdf5 ours
refuses 'is not there' bash "$peers/ours.sh" "$multiwalk" nothing.hdf5 ours
exit $failures
