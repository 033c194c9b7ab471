# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs from Python: views of particles, functions called meanwhile, stops, and the same files as the program's."""
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import long

import multiwalk as mw
from multiwalk import InputError, StaleView


def test_views_are_the_memory_of_the_run(box):
    sim = mw.Simulation(box, progress=False)
    sim.step()
    x, again = sim.particles.position, sim.particles.position
    assert x.shape == (16**3, 3) and x.dtype == np.float64 and not x.flags.owndata
    assert x.ctypes.data == again.ctypes.data == sim._run.array("position")[0].ctypes.data
    assert np.shares_memory(np.asarray(x), np.asarray(again))
    assert not x.flags.writeable
    for write in (lambda: x.__setitem__(0, 1), lambda: np.add(x, 1, out=x), lambda: x.sort(), lambda: x.fill(0)):
        with pytest.raises(ValueError):
            write()
    with pytest.raises(ValueError):
        x.flags.writeable = True
    assert sorted(sim.particles.id) == list(range(16**3)) or len(set(sim.particles.id.tolist())) == 16**3


def test_velocities_are_momenta_over_a(box):
    sim = mw.Simulation(box, progress=False)
    sim.step()
    assert np.allclose(sim.particles.velocity, np.asarray(sim.particles.momentum) / sim.time)


def test_stale_views_are_refused(box):
    sim = mw.Simulation(box, progress=False)
    sim.step()
    x = sim.particles.position
    column, kept, raw, before = x[:, 0], x.copy(), np.asarray(x), x.tolist()
    assert not x.stale
    sim.step()
    assert x.stale and column.stale
    reads = [lambda: x[0], lambda: x + 1, lambda: np.sum(x), lambda: x.mean(), lambda: list(x), lambda: x.copy(),
             lambda: np.concatenate([x, x]), lambda: column.max(), lambda: np.linalg.norm(x, axis=1), lambda: x.tolist(),
             lambda: x.tobytes(), lambda: 2 * column, lambda: x == x, lambda: x[x[:, 0] > 1], lambda: np.hstack((x, x)),
             lambda: x.astype(int), lambda: x.reshape(-1), lambda: kept.__add__(x), lambda: np.histogram(column)]
    for read in reads:
        with pytest.raises(StaleView, match="position"):
            read()
    assert "stale" in repr(x) and "stale" in str(column)
    # What C code holds on to stays as it was.
    assert np.array_equal(raw, before) and np.array_equal(kept, before)
    assert not np.array_equal(sim.particles.position, before)
    address = raw.ctypes.data
    sim.close()
    gc.collect()
    assert np.array_equal(raw, before) and raw.ctypes.data == address


@long  # test_the_same_bits_as_the_program is quick
def test_views_do_not_change_the_run(box):
    plain = mw.Simulation(box.copy(run={"directory": "plain"}), progress=False).run()
    watched = mw.Simulation(box.copy(run={"directory": "watched"}), progress=False)
    kept = []
    watched.every(1)(lambda s: kept.append((np.asarray(s.particles.position), np.asarray(s.particles.id))))
    watched.run()
    assert len(kept) == watched.step_count == plain.step_count
    assert np.array_equal(plain.particles.position, watched.particles.position)


def test_functions_are_called_where_they_should(box):
    sim = mw.Simulation(box, progress=False)
    seen, spectra, steps = [], [], []

    @sim.at(redshifts=[24, 5, 3, 1])
    def look(s):
        seen.append(s.redshift)
        spectra.append(s.power_spectrum())

    @sim.every(steps=5)
    def count(s):
        steps.append(s.step_count)

    assert sim.run() is sim and sim.finished and not sim.stopped
    assert np.allclose(seen, [24, 5, 3, 1]) and steps == list(range(5, sim.step_count + 1, 5))
    assert spectra[-1].power[0] > 20 * spectra[0].power[0]
    assert not sim.step() and sim.run() is sim
    report = json.loads(pathlib.Path("box/report.json").read_text())
    assert [round(o["z"], 9) for o in report["outputs"]] == [3, 1]
    assert [o["power"]["bins"] for o in report["outputs"]] == [o["power"]["bins"] for o in sim.report["outputs"]]


@pytest.mark.parametrize("when", [{"redshifts": [30]}, {"redshifts": [0]}, {"redshifts": ["a"]}, {"redshifts": [-1]},
                                  {"redshifts": [float("nan")]}, {"redshifts": [3], "times": [0.5]}, {"times": [2]}])
def test_times_outside_the_run_are_refused(box, when):
    sim = mw.Simulation(box, progress=False)
    with pytest.raises(InputError):
        sim.at(**when)(print)


def test_runs_to_a_redshift_and_on(box):
    sim = mw.Simulation(box, progress=False).run(redshift=4)
    assert sim.redshift == pytest.approx(4) and not sim.finished
    with pytest.raises(InputError, match="already"):
        sim.at(redshifts=[4])
    assert sim.run().finished


def test_an_exception_in_a_function_ends_the_call_not_the_simulation(box):
    sim = mw.Simulation(box, progress=False)

    @sim.at(redshifts=[5])
    def fail(_):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        sim.run()
    assert sim.redshift == pytest.approx(5)
    assert sim.run().finished


def test_the_same_bits_as_the_program(box):
    """Also with a function that is called at an output time."""
    sim = mw.Simulation(box.copy(run={"directory": "module", "deterministic": True}), progress=False)
    sim.at(redshifts=[3])(lambda s: s.halos())
    sim.run()
    pathlib.Path("p.toml").write_text(box.copy(run={"directory": "program", "deterministic": True}).to_toml())
    subprocess.run([os.environ["MULTIWALK_PROGRAM"], "run", "p.toml", "--quiet"], check=True, capture_output=True)
    ours, theirs = mw.open("module/snapshot_001.hdf5"), mw.open("program/snapshot_001.hdf5")
    assert np.array_equal(ours.id, theirs.id) and np.array_equal(ours.position, theirs.position)
    assert np.array_equal(ours.particles.momentum, theirs.particles.momentum)


def test_directories_are_protected(box):
    first = mw.Simulation(box, progress=False).run(redshift=10)
    with pytest.raises(InputError, match="overwrite|another|in use"):
        mw.Simulation(box, progress=False)
    second = mw.Simulation(box, overwrite=True, progress=False)  # as a notebook's cell that runs again
    with pytest.raises(InputError, match="closed"):
        first.step()
    assert "closed" in repr(first) and "closed" in first._repr_html_()
    second.close()
    with mw.Simulation(box, overwrite=True, progress=False) as third:
        third.step()
    assert third._run.closed


def test_a_stopped_run_goes_on(box):
    whole = mw.Simulation(box.copy(run={"directory": "whole", "deterministic": True}), progress=False).run()
    sim = mw.Simulation(box.copy(run={"deterministic": True}), progress=False)
    sim.every(3)(lambda s: s.stop("enough"))
    sim.run()
    assert sim.stopped == "enough" and not sim.finished and sim.step_count == 3
    assert list(pathlib.Path("box").glob("checkpoint_*.mwc"))
    again = mw.Simulation.resume("box", progress=False).run()
    assert again.finished and np.array_equal(again.particles.position, whole.particles.position)
    with pytest.raises(InputError):
        mw.Simulation.resume("nowhere", progress=False)


INTERRUPTED = """
import multiwalk as mw, signal, sys
p = mw.Parameters(run={"directory": "box"}, model={"kind": "box", "box_size": 20}, ic={"grid": 24},
                  time={"eta": 0.01, "max_dlna": 0.002}, output={"error_sample": 0, "census_epochs": 0})
sim = mw.Simulation(p, progress=False)
sim.every(2)(lambda s: print("step", s.step_count, flush=True))
try:
    sim.run()
except KeyboardInterrupt as stop:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted", sim.stopped, sim.step_count, stop, flush=True)
    sys.exit(0)
print("not interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_leave_a_checkpoint(number):
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not process.stdout.readline().startswith("step 4"):
        assert process.poll() is None, process.stderr.read()
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 0 and "interrupted caught SIGINT" in out and "resume" in out
    else:
        assert process.returncode == 3
    assert list(pathlib.Path("box").glob("checkpoint_*.mwc"))
    resumed = mw.Simulation.resume("box", progress=False)
    assert resumed.step_count >= 4
    assert resumed.step()


def test_direct_runs_and_their_views(cluster):
    p = mw.Parameters(run={"directory": "cluster"}, model={"kind": "plummer", "particles": 200},
                      force={"softening": 0.01}, time={"integrator": "hermite", "t_end": 0.2},
                      output={"images": False})
    sim = mw.Simulation(p, progress=False)
    times = []
    sim.at(times=[0, 0.1])(lambda s: times.append(s.time))
    sim.step()
    x, m = sim.particles.position, sim.particles.mass
    assert np.isclose(m.sum(), 1) and np.isfinite(x).all() and sim.redshift is None
    sim.run()
    assert x.stale and times == [0, 0.1] and sim.finished
    for measure in (sim.power_spectrum, sim.halos):
        with pytest.raises(InputError):
            measure()
    assert sim.image(pixels=64).png.startswith(b"\x89PNG")


def test_reports_show_themselves(box):
    sim = mw.Simulation(box, progress=False)
    assert "z = 24" in repr(sim)
    sim.run()
    assert "finished" in repr(sim)
    page = sim._repr_html_()
    assert "report.html" in page and "data:image/png;base64," in page and "4,096" in page
    assert sim.parameters["force"]["mesh"] > 0 and sim.parameters["model"]["seed"] == 3


def test_progress_goes_through_sys_stdout(box, capsys):
    mw.Simulation(box).run()
    text = capsys.readouterr().out
    assert "back end" in text and "finished" in text
    mw.Simulation(box, overwrite=True, progress=False).run()
    assert capsys.readouterr().out == ""


def test_calls_leave_the_number_of_threads_alone(box):
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    mw.forces(np.eye(3), 1.0, threads=1)
    one = mw.Simulation(box.copy(run={"threads": 1}), progress=False)
    one.step()
    assert one.report["threads"] == 1
    two = mw.Simulation(box.copy(run={"directory": "two"}), progress=False)
    two.step()
    one.step()
    assert two.report["threads"] == threads and one.report["threads"] == 1


@pytest.mark.parametrize("argument", [None, "file.toml", {}, 3])
def test_only_parameters_are_parameters(argument):
    for function in (mw.Simulation, mw.initial_conditions):
        with pytest.raises(InputError):
            function(argument)
