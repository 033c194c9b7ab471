# SPDX-License-Identifier: GPL-3.0-or-later
"""fuzz.py SEED CALLS: calls the module with arguments of all kinds (test_fuzz.py). Whatever comes is answered by a result or an
exception; prints how often each. A crash or an error of the binding itself ends it."""
import collections
import sys
import warnings

import numpy as np

import multiwalk as mw
from multiwalk import _multiwalk

warnings.simplefilter("ignore")
seed, calls = (int(a) for a in sys.argv[1:3])
random = np.random.default_rng(seed)


def pick(values):
    return values[random.integers(len(values))]


def number():
    return pick([0, 1, -1, 2, 3, 7, 33, 0.5, 1e-300, 1e300, -0.0, np.nan, np.inf, -np.inf, True, np.float32(0.1), np.int8(-3),
                 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**30, np.longdouble(2), 1j])


def points():
    return random.normal(size=(64, 3)) if random.random() < 0.6 else array()


def masses():
    return pick([lambda: 1.5, lambda: np.ones(64), lambda: np.ones(64, "f4"), array, number, anything])()


def array():
    n = int(pick([0, 1, 2, 3, 5, 64]))
    values = random.normal(size=pick([(n, 3), (n, 3), (n, 3), (n,), (n, 2), (3, n), (n, 3, 1), ()]))
    if random.random() < 0.2 and values.size:
        values.flat[random.integers(values.size)] = pick([np.nan, np.inf, 1e300, 5e-324, 0.0])
    with np.errstate(all="ignore"):
        values = values.astype(pick(["f8", "f8", "f8", "f4", "f2", ">f8", "i4", "u1", "u8", "?", "c16", "O", "U8", "g", "M8[s]"]))
    values = pick([np.asarray, np.asfortranarray, lambda v: v[::-1], lambda v: np.repeat(v, 2, axis=-1)[..., ::2],
                   lambda v: v.tolist(), np.ma.asarray])(values) if values.ndim else values
    if isinstance(values, np.ndarray) and random.random() < 0.2:
        values.flags.writeable = False
    return values


def huge():
    """More rows than any memory holds: views of one number."""
    rows = pick([2**32 - 1, 2**32, 2**40])
    return np.broadcast_to(0.5, pick([(rows, 3), (rows,), (3, rows)]))


def small():
    return pick([number, number, array, array, lambda: None, lambda: "x", lambda: "\0é", lambda: "a" * 5000, lambda: [], dict,
                 object, lambda: b"x", lambda: slice(None), lambda: [1, [2]], lambda: float, lambda: {"a": {"b": 1}}])()


def anything():
    return pick([small] * 9 + [huge])()


def options(*names):
    return {name: pick([number, anything])() for name in names if random.random() < 0.2}


def particles():
    array_of = getattr(box.particles, pick(["position", "velocity", "mass", "id", "potential"]))
    return pick([lambda: array_of[small()], lambda: array_of + small(), lambda: array_of.astype(small()),
                 lambda: np.add(array_of, small(), out=array_of), lambda: array_of.reshape(small()),
                 lambda: array_of.take(small())])()


parameters = mw.Parameters(model={"kind": "box", "box_size": 20}, ic={"grid": 8})
box = mw.initial_conditions(parameters)
keys = _multiwalk.parameter_names()
raw = [getattr(_multiwalk, name) for name in dir(_multiwalk) if callable(getattr(_multiwalk, name)) and name not in
       ("make_run", "make_realisation")]  # these make files
targets = {
    "forces": lambda: mw.forces(pick([points, points, anything])(), masses(),
                                **options("softening", "accuracy", "box", "G", "theta", "previous", "backend", "threads")),
    "direct_forces": lambda: mw.direct_forces(pick([points, points, anything])(), masses(),
                                              **options("softening", "box", "G", "backend", "threads")),
    "compiled sums": lambda: pick([_multiwalk.tree_forces, _multiwalk.pair_forces])(
        *(pick([array, anything])() for _ in range(pick([3, 4, 5]))), _multiwalk.ForceChoices()),
    "compiled": lambda: pick(raw)(*(anything() for _ in range(random.integers(4)))),
    "parameters": lambda: parameters.copy().update({pick(keys).split(".")[0]: {pick(keys).split(".")[1]: anything()}}),
    "text": lambda: mw.Parameters(text=pick(["[", "[model]\nkind = 1", "a = 1", "\0", "[run]\nthreads = 99999999999999999999"])),
    "power_spectrum": lambda: box.power_spectrum(mesh=pick([16, anything()]), **options("assignment", "folds", "interlacing")),
    "halos": lambda: box.halos(**options("linking", "min_particles")),
    "image": lambda: pick([box.image, box.projection])(pixels=pick([16, 16, number()]), **options("width", "center", "axis")),
    "with_units": lambda: box.particles.with_units(anything(), anything()),
    "open": lambda: mw.open(anything()),
    "array": lambda: box.particles.array(anything()),
    "particles": particles,
}
outcomes = collections.Counter()
for call in range(calls):
    name = pick(list(targets))
    print(f"{seed}.{call} {name}", file=sys.stderr, flush=True)  # the last line names what crashed
    try:
        result = targets[name]()
        outcomes[name, "result"] += 1
        if isinstance(result, mw.Forces):
            assert np.isfinite(result.acceleration).all() and np.isfinite(result.potential).all(), name
    except (AssertionError, SystemError, MemoryError):  # ours, and what no argument may cause
        raise
    except Exception:  # noqa: BLE001 - any other is an answer
        outcomes[name, "refused"] += 1
for name in targets:
    print(name, outcomes[name, "result"], outcomes[name, "refused"])
