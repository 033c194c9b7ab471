# SPDX-License-Identifier: GPL-3.0-or-later
"""Forked processes, as multiprocessing, joblib and PyTorch's data loaders make them: calls work there, or say "spawn"."""
import json
import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest
from test_threads import particles_of, small

import multiwalk as mw


def in_fork(act, seconds=60):
    """["ok", what act() returns], or the kind and text of what it raises; ["hangs", ""] after so many seconds."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        try:
            result = ["ok", act()]
        except BaseException as error:  # noqa: BLE001 - sent to the parent
            result = [type(error).__name__, str(error)]
        os.write(write, json.dumps(result).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else ["hangs", ""]


@pytest.fixture
def sim():
    return mw.Simulation(small("parent"), progress=False).run()


def forces_on(cluster):
    x, m = cluster
    return [float(v) for v in mw.forces(x, m, softening=0.01, threads=2).acceleration[:5, 0]]


def test_forces_after_the_parent_used_its_threads(cluster):
    here = forces_on(cluster)
    assert in_fork(lambda: forces_on(cluster)) == ["ok", here]
    assert in_fork(lambda: in_fork(lambda: forces_on(cluster))) == ["ok", ["ok", here]]
    assert forces_on(cluster) == here  # the parent goes on with new threads


def test_a_pool_of_multiprocessing(cluster):
    here = forces_on(cluster)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(forces_on, [cluster] * 4).get(60) == [here] * 4


def test_snapshots_and_runs_in_a_forked_process(sim):
    snap = mw.open("parent/snapshot_000.hdf5")
    halos, total = len(sim.halos(min_particles=8)), float(snap.position.sum())
    assert in_fork(lambda: particles_of(mw.open("parent/snapshot_000.hdf5"))) == ["ok", particles_of(snap)]
    assert in_fork(lambda: [len(snap.halos(min_particles=8)), float(snap.position.sum())]) == ["ok", [halos, total]]
    assert in_fork(lambda: particles_of(mw.Simulation(small("child"), progress=False).run())) == ["ok", particles_of(sim)]


def test_a_forked_process_reads_its_parents_run_but_does_not_make_it():
    sim = mw.Simulation(small("parent"), progress=False)
    sim.step()
    before = particles_of(sim)
    assert in_fork(lambda: [particles_of(sim), len(sim.halos(min_particles=8))])[0] == "ok"
    for call in (sim.run, sim.step):
        kind, text = in_fork(call)
        assert kind == "InputError" and "belongs to the process that made it" in text and "spawn" in text
    assert in_fork(lambda: [sim.close(), repr(sim)]) == ["ok", [None, "Simulation in parent: closed"]]
    assert in_fork(lambda: mw.Simulation(small("parent"), overwrite=True, progress=False))[0] == "InputError"  # in use
    assert particles_of(sim) == before
    assert particles_of(sim.run()) == particles_of(mw.Simulation(small("alone"), progress=False).run())


def test_a_run_that_was_closed_frees_its_directory_though_a_fork_lives(sim):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)  # until the parent ends or says so
        os._exit(0)
    sim.close()
    again = mw.Simulation(small("parent"), overwrite=True, progress=False)
    os.write(write, b"x")
    os.waitpid(child, 0)
    again.close()


def test_forks_while_other_threads_work(cluster, sim):
    """The child of a fork at any moment works, or says why it cannot; nothing hangs."""
    ends, failed = threading.Event(), []

    def work(i):
        while not ends.is_set():
            try:
                mw.Simulation(small(f"busy_{i}"), overwrite=True, progress=False).run().close()
                mw.open("parent/snapshot_000.hdf5").halos(min_particles=8)
                forces_on(cluster)
            except Exception as error:  # noqa: BLE001 - shown below
                failed.append(repr(error))
                return

    def in_child():
        particles_of(mw.open("parent/snapshot_000.hdf5"))
        forces_on(cluster)
        return True

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    found = [in_fork(in_child, 60) for _ in range(int(os.environ.get("MULTIWALK_THREAD_ROUNDS", "10")))]
    ends.set()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(result == ["ok", True] or (result[0] in ("Error", "InputError") and "spawn" in result[1])
               for result in found), found


def test_a_child_of_a_running_simulation_can_be_ended():
    """SIGTERM asks the parent's run to stop; a fork of it has none and ends."""
    sim, ended = mw.Simulation(small("parent"), progress=False), []

    @sim.at(redshifts=[5])
    def fork(_):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os.write(write, b"x")
            while True:
                signal.pause()
        os.read(read, 1)
        os.kill(child, signal.SIGTERM)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    assert sim.run().finished
    assert ended == [-signal.SIGTERM]
