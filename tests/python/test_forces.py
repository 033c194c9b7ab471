# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on arrays: right, in any units and order; arguments that cannot be used are refused."""
import threading
import time

import numpy as np
import pytest

import multiwalk as mw
from multiwalk import InputError, _forces


def summed(x, m, softening):
    d = x[None] - x[:, None]
    r = np.sqrt((d**2).sum(-1) + softening**2)
    np.fill_diagonal(r, np.inf)
    return (m[None, :, None] * d / r[..., None] ** 3).sum(1), -(m[None] / r).sum(1)


def error_of(a, truth):
    return np.linalg.norm(a - truth, axis=1) / np.linalg.norm(truth, axis=1)


def test_trees_and_pairs_agree_with_a_sum(cluster):
    x, m = cluster
    a, phi = summed(x, m, 0.01)
    pairs = mw.direct_forces(x, m, softening=0.01)
    assert error_of(pairs.acceleration, a).max() < 2e-6
    assert np.allclose(pairs.potential, phi, rtol=1e-6, atol=0)
    trees = mw.forces(x, m, softening=0.01)
    assert np.percentile(error_of(trees.acceleration, a), 99) < 5e-3
    assert np.abs(trees.potential / phi - 1).max() < 1e-2
    assert trees.acceleration.dtype == trees.potential.dtype == np.float64


def test_accuracy_orders_the_errors(cluster):
    x, m = cluster
    a, _ = mw.direct_forces(x, m, softening=0.01)
    error = {word: np.percentile(error_of(mw.forces(x, m, softening=0.01, accuracy=word)[0], a), 99)
             for word in ("fast", "standard", "reference", 1e-5)}
    assert error["fast"] > error["standard"] > error["reference"] > error[1e-5]
    assert error[1e-5] < 1e-4


@pytest.mark.parametrize("function", [mw.forces, mw.direct_forces])
def test_units_and_order_do_not_matter(cluster, function):
    x, m = cluster
    a, phi = function(x, m, softening=0.01)
    order = np.random.default_rng(2).permutation(len(x))
    shuffled = function(x[order], m[order], softening=0.01)
    assert error_of(shuffled.acceleration, a[order]).max() < 2e-3
    # metres, kilograms
    length, mass, g = 2.0**52, 2.0**100, 6.674e-11
    si = function(x * length, m * mass, softening=0.01 * length, G=g)
    assert np.allclose(si.acceleration, a * g * mass / length**2, rtol=1e-12, atol=0)
    assert np.allclose(si.potential, phi * g * mass / length, rtol=1e-12, atol=0)
    tiny = mw.forces(x * 2.0**-100, m * 2.0**-60, softening=0.01 * 2.0**-100)
    assert np.array_equal(tiny.acceleration * 2.0**-140, mw.forces(x, m, softening=0.01).acceleration)


def test_previous_accelerations_save_an_evaluation(cluster):
    x, m = cluster
    first = mw.forces(x, m, softening=0.01)
    again = mw.forces(x, m, softening=0.01, previous=first.acceleration)
    assert error_of(again.acceleration, first.acceleration).max() < 5e-3


def test_periodic_forces_agree_with_ewald():
    x = np.random.default_rng(3).uniform(-50, 250, (2000, 3))
    a, phi = mw.direct_forces(x, 1.0, box=100.0, softening=0.5)
    rms = np.sqrt((a**2).sum(1).mean())
    for accuracy, most in (("fast", 2e-2), ("standard", 4e-3), ("reference", 5e-4)):
        trees = mw.forces(x, 1.0, box=100.0, softening=0.5, accuracy=accuracy)
        assert np.percentile(np.linalg.norm(trees.acceleration - a, axis=1), 99) < most * rms, accuracy
    wrapped = mw.forces(x % 100.0, 1.0, box=100.0, softening=0.5, accuracy="fast")
    assert np.allclose(wrapped.potential, mw.forces(x, 1.0, box=100.0, softening=0.5, accuracy="fast").potential, rtol=1e-4,
                       atol=1e-5)


def test_few_and_massless_particles():
    one = mw.forces([[1.0, 2.0, 3.0]], 1.0)
    assert not one.acceleration.any() and not one.potential.any()
    a, _ = mw.forces([[0, 0, 0], [2, 0, 0]], [4, 0], softening=0.0, G=3.0)
    assert np.allclose(a, [[0, 0, 0], [-3, 0, 0]], rtol=0, atol=1e-6)
    assert not mw.forces(np.random.default_rng(1).normal(size=(100, 3)), 0.0).acceleration.any()
    same = mw.forces(np.ones((50, 3)), 1.0, softening=0.1)
    assert not same.acceleration.any() and np.allclose(same.potential, -490, rtol=1e-6, atol=0)


def test_far_particles_give_a_warning(cluster):
    x, m = cluster
    far = np.vstack([x, [[1e11, 0, 0]]])
    with pytest.warns(UserWarning, match="farthest particle"):
        a, _ = mw.forces(far, 1 / 3000, softening=0.01)
    assert error_of(a[:-1], mw.direct_forces(x, m, softening=0.01)[0]).max() < 1e-4


def test_inputs_of_all_kinds_give_the_same(cluster):
    x, m = cluster
    a, _ = mw.forces(x, m, softening=0.01)
    frozen = x.copy()
    frozen.flags.writeable = False
    wide = np.zeros((len(x), 6))
    wide[:, ::2] = x
    for same in (frozen, np.asfortranarray(x), wide[:, ::2], x.tolist(), x[::-1][::-1], x.astype(">f8")):
        assert np.array_equal(mw.forces(same, m, softening=0.01).acceleration, a)
    odd = np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape)
    assert np.array_equal(mw.forces(odd, m, softening=0.01).acceleration, a)
    assert len(mw.forces(np.eye(3, dtype=np.int32), np.ones(3, np.float32)).potential) == 3


@pytest.mark.parametrize("box", [None, 20.0])
@pytest.mark.parametrize("count", [3000, 25_000])
def test_single_precision_gives_the_bits_of_double(box, count):
    random = np.random.default_rng(11)
    x, m = random.uniform(0, 10, (count, 3)).astype(np.float32), random.uniform(0, 1, count).astype(np.float32)
    options = {"softening": 0.01, "box": box, "accuracy": "fast"}
    wide = mw.forces(x.astype(np.float64), m.astype(np.float64), **options)
    old = wide.acceleration.astype(np.float32)
    same = mw.forces(x, m, **options)
    assert np.array_equal(same.acceleration, wide.acceleration) and np.array_equal(same.potential, wide.potential)
    again = mw.forces(x.astype(np.float64), m, previous=old.astype(np.float64), **options)
    assert np.array_equal(mw.forces(x, m, previous=old, **options).acceleration, again.acceleration)
    out = np.empty((count, 3), np.float32), np.empty(count, np.float32)
    mw.forces(x, m, out=out, **options)
    assert np.array_equal(out[0], old) and np.array_equal(out[1], wide.potential.astype(np.float32))
    with pytest.raises(InputError, match="exceed float32"):
        mw.forces(x, m, out=out, G=1e38, **options)
    one = mw.forces(x, np.full(count, 0.25), **options)
    for mass in (0.25, np.float32(0.25), np.array(0.25)):
        assert np.array_equal(mw.forces(x, mass, **options).acceleration, one.acceleration)


@pytest.mark.parametrize("count", [3000, 25_000])
def test_wrong_elements_are_named_wherever_they_are(count):
    x, m = np.random.default_rng(11).normal(size=(count, 3)), np.ones(count)
    for kind in (np.float64, np.float32):
        for place in (0, 2047, 2048, count - 1):
            bad = x.astype(kind)
            bad[place, 1] = np.inf
            with pytest.raises(InputError, match=f"^position {place} is "):
                mw.forces(bad, m, softening=0.1)
            heavy = m.astype(kind)
            heavy[place] = -1
            with pytest.raises(InputError, match=f"^mass {place} is -1"):
                mw.forces(x, heavy, softening=0.1)
            old = x.astype(kind)
            old[place, 2] = np.nan
            for criterion in ({}, {"theta": 0.6}):
                with pytest.raises(InputError, match=f"^previous acceleration {place} "):
                    mw.forces(x, m, softening=0.1, previous=old, **criterion)


BAD_POSITIONS = [None, 1.0, "abc", [], np.empty((0, 3)), np.zeros(3), np.zeros((3, 2)), np.zeros((2, 3, 3)),
                 np.zeros((3, 3), complex), np.zeros((3, 3), bool), np.array([[1, 2, None]] * 3),
                 np.zeros((3, 3), "U5"), np.array([[np.nan, 0, 0]] * 3), np.array([[np.inf, 0, 0]] * 3),
                 np.array([[1e200, 0, 0]] * 3), [[1, 2, 3], [1, 2]], {"a": 1}, object(), np.zeros((3, 3), "M8[s]"),
                 np.zeros((3, 3), np.dtype([("x", "f8")])), np.full((3, 3), 1, np.longdouble),
                 np.ma.array(np.zeros((3, 3)), mask=True)]


@pytest.mark.parametrize("function", [mw.forces, mw.direct_forces])
@pytest.mark.parametrize("bad", BAD_POSITIONS, ids=range(len(BAD_POSITIONS)))
def test_bad_positions(function, bad):
    with pytest.raises(InputError):
        function(bad, 1.0)


@pytest.mark.parametrize("function", [mw.forces, mw.direct_forces])
@pytest.mark.parametrize("bad", [None, "m", [1, 2], np.ones((3, 1)), np.array([1, np.nan, 1]), np.array([1, -1, 1.0]),
                                 np.inf, 1j, np.array([1, 1, 1e300]), [], True])
def test_bad_masses(function, bad):
    with pytest.raises(InputError):
        function(np.eye(3), bad)


@pytest.mark.parametrize("options", [
    {"softening": -1}, {"softening": np.nan}, {"softening": "1"}, {"softening": None}, {"softening": [1, 2]},
    {"softening": 1e30}, {"softening": 1e-300}, {"box": 0}, {"box": -1}, {"box": np.inf}, {"box": "a"}, {"box": True}, {"G": np.nan}, {"G": "G"},
    {"accuracy": "best"}, {"accuracy": 0}, {"accuracy": -1}, {"accuracy": np.nan}, {"accuracy": []}, {"theta": 0},
    {"theta": 0.5, "accuracy": 0.1}, {"previous": np.zeros((2, 3))}, {"previous": np.full((3, 3), np.nan)},
    {"previous": np.zeros(3)}, {"backend": "gpu"}, {"backend": 3}, {"threads": 1.5}, {"threads": -1}, {"threads": 10**9},
    {"backend": "ewald"}, {"backend": "cpu:sse9"}])
def test_bad_options(options):
    with pytest.raises(InputError):
        mw.forces(np.eye(3), 1.0, **options)


def test_too_many_particles_are_refused_before_they_are_copied():
    huge = np.broadcast_to(np.zeros(3), (2**32, 3))
    with pytest.raises(InputError, match="4294967296"):
        mw.forces(huge, 1.0)
    most = _forces._multiwalk.most_particles
    assert 2**31 < most < 2**32
    with pytest.raises(InputError, match="shape"):
        mw.forces(np.broadcast_to(np.zeros(3), (2**31, 3)), np.broadcast_to(1.0, 2**31 - 1))


def test_compiled_part_takes_only_what_it_can_read():
    """Whatever comes, an exception: the checks of Python are not the last."""
    compiled, choices = _forces._multiwalk, _forces._multiwalk.ForceChoices()
    x, m, a, p = np.eye(3), np.ones(3), np.empty((3, 3)), np.empty(3)
    frozen = np.empty((3, 3))
    frozen.flags.writeable = False
    for arrays in ((x[:, ::-1], m, None, a, p), (x.astype("f2"), m, None, a, p), (x, m[:2], None, a, p),
                   (x, m, x[:2], a, p), (x, m, None, frozen, p), (x, m, None, a[:2], p), (x, m, None, a, p[:2]),
                   (x[:, :2], m, None, a, p), (x.T.reshape(9), m, None, a, p), (x, m, x.T.reshape(9), a, p), (x, x, None, a, p), (None, m, None, a, p), (x, m, None, np.empty((3, 3), order="F"), p)):
        with pytest.raises((TypeError, InputError)):
            compiled.tree_forces(*arrays, choices)


def test_random_arguments_never_crash():
    random = np.random.default_rng(5)
    shapes = [(0, 3), (1, 3), (2, 3), (7, 3), (64, 3), (3,), (4, 2), (5, 3, 1)]
    kinds = ["f8", "f4", "i4", "u1", "c16", "?", "f2", ">f8", "O"]
    specials = [0, 1, -1, np.nan, np.inf, 1e-300, 1e300, 1e99, 5e-324]
    outcomes = {"result": 0, "refused": 0}
    for _ in range(600):
        shape = shapes[random.integers(len(shapes))]
        with np.errstate(all="ignore"):
            x = (random.normal(size=shape) * 10.0 ** random.uniform(-8, 8)).astype(kinds[random.integers(len(kinds))])
            if random.random() < 0.3 and x.size and x.dtype.kind in "fc":
                x.flat[random.integers(x.size)] = specials[random.integers(len(specials))]
        m = random.uniform(0, 1, random.integers(0, 9) if random.random() < 0.3 else shape[0])
        options = {"softening": specials[random.integers(len(specials))] if random.random() < 0.2 else 0.1}
        if random.random() < 0.3:
            options["box"] = float(10.0 ** random.uniform(-4, 4))
        try:
            result = mw.forces(x, m, **options)
            assert np.isfinite(result.acceleration).all() and len(result.potential) == len(x)
            outcomes["result"] += 1
        except InputError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 50, outcomes


def test_other_threads_go_on_meanwhile(cluster):
    """The interpreter's lock is free while C++ works."""
    x = np.random.default_rng(4).normal(size=(30000, 3))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    clock = threading.Thread(target=tick)
    clock.start()
    began = time.perf_counter()
    mw.direct_forces(x, 1.0, softening=0.01, backend="direct", threads=1)
    ended = time.perf_counter()
    done.set()
    clock.join()
    assert ended - began > 0.1
    assert sum(began < t < ended for t in ticks) > (ended - began) / 0.1


def test_several_threads_at_once(cluster):
    x, m = cluster
    expected = mw.forces(x, m, softening=0.01, threads=1).acceleration
    results = [None] * 4

    def call(i):
        results[i] = mw.forces(x, m, softening=0.01, threads=1).acceleration

    calls = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    [c.start() for c in calls]
    [c.join() for c in calls]
    assert all(np.array_equal(r, expected) for r in results)


class Tensor:
    """An array of another package, on the host (kind 1) or a device that speaks DLPack 1.0, an older one, or neither."""

    def __init__(self, values, kind=1, speaks=True):
        self.values, self.kind, self.speaks, self.copies = values, kind, speaks, 0

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.kind != 1 and not (self.speaks and dl_device == (1, 0)):
            raise BufferError("this memory is on the device")
        self.copies += self.kind != 1
        return (self.values.copy() if self.kind != 1 else self.values).__dlpack__()


class OldTensor(Tensor):
    def get(self):
        return self.values.copy()


def test_arrays_of_other_packages(cluster):
    x, m = cluster
    a, phi = mw.forces(x, m, softening=0.01)
    assert np.shares_memory(_forces._points(Tensor(x), "x"), x)
    device = Tensor(x, kind=2)
    for same in (Tensor(x), Tensor(np.asfortranarray(x)), device, OldTensor(x, kind=2, speaks=False)):
        assert np.array_equal(mw.forces(same, Tensor(m), softening=0.01, previous=None).acceleration, a)
    assert device.copies == 1
    assert np.array_equal(mw.direct_forces(Tensor(x, kind=10), m, softening=0.01)[1],
                          mw.direct_forces(x, m, softening=0.01)[1])
    for bad in (Tensor(x, kind=2, speaks=False), Tensor(x[:, :2]), Tensor(np.zeros((3, 3), complex))):
        with pytest.raises(InputError):
            mw.forces(bad, 1.0)
    with pytest.raises(InputError, match=r"previous lies on a device \(kind 2"):
        mw.forces(x, m, previous=Tensor(x, kind=2, speaks=False))


@pytest.mark.parametrize("function", [mw.forces, mw.direct_forces])
def test_results_go_where_out_says(cluster, function):
    x, m = cluster
    expected = function(x, m, softening=0.01)
    out = np.full((len(x), 3), np.nan), np.full(len(x), np.nan)
    result = function(x, m, softening=0.01, out=out)
    assert result.acceleration is out[0] and result.potential is out[1]
    assert np.array_equal(out[0], expected.acceleration) and np.array_equal(out[1], expected.potential)
    function(x, m, softening=0.02, out=out)
    assert not np.array_equal(out[0], expected.acceleration)


def bad_outs(x, m, previous):
    """What cannot hold the results, and what the message says."""
    n = len(x)
    a, phi = np.empty((n, 3)), np.empty(n)
    frozen = np.empty(n)
    frozen.flags.writeable = False
    both = np.empty(4 * n)
    near = np.empty(4 * n - 1)
    odd = np.empty(8 * n + 1, np.uint8)[1:].view(np.float64)
    return [
        (a, "tuple"), ((a,), "tuple"), ([a, phi], "tuple"), ((a, phi, phi), "tuple"), ((phi, a), "shape"),
        ((a[:-1], phi), "shape"), ((a, phi[1:]), "shape"), ((a.reshape(3, n), phi), "shape"), ((a, np.empty((n, 1))), "shape"),
        ((a.astype("f4"), phi), "float32"), ((a, phi.astype(">f8")), ">f8"), ((a, np.empty(n, complex)), "complex"),
        ((np.empty((3, n)).T, phi), "contiguous"), ((np.empty((2 * n, 3))[::2], phi), "contiguous"),
        ((a, np.empty(2 * n)[::2]), "contiguous"), ((a, odd), "aligned"), ((a, frozen), "writeable"),
        ((a.tolist(), phi), "numpy"), ((a, None), "numpy"), ((np.ma.array(a), phi), "numpy"),
        ((x, phi), "out\\[0\\] overlaps x"), ((a, m), "out\\[1\\] overlaps m"), ((x[:], phi), "overlaps x"),
        ((previous, phi), "overlaps previous"), ((a, x.ravel()[5 : 5 + n]), "out\\[1\\] overlaps x"),
        ((a, a.ravel()[:n]), "out\\[1\\] overlaps out\\[0\\]"),
        ((near[: 3 * n].reshape(n, 3), near[3 * n - 1 :]), "overlaps out"),
        ((both[: 3 * n].reshape(n, 3), both[3 * n :]), None)]


@pytest.mark.parametrize("number", range(28))
def test_bad_outs(cluster, number):
    x, m = cluster[0].copy(), np.array(cluster[1])
    previous = np.ones_like(x)
    cases = bad_outs(x, m, previous)
    assert len(cases) == 28
    out, message = cases[number]
    if message is None:  # neighbours are no overlap
        mw.forces(x, m, softening=0.01, previous=previous, out=out)
        return
    kept = x.copy(), m.copy()
    with pytest.raises(InputError, match=message):
        mw.forces(x, m, softening=0.01, previous=previous, out=out)
    if "previous" not in message:
        with pytest.raises(InputError, match=message):
            mw.direct_forces(x, m, softening=0.01, out=out)
    assert np.array_equal(kept[0], x) and np.array_equal(kept[1], m)


def test_out_may_overlap_what_is_copied_first(cluster):
    """Inputs that are converted are copied first, so results may overwrite them."""
    x, m = cluster
    expected = mw.forces(x.astype("f4"), m, softening=0.01)
    single = x.astype("f4")
    memory = np.zeros(4 * len(x))
    memory.view("f4")[: 3 * len(x)] = single.ravel()
    out = memory[: 3 * len(x)].reshape(-1, 3), memory[3 * len(x) :]
    result = mw.forces(memory.view("f4")[: 3 * len(x)].reshape(-1, 3), m, softening=0.01, out=out)
    assert np.array_equal(result.acceleration, expected.acceleration)


@pytest.mark.parametrize("function", [mw.forces, mw.direct_forces])
@pytest.mark.parametrize("place", [0, 7, 8, 2047, 2048, 4100, 9999, 10000, 10001])
def test_a_bad_number_is_found_wherever_it_is(function, place):
    n = 10002
    random = np.random.default_rng(6)
    x, m, previous = random.normal(size=(n, 3)), np.ones(n), random.normal(size=(n, 3))

    def refuses(message, x=x, m=m, **previous):
        with pytest.raises(InputError, match=message):
            function(x, m, softening=0.1, **previous)

    for bad in (np.nan, np.inf, -np.inf, 2e100):
        for axis in range(3):
            wrong = x.copy()
            wrong[place, axis] = bad
            refuses(rf"^position {place} is \(.*\): it must be finite and within 1e\+100$", x=wrong)
            if function is mw.forces:
                wrong = previous.copy()
                wrong[place, axis] = bad
                refuses(f"^previous acceleration {place} is not finite$", previous=wrong)
    for bad in (np.nan, np.inf, -1e-300, 2e100):
        wrong = m.copy()
        wrong[place] = bad
        refuses(f"^mass {place} is .*: it must be finite, not negative and at most 1e", m=wrong)
    # the first of several
    wrong = x.copy()
    wrong[place:, 1] = np.nan
    refuses(f"^position {place} ", x=wrong)


def test_few_heavy_particles_that_no_sample_sees():
    """One body among tracers of hardly any mass, or of none."""
    n = 20000
    x = np.random.default_rng(7).normal(size=(n, 3))
    for tracer, body in ((0.0, 1.0), (1e-18, 1.0), (1e-60, 1.0), (0.0, 1e-60)):
        m = np.full(n, tracer)
        m[12345] = body
        a, phi = mw.forces(x, m, softening=0.01, theta=0.2)
        d = x[12345] - x
        r = np.sqrt((d**2).sum(1) + 0.01**2)
        others = np.arange(n) != 12345
        assert np.allclose(phi[others] / body, -1 / r[others], rtol=1e-5, atol=0)
        assert error_of(a[others] / body, (d / r[:, None] ** 3)[others]).max() < 1e-3


def test_large_results_are_arrays_of_their_own():
    """Their memory is used again only when nobody holds it any longer."""
    x = np.random.default_rng(8).normal(size=(_forces._LARGE + 1, 3))
    first = mw.forces(x, 1.0, softening=0.1, accuracy="fast")
    kept = first.acceleration.copy(), first.potential.copy()
    view = first.potential[5:]
    second = mw.forces(x * 2, 1.0, softening=0.1, accuracy="fast", previous=first.acceleration)
    assert not np.shares_memory(first.acceleration, second.acceleration)
    assert np.array_equal(first.acceleration, kept[0]) and np.array_equal(first.potential, kept[1])
    memory = {first.acceleration.ctypes.data, second.acceleration.ctypes.data}
    assert second.acceleration.flags.writeable and second.acceleration.flags.c_contiguous
    del first, second
    third = mw.forces(x, 1.0, softening=0.1, accuracy="fast")
    assert np.array_equal(view, kept[1][5:])
    assert np.array_equal(third.acceleration, kept[0])
    assert third.acceleration.ctypes.data in memory
