# SPDX-License-Identifier: GPL-3.0-or-later
"""Communicators of mpi4py. mpi4py must use the MPI that the module was built with; where it looks for the name of the
MPICH ABI only, a link gives it that library."""
import glob
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import long

import multiwalk as mw

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("mpi4py"), reason="no mpi4py here")


def environment_for_mpi(tmp_path):
    """None where mpi4py cannot be used with the module's MPI."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    check = ("import multiwalk as mw; from mpi4py import MPI; from multiwalk._ranks import ranks_of; "
             "ranks_of(MPI.COMM_WORLD)")
    works = lambda: subprocess.run([sys.executable, "-c", check], env=environment, capture_output=True).returncode == 0  # noqa: E731
    if works():
        return environment
    module = glob.glob(os.path.join(os.path.dirname(mw.__file__), "_multiwalk*.so"))[0]
    lines = subprocess.run(["ldd", module], capture_output=True, text=True).stdout.splitlines()
    paths = [line.split()[2] for line in lines if "libmpi" in line and "=>" in line]
    if not paths:
        return None
    os.symlink(paths[0], tmp_path / "libmpi.so.12")
    environment["LD_LIBRARY_PATH"] = f"{tmp_path}:{environment.get('LD_LIBRARY_PATH', '')}"
    return environment if works() else None


@pytest.fixture
def on_ranks(tmp_path):
    environment = environment_for_mpi(tmp_path)
    if environment is None:
        pytest.skip("mpi4py here uses another MPI than the module")

    def run(ranks, code, timeout=120):
        with open("script.py", "w") as file:
            file.write("from mpi4py import MPI\nimport numpy as np, multiwalk as mw\ncomm = MPI.COMM_WORLD\n" + code)
        return subprocess.run([os.environ["MULTIWALK_MPIEXEC"], "-n", str(ranks), sys.executable, "script.py"],
                              env=environment, capture_output=True, text=True, timeout=timeout)

    return run


BOX = """
p = mw.Parameters(run={"directory": "box%d" % comm.size}, model={"kind": "box", "box_size": 20, "seed": 3},
                  ic={"grid": 16, "z_start": 24}, force={"accuracy": "fast"},
                  time={"z_end": 1, "eta": 0.3}, output={"error_sample": 0, "census_epochs": 0})
sim = mw.Simulation(p, comm)
"""


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=long)])
def test_a_run_on_several_ranks(on_ranks, ranks):
    ran = on_ranks(ranks, BOX + """
seen = []
@sim.at(redshifts=[24, 1])
def look(s):
    ids = np.concatenate(comm.allgather(np.asarray(s.particles.id)))
    assert len(set(ids)) == 16**3 == len(ids)
    seen.append((s.redshift, s.power_spectrum().power, len(s.halos(min_particles=20))))
sim.run()
assert sim.finished and len(seen) == 2
assert all(np.array_equal(p, seen[1][1]) and n == seen[1][2] for p, n in comm.allgather(seen[1][1:]))
image = sim.image(pixels=64)
assert bool(image.png) == (comm.rank == 0)
ic = mw.initial_conditions(p, comm)
assert comm.allreduce(len(ic.particles)) == 16**3
if comm.rank == 0: np.save("power", [seen[0][1], seen[1][1]])
print(f"rank {comm.rank} done\\n", end="", flush=True)
""")
    assert ran.returncode == 0 and ran.stdout.count("done") == ranks, ran.stderr
    p = mw.Parameters(run={"directory": "alone"}, model={"kind": "box", "box_size": 20, "seed": 3},
                      ic={"grid": 16, "z_start": 24}, force={"accuracy": "fast"}, time={"z_end": 1, "eta": 0.3},
                      output={"error_sample": 0, "census_epochs": 0})
    sim = mw.Simulation(p, progress=False)
    before = sim.power_spectrum().power
    after = sim.run().power_spectrum().power
    first, last = np.load("power.npy")
    assert np.array_equal(first, before)  # the same particles
    assert np.allclose(last[:5], after[:5], rtol=2e-3) and np.allclose(last, after, rtol=0.03)  # other forces and steps


@pytest.mark.parametrize("failing", [0, 1])
def test_an_exception_reaches_all_ranks(on_ranks, failing):
    ran = on_ranks(2, BOX + f"""
@sim.at(redshifts=[5])
def fail(s):
    if comm.rank == {failing}: raise LookupError("mine")
try:
    sim.run()
except LookupError as error:
    print(f"own {{comm.rank}} {{error}}\\n", end="", flush=True)
except mw.RankError as error:
    print(f"other {{comm.rank}} {{error}}\\n", end="", flush=True)
comm.Barrier()
""")
    assert ran.returncode == 0, ran.stderr
    assert f"own {failing} mine" in ran.stdout and f"other {1 - failing} " in ran.stdout and "LookupError: mine" in ran.stdout


def test_a_refused_run_is_refused_on_all_ranks(on_ranks):
    ran = on_ranks(2, """
open("file", "w").close()
try:
    mw.Simulation(mw.Parameters(run={"directory": "file"}, model={"kind": "box", "box_size": 20}, ic={"grid": 8}), comm)
except mw.InputError as error:
    print(f"refused {comm.rank}\\n", end="", flush=True)
""")
    assert ran.returncode == 0 and ran.stdout.count("refused") == 2, ran.stderr


def test_only_communicators_are_communicators(on_ranks):
    ran = on_ranks(1, """
for bad in (3, "world", MPI.COMM_NULL, MPI):
    try:
        mw.initial_conditions(mw.Parameters(model={"kind": "box", "box_size": 20}, ic={"grid": 8}), bad)
    except mw.InputError:
        print("refused")
""")
    assert ran.returncode == 0 and ran.stdout.count("refused") == 4, ran.stderr


def test_a_forked_rank_leaves_mpi_to_its_parent(on_ranks):
    done = on_ranks(2, BOX + """
import os, sys
sys.path.insert(0, os.environ["MULTIWALK_SOURCE"] + "/tests/python")
from test_forks import in_fork
sim.step()
for call in (lambda: mw.Simulation(p, comm), lambda: len(sim.halos()), sim.run):
    kind, text = in_fork(call)
    assert kind in ("Error", "InputError") and "spawn" in text, (kind, text)
x = np.random.default_rng(1).normal(size=(100, 3))
assert in_fork(lambda: len(mw.forces(x, 1.0, softening=0.1).potential)) == ["ok", 100]
sim.step()
""")
    assert done.returncode == 0, done.stderr


def test_one_thread_at_a_time_uses_mpi(on_ranks):
    done = on_ranks(1, """
import sys, threading
refused = []

class Out:
    def isatty(self): return False
    def flush(self): pass
    def write(self, text):
        if text.startswith("step") and not refused:  # within a step
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()

def other():
    try:
        mw.initial_conditions(p, comm)
        refused.append("went")
    except mw.InputError as error:
        refused.append(str(error))

before, sys.stdout = sys.stdout, Out()
""" + BOX + """
sim.run()
sys.stdout = before
assert len(refused) == 1 and "another thread uses a communicator" in refused[0], refused
mw.initial_conditions(p, comm)
""")
    assert done.returncode == 0, done.stderr
