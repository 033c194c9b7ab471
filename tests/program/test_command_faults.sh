#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input and faults of the program: each must end with one clear line on stderr, exit code 1, and nothing under a final name.
#   test_command_faults.sh MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../support/refusals.sh"
matching=(-qiE)
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'mountpoint -q "$work/disk" && umount "$work/disk"; rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >small.toml <<'T'
[run]
directory = "run"
[model]
kind = "plummer"
particles = 300
[time]
t_end = 0.02
[force]
softening = 0.05
[output]
image_pixels = 64
T
run() { "$multiwalk" run small.toml "$@"; }

"$multiwalk" ic small.toml -o good.hdf5 >/dev/null || report "making a snapshot"

"$multiwalk" info good.hdf5 >info.txt || report "info"
! grep -qE 'omega|redshift|box_size' info.txt || report "info of a star cluster speaks of a universe: $(cat info.txt)"

refuses 'no such|cannot' "$multiwalk" info missing.hdf5
head -c 3000 good.hdf5 >truncated.hdf5
refuses 'truncated' "$multiwalk" info truncated.hdf5
echo "not a snapshot" >text.hdf5
refuses 'not.*hdf5' "$multiwalk" info text.hdf5
cp good.hdf5 flipped.hdf5
size=$(stat -c %s flipped.hdf5)
for at in $((size / 2)) $((size / 2 + 3000)); do
  printf '\x5a' | dd of=flipped.hdf5 bs=1 seek=$at conv=notrunc status=none
done
refuses 'flipped.hdf5' "$multiwalk" info --check flipped.hdf5
refuses 'directory.*snapshot' "$multiwalk" info .
refuses 'not a periodic box' "$multiwalk" power good.hdf5

refuses 'small.toml|forse' "$multiwalk" run small.toml --set forse.theta=1
sed 's/softening = 0.05/sofening = 0.05/' small.toml >typo.toml
refuses 'typo.toml:9.*sofening.*softening' "$multiwalk" run typo.toml
refuses 'theta' run --set force.theta=0
refuses 'softening' run --set force.softening=-1
refuses 'z_end' "$multiwalk" run small.toml --set 'model.kind="sphere"' --set time.z_end=30 --set ic.z_start=24
refuses 'redshift' "$multiwalk" run small.toml --set 'model.kind="sphere"' --set 'output.redshifts=[40]'
refuses 'no such|cannot' "$multiwalk" run missing.toml
refuses 'cuda' env CUDA_VISIBLE_DEVICES= "$multiwalk" run small.toml --set 'run.backend="cuda"'
# A run on GPUs is planned where there is none.
env CUDA_VISIBLE_DEVICES= "$multiwalk" plan small.toml --set 'run.backend="cuda"' --set time.t_end=20 --set time.max_steps=3 >plan.txt ||
  report "plan of a run on a GPU failed"
for line in 'memory, a device +[0-9.]+ GiB' 'steps +3 steps .time.max_steps' "times are this CPU's"; do
  grep -qE "$line" plan.txt || report "no '$line' in the plan: $(cat plan.txt)"
done
refuses '"auto", "cpu", "cuda", "cuda-resident", "direct", "ewald", not .cuda-i' "$multiwalk" run small.toml --set 'run.backend="cuda-i"'
[ ! -e run ] || report "a refused run left a directory"

run >/dev/null 2>&1 || report "a plain run"
[ -s run/report.html ] && [ -s run/report.json ] || report "a plain run left no report"
"$multiwalk" report run >/dev/null 2>err.txt || report "its report once more: $(cat err.txt)"
[ "$(wc -l <run/steps.csv)" -gt 2 ] || report "a plain run left no table of its steps"

# Reports from unknown sources; an existing page is kept.
cp -r run reports
cp run/report.json good.json
page=$(cksum <run/report.html)
bad_report() { refuses "$1" timeout 20 "$multiwalk" report reports; [ "$(cksum <reports/report.html)" = "$page" ] || report "a bad report.json changed the page"; }
echo -n '{"a":' >reports/report.json
bad_report 'report.json: ends too early, after 5 bytes'
echo -n '{"title": }' >reports/report.json
bad_report 'report.json: is not JSON from byte 11 on'
deep=$(head -c 200000 /dev/zero | tr '\0' '[')
sed "s/\"parameters\": {/&\"deep\": $(head -c 5000 <<<"$deep")$(head -c 5000 <<<"$deep" | tr '[' ']'),/" good.json >reports/report.json
bad_report 'report.json: lists and objects are nested more than 64 deep'
{ echo -n '{"parameters": {"deep": '; cat <<<"$deep"; } >reports/report.json
bad_report 'report.json: lists and objects are nested more than 64 deep'
grep -v '"machine"' good.json >reports/report.json
bad_report 'report.json: machine is missing'
rm reports/report.json && mkfifo reports/report.json
bad_report 'report.json has the name of a run.s file but is a pipe'
rm reports/report.json
bad_report 'report.json: .*No such file'
refuses 'No such file' "$multiwalk" report nowhere

refuses 'holds a run already' run
run --overwrite >/dev/null 2>&1 || report "--overwrite"
mkdir other && touch other/precious.txt
refuses 'not empty' run --set 'run.directory="other"' --overwrite
[ -e other/precious.txt ] || report "--overwrite removed a stranger's file"
refuses 'no run to continue' "$multiwalk" run --restart other small.toml
cp run/checkpoint_*.mwc other && "$multiwalk" run --restart other >/dev/null 2>&1 || report "a checkpoint beside other files"
touch run/stopwatch.py run/image_for_paper.tex run/report.docx run/power_000.csv run/fof_subhalo_tab_000.hdf5 run/rungs.csv
run --overwrite >/dev/null 2>&1 || report "--overwrite of a run with other files"
for file in stopwatch.py image_for_paper.tex report.docx; do
  [ -e run/$file ] || report "--overwrite removed $file, which is no run's"
done
for file in power_000.csv fof_subhalo_tab_000.hdf5; do
  [ ! -e run/$file ] || report "--overwrite left $file of the old run"
done
run --overwrite --set time.t_end=0.2 --set time.max_steps=1 >stopped.txt 2>&1
[ $? -eq 3 ] || report "max_steps did not stop the run"
read -ra go_on < <(sed -n 's/.*continue with: multiwalk //p' stopped.txt)
"$multiwalk" "${go_on[@]}" >/dev/null 2>&1 || report "a stopped run does not go on by what it says: $(tail -1 stopped.txt)"
"$multiwalk" run --bogus small.toml >/dev/null 2>&1
[ $? -eq 1 ] || report "a wrong option has another exit code than 1"

# From a file: nothing is touched before the file is known to be good.
from_file() { "$multiwalk" run small.toml --set 'model.kind="file"' --set time.t_end=0.04 "$@"; }
refuses 'flipped' from_file --set 'model.file="flipped.hdf5"' --set 'run.directory="from_file"'
[ ! -e from_file ] || report "a run from a damaged file left a directory"
refuses 'lies in run.directory' from_file --set 'model.file="run/snapshot_000.hdf5"' --overwrite
[ -e run/report.html ] || report "a refused run removed an old one"
box_options=(small.toml --set 'model.kind="box"' --set model.box_size=10 --set ic.grid=8 --set 'run.directory="box"')
box() { "$multiwalk" run "${box_options[@]}" "$@"; }
refuses 'periodic' box --set 'run.backend="direct"'
[ ! -e box ] || report "a refused box left a directory"
box --set time.z_end=20 --set 'run.backend="ewald"' >/dev/null 2>err.txt || report "a box under Ewald forces: $(cat err.txt)"
box --set time.z_end=20 --set 'run.backend="cpu"' --set 'run.directory="mesh"' >/dev/null 2>err.txt || report "a box: $(cat err.txt)"
"$multiwalk" report mesh >/dev/null 2>err.txt || report "a box's report once more: $(cat err.txt)"
refuses 'force.mesh' box --set force.mesh=16 --set 'run.backend="cpu"' --set 'run.directory="coarse"'
refuses 'vacuum' "$multiwalk" run small.toml --set 'run.backend="ewald"' --set 'run.directory="vacuum"'
[ ! -e vacuum ] || report "a refused vacuum left a directory"
"$multiwalk" run --restart run >/dev/null 2>err.txt || report "--restart of a finished run: $(cat err.txt)"

for n in 1 2 3; do
  run --overwrite --set model.particles=$n >/dev/null 2>err.txt || report "N = $n: $(cat err.txt)"
done

# Names with control characters leave a message one line.
refuses 'no.nsuch' "$multiwalk" info $'no\nsuch.hdf5'
refuses 'x1b.31m' "$multiwalk" run $'no\x1b[31m.toml'

# What ends a run before its first step costs no old one.
for bad in 'cosmology.transfer_file="missing.dat"' cosmology.w0=0.5 force.mesh=16 force.split=0.1 model.box_size=1e300; do
  refuses "${bad%%=*}|missing.dat|cosmology" box --overwrite --set time.z_end=20 --set 'run.directory="mesh"' --set "$bad"
  [ -e mesh/report.html ] || report "--overwrite with $bad removed the old run"
done
refuses 'one of them' "$multiwalk" run --restart mesh --overwrite
refuses 'leave out' "$multiwalk" run --restart mesh --set 'run.directory="other"'

# One run at a time in a directory; a signal ends even a block that takes hours, with a checkpoint of its start.
"$multiwalk" run "${box_options[@]}" --set 'run.directory="busy"' --set 'run.backend="cpu"' --set time.eta=1e-20 >busy.txt 2>&1 &
busy=$!
for _ in $(seq 100); do grep -q 'wrote the output' busy.txt && break; sleep 0.1; done
refuses 'in use' "$multiwalk" run --restart busy
refuses 'in use' box --overwrite --set 'run.directory="busy"'
kill -TERM $busy
SECONDS=0
wait $busy 2>/dev/null
[ $? -eq 3 ] && [ $SECONDS -lt 10 ] && [ -e busy/checkpoint_00000000.mwc ] || report "a signal within a block: $(tail -2 busy.txt)"
grep -q 'substep' busy.txt || report "no progress within a block: $(cat busy.txt)"
refuses 'too short to move the clock' box --set 'run.directory="still"' --set 'run.backend="cpu"' --set time.eta=1e-300
"$multiwalk" run --restart busy --set force.softening=100 --set time.eta=0.025 --set time.z_end=20 >/dev/null 2>err.txt || report "a killed run: $(cat err.txt)"

# The future, as far as the universe expands.
box --set time.z_end=-0.6 --set force.softening=100 --set output.halos=true --set 'run.directory="future"' >/dev/null 2>err.txt ||
  report "a run into the future: $(cat err.txt)"
refuses 'time.z_end' box --set time.z_end=-0.6 --set cosmology.omega_m=2 --set cosmology.omega_lambda=0 --set 'run.directory="closed"'

# Pipes and links are written through, a full output is an error.
mkfifo pipe && { cat pipe >piped.json & }
"$multiwalk" info good.hdf5 --json pipe >/dev/null && wait $!
[ -p pipe ] && [ -s piped.json ] || report "a pipe was replaced"
ln -s target.json link.json
"$multiwalk" info good.hdf5 --json link.json >/dev/null
[ -L link.json ] && [ -s target.json ] || report "a link was replaced"
for options in '' '--json -'; do
  refuses 'cannot write all' sh -c "'$multiwalk' info good.hdf5 $options >/dev/full"
done
refuses 'cannot write all' sh -c "'$multiwalk' run --help >/dev/full"
run --overwrite >/dev/full 2>&1 || report "a run whose terminal is gone"
refuses 'empty' "$multiwalk" ic small.toml -o ''
refuses 'directory' "$multiwalk" ic small.toml -o other
refuses 'directory' "$multiwalk" image good.hdf5 -o other/
image() { "$multiwalk" image good.hdf5 -o no.png "$@"; }
refuses 'axis w: use x, y, z' image --axis w
refuses 'colours jet: use inferno' image --colours jet
refuses 'labels some: use none' image --labels some
refuses 'range 5,2: give LOW,HIGH' image --range 5,2
refuses 'range 0,2: give LOW,HIGH' image --range 0,2
refuses 'slab -1: give a length > 0 in model' image --slab=-1
refuses 'slab 3 Mpc: give a length > 0 in model' image --slab '3 Mpc'
refuses 'region 1,2,3: give a centre' image --region 1,2,3
refuses 'region 1,2,3,0: give a centre' image --region 1,2,3,0
refuses 'region 0,0,x,1: give a centre' image --region 0,0,x,1
refuses 'not both' image --region 0,0,0,1 --halo 0
[ ! -e no.png ] || report "a refused picture was drawn"
image --region 0,0,0,2,1,4 --slab 0.5 --colours magma --range 0.01,1 --labels scale --axis y >/dev/null || report "a picture of a region"
refuses 'image_centre needs three' run --set 'output.image_centre=[1,2]'
refuses 'image_range needs two' run --set 'output.image_range=[3,1]'
refuses 'image_colours' run --set 'output.image_colours="jet"'
refuses 'evenly_spaced' run --set output.evenly_spaced=-3

# Numbers that are not numbers.
box_snapshot=$(ls mesh/snapshot_*.hdf5 | tail -1)
for options in 'halos --linking 0' 'halos --linking nan' 'accuracy --split 1e18' 'accuracy --mesh 2147483648' 'accuracy --cutoff nan' \
  'accuracy --theta nan' 'accuracy --alpha inf' 'accuracy --threads 99999999' 'movie --seconds nan' 'movie --seconds 1e18' \
  'halos --min-particles 99999999999999999999' 'profile --halo -1' 'accuracy --softening nan' \
  'accuracy --split -1' 'accuracy --theta 0' 'accuracy --seed -1'; do
  read -r command option <<<"$options"
  # shellcheck disable=SC2086
  "$multiwalk" $command "$box_snapshot" $option >/dev/null 2>err.txt
  [ $? -eq 1 ] || report "$options was taken"
  grep -qE ' is not a .*number (>|from)' err.txt || report "$options: $(cat err.txt)"
done
list() { "$multiwalk" accuracy "$box_snapshot" --sample 10 --json - "$@" | sed -n 's/.*"list": *//p' | head -1; }
[ "$(list --accuracy fast)" != "$(list --accuracy reference)" ] || report "accuracy --accuracy has no effect"
refuses 'time.t_end' "$multiwalk" plan "$(ls run/snapshot_*.hdf5 | tail -1)" --set time.t_end=0.001

# Forces are measured with the options of a run.
mac() { "$multiwalk" accuracy good.hdf5 --sample 10 --json - "$@" | sed -n 's/.*"mac": *"\(.*\)",*/\1/p'; }
[ "$(mac) $(mac --alpha 0.01) $(mac --theta 0.5,0.6) $(mac --theta 0.5 --alpha 0.01)" = "relative relative barnes90 relative" ] ||
  report "accuracy measures other forces than a run's: $(mac) $(mac --alpha 0.01) $(mac --theta 0.5,0.6) $(mac --theta 0.5 --alpha 0.01)"

# A limit of file sizes raises a signal, which must not end the program without a word.
(ulimit -f 5000 && run --set model.particles=200000 --set output.images=false --set 'run.directory="limited"' >out.txt 2>err.txt)
code=$?
[ $code -eq 1 ] || report "a limit of file sizes: exit code $code"
grep -qiE '^multiwalk: .*(large|size)' err.txt || report "no word of the limit of file sizes: $(cat err.txt)"
! ls limited/*.hdf5 >/dev/null 2>&1 || report "a snapshot under its final name beyond the limit"

# More threads than any machine has.
refuses 'run.threads = 65536' run --overwrite --set run.threads=65536
OMP_NUM_THREADS=100000 run --overwrite >/dev/null 2>err.txt || report "OMP_NUM_THREADS = 100000: $(cat err.txt)"
grep -q 'cut down' err.txt || report "no word of OMP_NUM_THREADS"

# Changed forces and steps are reported at a restart.
run --set 'run.directory="changed"' --set time.max_steps=1 >/dev/null 2>&1
"$multiwalk" run --restart changed --set time.max_steps=0 --set time.t_end=0.03 --set force.theta=0.9 --set force.softening=0.1 \
  >out.txt 2>&1 || report "a restart with another softening: $(cat out.txt)"
grep -q 'changed since the checkpoint:.*force.theta from 0.6 to 0.9, force.softening from 0.05 to 0.1' out.txt ||
  report "no word of a changed softening: $(cat out.txt)"

# Units beyond the range of single precision.
for scale in 1e9 1e-9; do
  refuses 'single precision' run --overwrite --set model.kind=uniform --set model.radius=$scale
done

"$multiwalk" ic small.toml --set model.kind=uniform --set model.radius=1e9 -o wide.hdf5 >/dev/null || report "a wide snapshot"
refuses 'wide.hdf5: .*single precision' "$multiwalk" accuracy wide.hdf5
refuses 'wide.hdf5: .*single precision' "$multiwalk" bench forces --model wide.hdf5
refuses 'wide.hdf5: .*single precision' run --set model.kind=file --set model.file=wide.hdf5 --set run.directory=wide
refuses 'wide.hdf5: .*single precision' run --overwrite --set model.kind=file --set model.file=wide.hdf5 --set run.directory=changed
[ -e changed/report.json ] || report "a run that is refused removed the one it was to replace"
refuses 'single precision' "$multiwalk" ic small.toml --set model.kind=uniform --set model.radius=1e9 \
  --set output.accelerations=true -o forces.hdf5
[ ! -e forces.hdf5 ] || report "forces out of range in a snapshot"
refuses 'single precision' "$multiwalk" bench steps small.toml --set model.kind=uniform --set model.radius=1e9
refuses 'single precision' "$multiwalk" plan small.toml --set model.kind=uniform --set model.radius=1e9
refuses 'single precision' "$multiwalk" plan small.toml --ranks 8 --set model.kind=uniform --set model.radius=1e9

# A full disk: a small tmpfs where mounting is allowed.
mkdir disk
if mount -t tmpfs -o size=200k tmpfs disk 2>/dev/null; then
  refuses 'space|full' run --set model.particles=20000 --set 'run.directory="disk/run"'
  if ls disk/run/*.hdf5 >/dev/null 2>&1; then report "a snapshot under its final name on a full disk"; fi
else
  echo "not tested here: a full disk (mounting a tmpfs is not allowed); the unit tests limit the file size instead"
fi

if [ $failures -eq 0 ]; then echo "every fault was refused"; else exit 1; fi
