# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on arrays that are on a GPU or that a GPU reads directly."""
import numpy as np
import pytest
from test_forks import in_fork

import multiwalk as mw
from multiwalk import InputError


class OnDevice:
    """Like an array of CuPy, but without a GPU its address is in host memory."""

    def __init__(self, values, **changes):
        self.values = values
        self.__cuda_array_interface__ = {**values.__array_interface__, "version": 3, "strides": None, **changes}


@pytest.mark.parametrize("change", [
    {"x": {"shape": (25_000, 2)}}, {"x": {"typestr": "<i8"}}, {"x": {"strides": (8, 200_000)}}, {"m": {"shape": (24_999,)}},
    {"m": {"typestr": "<f2"}}, {"previous": {"shape": (3, 25_000)}}, {"out": {"typestr": "<f4"}}, {"out": {"data": (0, True)}}])
def test_arrays_on_a_device_are_checked(change):
    x, m = np.random.default_rng(11).normal(size=(25_000, 3)), np.ones(25_000)
    arrays = {"x": x, "m": m, "previous": x.copy(), "out": np.empty((25_000, 3))}
    x, m, previous, out = (OnDevice(array, **change.get(name, {})) for name, array in arrays.items())
    with pytest.raises(InputError, match=r"^(out\[0\]|%s) " % next(iter(change))):
        mw.forces(x, m, previous=previous, out=(out, OnDevice(np.empty(25_000))))


def test_arrays_on_a_device_lie_there_together():
    x, m = np.random.default_rng(11).normal(size=(25_000, 3)), np.ones(25_000)
    out = OnDevice(np.empty((25_000, 3))), OnDevice(np.empty(25_000))
    for arrays in ((OnDevice(x), m), (OnDevice(x), OnDevice(m), x)):
        with pytest.raises(InputError, match="but x does: put all arrays there"):
            mw.forces(*arrays[:2], previous=arrays[2] if len(arrays) > 2 else None, out=out)
    with pytest.raises(InputError, match="but x does"):
        mw.forces(OnDevice(x), OnDevice(m), out=(np.empty((25_000, 3)), np.empty(25_000)))
    with pytest.raises(InputError, match=r"out\[0\] overlaps x"):
        mw.forces(OnDevice(x), OnDevice(m), out=(OnDevice(x), out[1]))
    with pytest.raises(InputError, match="give out="):
        mw.forces(OnDevice(x), OnDevice(m))


def cuda_tensors():
    """PyTorch, if it is installed and has a GPU."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def test_arrays_on_a_device_need_one():
    x, m = np.random.default_rng(11).normal(size=(25_000, 3)), np.ones(25_000)
    if cuda_tensors() is not None:
        pytest.skip("there is a GPU")
    with pytest.raises(InputError, match="^the arrays lie on a GPU, but the back end"):
        mw.forces(OnDevice(x), OnDevice(m), out=(OnDevice(np.empty((25_000, 3))), OnDevice(np.empty(25_000))))


@pytest.mark.parametrize("count", [3000, 25_000, 300_000])
def test_arrays_on_a_device_give_the_bits_of_the_hosts(count):
    torch = cuda_tensors()
    if torch is None:
        pytest.skip("no PyTorch with a GPU")
    x, m = np.random.default_rng(11).normal(size=(count, 3)), np.random.default_rng(12).uniform(0, 1, count)
    first = mw.forces(x, m, softening=0.01)
    there, mass, old = (torch.from_numpy(array).cuda() for array in (x, m, first.acceleration))
    out = torch.empty((count, 3), dtype=torch.float64, device="cuda"), torch.empty(count, dtype=torch.float64, device="cuda")
    for options in ({}, {"theta": 0.6}, {"previous": old}, {"box": 20.0}):
        on_host = {k: v.cpu().numpy() if k == "previous" else v for k, v in options.items()}
        expected = mw.forces(x, m, softening=0.01, **on_host)
        for results in (None, out, tuple(array.float() for array in out)):
            found = mw.forces(there, mass, softening=0.01, out=results, **options)
            assert found.acceleration.is_cuda and found.potential.is_cuda
            for values, wanted in zip(found, expected):
                values = values.cpu().numpy()
                assert np.array_equal(values, wanted.astype(values.dtype))
    for G in (43007.1, 6.67e-11):
        found, expected = mw.forces(there, mass, softening=0.01, G=G), mw.forces(x, m, softening=0.01, G=G)
        assert np.array_equal(found.acceleration.cpu().numpy(), expected.acceleration)
    with pytest.raises(InputError, match="exceed float32"):
        mw.forces(there, mass, softening=0.01, previous=old, G=1e38, out=tuple(array.float() for array in out))
    single = mw.forces(there.float(), 0.5, softening=0.01)
    assert np.array_equal(single.potential.cpu().numpy(), mw.forces(x.astype(np.float32), 0.5, softening=0.01).potential)
    for place in (0, count - 1):
        bad = there.clone()
        bad[place, 1] = float("nan")
        with pytest.raises(InputError, match=f"^position {place} is "):
            mw.forces(bad, mass, softening=0.01)
        bad = mass.clone()
        bad[place] = -2
        with pytest.raises(InputError, match=f"^mass {place} is -2"):
            mw.forces(there, bad, softening=0.01)
    again = mw.forces(there, mass, softening=0.01)
    assert np.array_equal(again.potential.cpu().numpy(), first.potential)


def test_page_locked_arrays_give_the_bits_of_others():
    assert mw.pinned_empty(5).shape == (5,) and mw.pinned_empty((2, 3)).dtype == np.float64
    assert mw.pinned_empty((0, 3)).shape == (0, 3)
    assert mw.pinned_empty((3, 3), "float32").dtype == np.float32 and mw.pinned_empty(7, np.float32).shape == (7,)
    for bad in ("3", 1.5, (2, -1), None):
        with pytest.raises(InputError, match="shape"):
            mw.pinned_empty(bad)
    for bad in (np.int32, "f2", "nothing", 3):
        with pytest.raises(InputError, match="dtype"):
            mw.pinned_empty(3, bad)
    count = 200_000
    x, m = np.random.default_rng(11).normal(size=(count, 3)), np.ones(count)
    locked_x, locked_m, a, phi = (mw.pinned_empty(shape) for shape in ((count, 3), count, (count, 3), count))
    locked_x[...], locked_m[...] = x, m
    expected = mw.forces(x, m, softening=0.01, theta=1.0)
    found = mw.forces(locked_x, locked_m, softening=0.01, theta=1.0, out=(a, phi))
    assert found.acceleration is a
    assert np.array_equal(a, expected.acceleration) and np.array_equal(phi, expected.potential)
    single = mw.pinned_empty((count, 3), np.float32), mw.pinned_empty(count, np.float32)
    assert mw.forces(locked_x, locked_m, softening=0.01, theta=1.0, out=single).potential is single[1]
    assert np.array_equal(single[0], a.astype(np.float32)) and np.array_equal(single[1], phi.astype(np.float32))
    locked_x[count - 1, 2] = np.inf
    with pytest.raises(InputError, match=f"^position {count - 1} is "):
        mw.forces(locked_x, locked_m, softening=0.01, theta=1.0)


def test_a_fork_of_a_process_that_used_a_gpu_names_spawn(cluster):
    x, m = cluster
    try:
        mw.forces(x, m, softening=0.01, backend="cuda")
    except InputError:
        pytest.skip("no GPU here")
    for backend in ("auto", "cuda"):
        kind, text = in_fork(lambda: mw.forces(x, m, softening=0.01, backend=backend).potential[0])
        assert kind == "InputError" and "before this process was forked" in text and "spawn" in text
    assert in_fork(lambda: len(mw.forces(x, m, softening=0.01, backend="cpu").potential)) == ["ok", len(m)]
