# SPDX-License-Identifier: GPL-3.0-or-later
"""Several threads of Python: the same bits as alone, and clear words for what one simulation cannot do at once.
MULTIWALK_THREAD_ROUNDS=100 makes the first test long."""
import hashlib
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import multiwalk as mw
from multiwalk import InputError

THREADS = 8
ROUNDS = int(os.environ.get("MULTIWALK_THREAD_ROUNDS", "2"))


def small(directory, grid=8, z_end=4):
    """A box that runs in a tenth of a second."""
    return mw.Parameters(run={"directory": directory, "threads": 1}, model={"kind": "box", "box_size": 20, "seed": 3},
                         ic={"grid": grid, "z_start": 9}, time={"z_end": z_end, "eta": 0.5, "max_dlna": 0.2},
                         output={"error_sample": 0, "census_epochs": 0, "images": False})


def in_threads(*functions):
    """Calls all at once; the exceptions they raise, or None."""
    raised = [None] * len(functions)

    def call(i):
        try:
            functions[i]()
        except BaseException as error:  # noqa: BLE001 - returned
            raised[i] = error

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def digest(*arrays):
    made = hashlib.sha256()
    for array in arrays:
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


def particles_of(system):
    order = np.argsort(system.particles.id.copy())
    return digest(*(np.asarray(system.particles.array(name))[order] for name in ("position", "momentum", "mass")))


def one_round(directory, snapshot, cluster):
    """Bits of a run, of halos, an image and a spectrum of a snapshot, and of forces in a vacuum and a box."""
    x, m = cluster
    sim = mw.Simulation(small(directory), overwrite=True, progress=False)
    seen = []
    sim.at(redshifts=[5])(lambda s: seen.append(len(mw.open(snapshot).halos(min_particles=8))))
    sim.run()
    snap = mw.open(snapshot)
    halos = snap.halos(min_particles=8)
    bits = {"run": particles_of(sim), "file": particles_of(mw.open(f"{directory}/snapshot_000.hdf5")), "seen": seen,
            "halos": digest(halos), "image": snap.image(pixels=64).png, "power": digest(*snap.power_spectrum(mesh=16)),
            "forces": digest(*mw.forces(x, m, softening=0.01, threads=1)),
            "in_box": digest(*mw.forces(x, m, softening=0.01, box=4.0, threads=1)),
            "pairs": digest(*mw.direct_forces(x[:500], m[:500], softening=0.01, threads=1))}
    sim.close()
    return bits


def test_threads_get_the_bits_of_one(cluster):
    mw.Simulation(small("made", grid=12, z_end=1), progress=False).run()
    snapshot = "made/snapshot_000.hdf5"
    alone = one_round("alone", snapshot, cluster)
    assert alone["seen"][0] > 0
    different = []

    def rounds(i):
        for _ in range(ROUNDS):
            found = one_round(f"thread_{i}", snapshot, cluster)
            different.extend(name for name in alone if found[name] != alone[name])

    assert in_threads(*(lambda i=i: rounds(i) for i in range(THREADS))) == [None] * THREADS
    assert not different


def test_a_run_goes_on_in_one_thread_only():
    sim, alone = mw.Simulation(small("shared"), progress=False), mw.Simulation(small("alone"), progress=False)
    begun, refused = threading.Event(), []

    @sim.at(redshifts=[8])
    def wait(_):
        begun.set()
        while len(refused) < 3:
            time.sleep(0.001)

    def others():
        assert begun.wait(60)
        for call in (sim.run, sim.step, sim.close):
            try:
                call()
                refused.append(f"{call.__name__} went")
            except InputError as error:
                refused.append(str(error))

    assert in_threads(sim.run, others) == [None, None]
    assert [text.split(":")[0] for text in refused] == ["run()", "step()", "close()"]
    assert all("running in another thread" in text for text in refused)
    alone.at(redshifts=[8])(lambda _: None)  # steps end there, too
    assert particles_of(sim) == particles_of(alone.run())
    assert open("shared/steps.csv").read().count("\n") == open("alone/steps.csv").read().count("\n")
    sim.close()  # now it may be


def test_a_function_of_a_run_neither_runs_nor_closes_it():
    sim, refused = mw.Simulation(small("inner"), progress=False), []

    @sim.at(redshifts=[5])
    def inner(s):
        for call in (s.run, s.step, s.close):
            with pytest.raises(InputError, match=r"\(\): this simulation is running, and has called the function") as error:
                call()
            refused.append(str(error.value))
        assert s.particles.position.sum() > 0
        other = mw.Simulation(small("other"), progress=False)
        other.at(redshifts=[5])(lambda _: None)
        refused.append(particles_of(other.run()))

    sim.run()
    assert len(refused) == 4 and refused[3] == particles_of(sim)


def moment(sim):
    """The time, and the positions of that time."""
    positions, facts = sim._run.array("position")
    return facts["time"], digest(np.sort(positions, axis=None))


def test_reads_beside_a_run_show_whole_steps():
    """What other threads see belongs to one moment, and does not disturb the run."""
    sim, alone = mw.Simulation(small("read"), progress=False), mw.Simulation(small("alone"), progress=False)
    moments, ends = [moment(alone)], threading.Event()
    alone.every(1)(lambda s: moments.append(moment(s)))
    alone.run()
    moments, seen, halos = dict(moments), [], []

    def run():
        sim.run()
        ends.set()

    def read():
        while not ends.is_set():
            seen.extend(moment(sim) for _ in range(20))
            halos.append(sim.halos(min_particles=8))
            velocity, image = sim.particles.velocity, sim.image(pixels=16)
            assert np.isfinite(velocity).all() and image.png and sim.report["steps"] is not None

    assert in_threads(run, read, read, read) == [None] * 4
    assert len({time for time, _ in seen}) > 3
    assert [place for time, place in seen] == [moments.get(time) for time, _ in seen]
    assert {table.redshift for table in halos} <= {1 / time - 1 for time in moments}
    assert particles_of(sim) == particles_of(alone)


def test_a_read_waits_for_the_end_of_a_step(monkeypatch):
    """Also while the step waits for Python, to print."""
    read, waited = threading.Event(), []

    class Out:
        def isatty(self):
            return False

        def flush(self):
            pass

        def write(self, text):
            if text.startswith("step") and not waited:
                reader.start()
                waited.append(not read.wait(0.3))

    monkeypatch.setattr("sys.stdout", Out())
    sim = mw.Simulation(small("waits"))
    reader = threading.Thread(target=lambda: (sim.halos(min_particles=8), read.set()))
    sim.run()
    reader.join()
    assert waited == [True] and read.is_set()


def test_another_thread_stops_a_run():
    sim = mw.Simulation(small("stopped"), progress=False)
    begun = threading.Event()
    sim.every(1)(lambda _: (begun.set(), time.sleep(0.02)))
    assert in_threads(sim.run, lambda: begun.wait(60) and sim.stop("a thread asked")) == [None, None]
    assert "a thread asked" in sim.stopped


DAEMON = """
import threading, sys
import multiwalk as mw
from test_threads import small
sim, begun = mw.Simulation(small("daemon", grid=16, z_end=0), progress=False), threading.Event()
sim.every(1)(lambda _: begun.set())
threading.Thread(target=sim.run, daemon=True).start()
begun.wait()
"""


def test_python_ends_while_a_daemon_thread_runs(source):
    ended = subprocess.run([sys.executable, "-c", DAEMON], capture_output=True, text=True, timeout=60,
                           env=dict(os.environ, PYTHONPATH=f"{os.environ['PYTHONPATH']}:{source}/tests/python"))
    assert ended.returncode == 0, ended.stderr
    assert "because Python ends" in open("daemon/log.txt").read()
    assert mw.Simulation.resume("daemon", progress=False).step_count > 0
