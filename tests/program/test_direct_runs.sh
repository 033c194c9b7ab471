#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs by direct summation: the examples, cut short, conserve energy; a run stopped amid its block steps and gone on with ends
# with the bits of an undisturbed one; three ranks and one agree; a table of three bodies; what is refused; bench direct.
# MULTIWALK_QUICK=1 leaves out the run that is killed.
#   test_direct_runs.sh MPIEXEC NUMPROC_FLAG MULTIWALK SOURCE_FOLDER
set -u
source "$(dirname "${BASH_SOURCE[0]}")/on_ranks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/shown_text.sh"
examples=$(realpath "$4")/run/examples
source "$support/resumed_runs.sh"
trap 'rm -rf "$work"' EXIT

# energy_error RUN: the largest of the run.
energy_error() { sed -n '/"energy": {/,/}/s/.*"relative": \([^,]*\),*/\1/p' "$1/report.json"; }
# conserves MOST RUN
conserves() {
  local error
  error=$(energy_error "$2")
  awk -v e="$error" -v most="$1" 'BEGIN { exit !(e != "" && e + 0 <= most) }' || fail "$2: energy error '$error', wanted $1"
}
# diagnostics RUN: as text, without the report's other parts.
diagnostics() { sed -n '/"diagnostics": {/,/"energy": {/p' "$1/report.json"; }
# example NAME SETTING...: runs it into NAME/.
example() {
  local name=$1
  shift
  "$multiwalk" run "$examples/$name.toml" "${@/#/--set=}" >"$name.log" 2>&1 || fail "$name"
  [ -s "$name/diagnostics.hdf5" ] && [ -s "$name/report.html" ] || fail "$name left no diagnostics or report"
}

example plummer_hermite model.particles=256 time.t_end=1 'output.times=[0.5]'
conserves 1e-5 plummer_hermite
example core_collapse model.particles=64 time.t_end=1 'output.times=[]'
conserves 1e-4 core_collapse
example core_collapse_gpu model.particles=64 time.t_end=1 'run.backend="cpu"'
conserves 1e-4 core_collapse_gpu
! grep -q 'WARNING: the energy' core_collapse.log || fail "a warning of an energy that is conserved"
"$multiwalk" run "$examples/core_collapse.toml" --set model.particles=64 --set time.t_end=1 --set 'output.times=[]' \
  --set time.eta=1 --set run.directory=long_steps >long_steps.log 2>&1 || fail "steps by a large eta"
grep -q 'WARNING: the energy is off' long_steps.log || fail "no warning of an energy that is not conserved"
example kepler_disc model.particles=64 time.t_end=3 'output.times=[]'
conserves 1e-5 kepler_disc
shows core_collapse/report.html 'Density of the core' || fail "no chart of the core"
shows core_collapse/report.html 'Forces by direct summation' || fail "the report does not mention direct summation"
"$multiwalk" run "$examples/kepler_disc.toml" --set model.particles=16 --set time.t_end=30 \
  --set 'output.times=[]' --set run.checkpoints_kept=1 --set run.checkpoint_every=1e-9 --set run.directory=fixed \
  >fixed.log 2>&1 || fail "fixed steps"
grep -q 'finished: 480 steps' fixed.log || fail "30 time units are not 480 steps of 1/16: $(tail -1 fixed.log)"
[ "$(find fixed -name 'checkpoint_*' | wc -l)" -eq 1 ] || fail "more checkpoints than the one to be kept"
"$multiwalk" run "$examples/two_body.toml" --set 'force.method="direct"' --set 'run.backend="cpu"' --set time.max_dt=2 \
  --set 'output.times=[]' --set run.directory=long_fixed_steps >long_fixed_steps.log 2>&1 || fail "long fixed steps"
grep -q 'WARNING: the energy.*max_dt' long_fixed_steps.log || fail "no warning of fixed steps that are too long"
"$multiwalk" run "$examples/two_body.toml" --set 'run.backend="cpu"' --set model.eccentricity=0.9 \
  --set time.max_dt=1 --set time.eta=1 --set force.softening=0.05 --set model.jitter=0.1 --set 'output.times=[]' \
  --set run.directory=tree_steps >tree_steps.log 2>&1 || fail "a tree's long steps"
grep -q 'WARNING: the energy.*time.eta' tree_steps.log || fail "no warning of a tree's steps that are too long"
grep -q 'WARNING: no effect in this run: model.jitter (for hubble_lattice)$' tree_steps.log || fail "no word of jitter"
! grep -q 'no effect' long_steps.log fixed.log || fail "settings that have an effect are said to have none"

# The figure of eight (Chenciner & Montgomery 2000) returns after 6.3259.
cat >eight.csv <<'T'
mass,x,y,z,vx,vy,vz
1,0.97000436,-0.24308753,0,0.466203685,0.43236573,0
1,-0.97000436,0.24308753,0,0.466203685,0.43236573,0
1,0,0,0,-0.93240737,-0.86473146,0
T
direct=(--set model.kind=bodies --set model.file=eight.csv --set force.softening=0 --set force.accumulation=full)
echo >empty.toml
"$multiwalk" run empty.toml "${direct[@]}" --set time.integrator=hermite --set time.steps=fixed --set time.max_dt=0.002 \
  --set time.t_end=6.32591398 --set run.directory=eight >eight.log 2>&1 || fail "three bodies"
conserves 1e-6 eight

# A table of many bodies under trees: energy is conserved, and a snapshot can be made of it.
awk 'BEGIN { srand(5); for (i = 0; i < 600; ++i) { do { x = 2 * rand() - 1; y = 2 * rand() - 1; z = 2 * rand() - 1 } while (x * x + y * y + z * z > 1)
  print 1 / 600, x, y, z, rand() - 0.5, rand() - 0.5, rand() - 0.5 } }' >ball.txt
ball=(--set model.kind=bodies --set model.file=ball.txt --set force.softening=0.05)
"$multiwalk" run empty.toml "${ball[@]}" --set time.t_end=0.5 --set run.directory=ball >ball.log 2>&1 || fail "a table of bodies under trees"
conserves 1e-3 ball
"$multiwalk" ic empty.toml "${ball[@]}" -o ball.hdf5 | grep -q '600 particles' || fail "a snapshot of a table of bodies"
"$multiwalk" plan empty.toml "${ball[@]}" --set time.t_end=0.5 | grep -q '^particles  *600$' || fail "a plan for a table of bodies"

# The same bits after stops amid blocks.
cat >run.toml <<'T'
[run]
directory = "whole"
[model]
kind = "plummer"
particles = 100
[force]
softening = 0.01
[time]
integrator = "hermite"
t_end = 1
[output]
times = [0.5]
diagnostics_every = 0.2
images = false
T
"$multiwalk" run run.toml >whole.log 2>&1 || fail "the undisturbed run"
"$multiwalk" run run.toml --set run.directory=parts --set time.max_steps=37 >parts.log 2>&1
[ $? -eq 3 ] || fail "time.max_steps did not stop the run"
"$multiwalk" run --restart parts --set time.max_steps=101 >>parts.log 2>&1
"$multiwalk" run --restart parts --set time.max_steps=0 >>parts.log 2>&1 || fail "the resumed run"
same {whole,parts}/snapshot_001.hdf5
[ "$(diagnostics whole)" = "$(diagnostics parts)" ] || fail "the resumed run has other diagnostics"
same_steps whole parts
cmp {whole,parts}/rungs.csv || fail "the resumed run has other rungs"
steps() { sed -n 's/.*"substeps": \([0-9]*\),*/\1/p' "$1/report.json" | tail -1; }
[ "$(steps whole)" = "$(steps parts)" ] || fail "the resumed run counts other steps: $(steps whole), $(steps parts)"

# The same bits after two kills, each soon after another checkpoint; there is one every half second.
killed_run() {
  local kill n long=(--set model.particles=1000 --set time.t_end=48 --set output.diagnostics_every=0.1)
  "$multiwalk" run run.toml "${long[@]}" --set run.directory=long >long.log 2>&1 || fail "the longer run"
  "$multiwalk" run run.toml "${long[@]}" --set run.directory=killed --set 'run.checkpoint_every="0.05 s"' >killed.log 2>&1 &
  for kill in 1 2; do
    for _ in $(seq 600); do
      [ "$(grep -c 'wrote .*checkpoint' killed.log)" -lt $((kill + 1)) ] || break
      sleep 0.02
    done
    kill -9 $! || fail "kill $kill came too late"
    wait $! 2>/dev/null
    [ ! -e killed/report.html ] || rm killed/report.html
    "$multiwalk" run --restart killed >>killed.log 2>&1 &
  done
  wait $! || fail "the run resumed after kills"
  for n in 000 001; do same {long,killed}/snapshot_$n.hdf5; done
  [ "$(diagnostics long)" = "$(diagnostics killed)" ] || fail "the killed run has other diagnostics"
}
[ -n "${MULTIWALK_QUICK:-}" ] || killed_run

# Other times than the block under way was made for.
"$multiwalk" run run.toml --set run.directory=other --set time.max_steps=37 >other.log 2>&1
"$multiwalk" run --restart other --set time.max_steps=0 --set 'output.times=[0.1]' >refused.log 2>&1 && fail "an output amid a block"
grep -q 'block of steps that ends at 0.2: .* cannot be set to a time in between, such as 0.1' refused.log || fail "no word of the block"
"$multiwalk" run --restart other --set time.max_steps=0 --set output.diagnostics_every=0.03 --set 'output.times=[0.7]' \
  >>other.log 2>&1 || fail "a restart with other times of output"
conserves 1e-4 other

# Three ranks and one; then a checkpoint of three on two.
last_potential() { sed -n '/"potential_energy": \[/,/\]/p' "$1/report.json" | grep '[0-9]' | tail -1; }
on 3 "$multiwalk" run run.toml --set run.directory=on_3 --set time.t_end=0.5 --set time.max_steps=20 >on_3.log 2>&1
on 2 "$multiwalk" run --restart on_3 --set time.max_steps=0 >>on_3.log 2>&1 || fail "a checkpoint of three ranks on two"
"$multiwalk" run run.toml --set run.directory=on_1 --set time.t_end=0.5 >on_1.log 2>&1 || fail "one rank"
awk -v a="$(last_potential on_1)" -v b="$(last_potential on_3)" 'BEGIN { d = a - b; exit !(a != 0 && d * d < 1e-12) }' ||
  fail "ranks disagree: $(last_potential on_1) and $(last_potential on_3)"

# One line each that says what is wrong.
refuses() {
  local pattern=$1
  shift
  "$multiwalk" run "$@" >refused.log 2>&1 && fail "accepted: $*"
  grep -qE "$pattern" refused.log || fail "no '$pattern' from: $*"
}
sed -i 's/0.43236573,0$/0.43236573/' eight.csv
refuses 'eight.csv:2: 6 columns' empty.toml "${direct[@]}" --set time.integrator=hermite --set run.directory=refused
refuses 'cannot change' --restart parts --set time.integrator=leapfrog --set time.t_end=2
refuses 'Newtonian models' run.toml --set model.kind=sphere --set 'output.times=[]'
[ ! -e refused ] || fail "a refused run left its directory"
# A body far away must not change the gravity of the others, whose distances single precision would lose.
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
  BEGIN { srand(1); for (i = 1; i < 200; ++i) print 1 / 200, normal(), normal(), normal(), 0, 0, 0; print 1e-12, 1e12, 0, 0, 0, 0, 0 }' >far.txt
kinetic() { sed -n '/"kinetic_energy": \[/,/\]/p' "$1/report.json" | grep '[0-9]' | tail -1; }
for integrator in leapfrog hermite; do
  for accumulation in mixed full; do
    "$multiwalk" run empty.toml --set model.kind=bodies --set model.file=far.txt --set force.softening=0.05 --set time.t_end=1 \
      --set 'force.method="direct"' --set time.integrator=$integrator --set time.max_dt=0.01 --set force.accumulation=$accumulation \
      --set output.images=false --set run.directory=far_$accumulation --overwrite >far.log 2>&1 || fail "a body far away: $(tail -2 far.log)"
    conserves 1e-4 far_$accumulation
  done
  awk -v mixed="$(kinetic far_mixed)" -v full="$(kinetic far_full)" 'BEGIN { v = sqrt(2 * mixed); d = mixed / full - 1
    exit !(v > 0.2 && v < 0.25 && d * d < 1e-12) }' || fail "a body far away, $integrator: kinetic energies $(kinetic far_mixed), $(kinetic far_full)"
done
# An energy that begins at 0 has an error too.
printf '2 1 0 0 0 1 0\n2 -1 0 0 0 -1 0\n' >parabola.txt
"$multiwalk" run empty.toml --set model.kind=bodies --set model.file=parabola.txt --set force.softening=0 --set force.accumulation=full \
  --set 'force.method="direct"' --set time.max_dt=0.25 --set time.t_end=1 --set run.directory=parabola >parabola.log 2>&1 || fail "a parabola"
grep -q 'WARNING: the energy is off by .* of 1 % of the first kinetic and potential energy' parabola.log || fail "no word of a parabola's error"
awk -v e="$(energy_error parabola)" 'BEGIN { exit !(e > 1e-3) }' || fail "a parabola's energy error is $(energy_error parabola)"
# First steps that were too long.
printf '1 0 0 0 0 0 0\n1 0.02 0 0 0 0 0\n1 1 1 0 0 0 0\n' >cold.txt
"$multiwalk" run empty.toml --set model.kind=bodies --set model.file=cold.txt --set force.softening=0.005 --set time.integrator=hermite \
  --set time.eta=1 --set time.eta_start=1 --set time.t_end=1 --set run.directory=cold >cold.log 2>&1 || fail "a cold start"
grep -q 'WARNING: the energy.* choose a time.eta_start below 1 and a time.eta below 1' cold.log || fail "no word of eta_start"
# Numbers beyond any step: no run that ends well.
for bad in '1e200 0 0 0 0.1 0' '0 0 0 1e200 0 0'; do
  printf '1 %s\n1 0 1e200 0 0 0.5 0\n1 0 0 1e200 -0.5 0 0\n' "$bad" >far.txt
  for integrator in hermite leapfrog; do
    rm -rf far
    "$multiwalk" run empty.toml --set model.kind=bodies --set model.file=far.txt --set force.softening=0 \
      --set 'force.method="direct"' --set time.integrator=$integrator --set time.steps=fixed --set time.max_dt=0.01 \
      --set time.t_end=0.1 --set run.directory=far >far.log 2>&1 && fail "a run of $bad by $integrator ended well"
    grep -qE 'not finite' far.log || fail "no word of $bad: $(tail -2 far.log)"
  done
done
# Nor may a run that is stopped between diagnostics leave a checkpoint of positions that are not finite.
printf '1 0 0 0 1e153 0 0\n1 1 0 0 0 0 0\n' >fast.txt
"$multiwalk" run empty.toml --set model.kind=bodies --set model.file=fast.txt --set force.softening=0 --set 'force.method="direct"' \
  --set time.max_dt=1e160 --set time.t_end=1e163 --set output.diagnostics_every=5e162 --set time.max_steps=3 --set output.images=false \
  --set run.directory=fast >fast.log 2>&1
[ $? -eq 1 ] || fail "a stopped run beyond all numbers seemed to be well"
grep -q 'position or velocity or its square is not finite' fast.log || fail "no message about positions that are not finite: $(tail -2 fast.log)"
! ls fast/checkpoint_* >/dev/null 2>&1 || fail "a checkpoint of places beyond all numbers"
# Tiny units: either a normal run or a message.
printf '1 1e-30 0 0 0 0 0\n1 -1e-30 0 0 0 0 0\n1 0 3e-30 0 0 0 0\n' >tiny.txt
"$multiwalk" run empty.toml --set model.kind=bodies --set model.file=tiny.txt --set force.softening=0 --set 'force.method="direct"' \
  --set time.max_dt=0.01 --set time.t_end=0.1 --set run.directory=tiny >tiny.log 2>&1
grep -qE 'WARNING: the energy is off|not finite' tiny.log || fail "no word of steps too long for lengths of 1e-30: $(tail -2 tiny.log)"
"$multiwalk" bench direct --backend cpu -n 100,300 --sample 50 --repeats 1 --json bench.json >bench.log 2>&1 || fail "bench direct"
grep -q 'compensated' bench.log && grep -q '"accumulation": "chamomile"' bench.json || fail "bench direct tells too little: $(cat bench.log)"
echo "direct runs: examples, restarts, ranks and faults as they should be"
exit_unless_shown
