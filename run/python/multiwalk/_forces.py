# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on the user's own arrays."""
from __future__ import annotations

import math
import numbers
import operator
import sys
import warnings
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy import ma  # at once: numpy imports it when it is first used, under a lock that a fork may find taken
from numpy.typing import ArrayLike, NDArray

from . import _multiwalk
from ._multiwalk import InputError

#: The relative criterion's alpha for each word, without a box.
_ALPHAS = {"fast": 4 * _multiwalk.default_alpha, "standard": _multiwalk.default_alpha,
           "reference": _multiwalk.default_alpha / 20}


class Forces(NamedTuple):
    """Accelerations and potentials in the order of the positions; unpacks as ``a, phi``."""

    acceleration: NDArray[np.float64]  #: (N, 3) G sum m d / R^3, R^2 = r^2 + softening^2
    potential: NDArray[np.float64]  #: (N) -G sum m / R, own pair excluded


#: From this number of particles on, results lie in memory that later calls use again.
_LARGE = 100_000

#: Back ends that may leave arrays on a GPU.
_DEVICE_BACKENDS = ("auto", "cuda", "cuda-resident")

#: DLPack's numbers of memory that the host can read: its own, page-locked by CUDA or ROCm, CUDA's managed memory.
_READABLE = (1, 3, 11, 13)


class _HostCopy:
    """The host's copy of an array on a device, made by the array's own package (DLPack 1.0)."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **_: Any) -> Any:
        return self._value.__dlpack__(dl_device=(1, 0), copy=True)


def _from_dlpack(value: Any, name: str) -> np.ndarray:
    """An array of another package as a numpy array; host memory is not copied, a device array is copied to the host."""
    kind, number = value.__dlpack_device__()
    if kind in _READABLE:
        return np.from_dlpack(value)
    try:
        return np.from_dlpack(_HostCopy(value))
    except Exception:
        for copy in ("get", "cpu"):  # of CuPy, of PyTorch
            if hasattr(value, copy):
                return np.asarray(getattr(value, copy)())
    raise InputError(f"{name} lies on a device (kind {int(kind)}, number {int(number)}) and cannot be copied by "
                     "DLPack: copy it to the host yourself")


class _OnDevice(NamedTuple):
    """An array on a GPU, of any package that has ``__cuda_array_interface__``."""

    address: int
    single: bool  #: precision
    shape: tuple[int, ...]

    @property
    def numbers(self) -> tuple[int, bool]:
        return self.address, self.single

    def overlaps(self, other: _OnDevice) -> bool:
        return self.address < other.end and other.address < self.end

    @property
    def end(self) -> int:
        return self.address + math.prod(self.shape) * (4 if self.single else 8)


def _interface(value: Any) -> Optional[dict[str, Any]]:
    """``__cuda_array_interface__`` of an array on a GPU; None for anything else."""
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    try:
        return getattr(value, "__cuda_array_interface__", None)
    except Exception as error:  # of PyTorch for tensors with gradients, of JAX for arrays in host memory
        if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] in _READABLE:
            return None
        raise InputError(f"an array on a GPU cannot be read: {error}") from None


def _device_array(value: Any, name: str, shape: tuple[int, ...], *, result: bool = False) -> _OnDevice:
    """`shape`: the required one; -1 for any length."""
    interface = _interface(value)
    if interface is None:
        raise InputError(f"{name} does not lie on a GPU, but x does: put all arrays there, or none")
    if getattr(value, "units", None) is not None or getattr(value, "unit", None) is not None:
        raise InputError(f"{name} carries units: give plain numbers in units of your choice (x.value)")
    found, kind, strides = tuple(interface["shape"]), interface["typestr"], interface.get("strides")
    if len(found) != len(shape) or any(wanted not in (-1, length) for wanted, length in zip(shape, found)):
        raise InputError(f"{name} has shape {found}: it must be {str(shape).replace('-1', 'N')}")
    if kind not in ("<f8", "<f4"):
        raise InputError(f"{name} has numbers of type {kind}: on a GPU they must be float64 or float32")
    size = int(kind[2])
    if strides is not None and tuple(strides) != tuple(size * math.prod(found[k + 1:]) for k in range(len(found))):
        raise InputError(f"{name} must be contiguous (in C order) on its GPU")
    address, read_only = interface["data"]
    if result and read_only:
        raise InputError(f"{name} must be writeable")
    return _OnDevice(address, size == 4, found)


def _device_results(out: Any, x: Any, count: int) -> Forces:
    """Arrays on the GPU for the results: the caller's, or new ones from the package of x."""
    if out is not None:
        if not isinstance(out, tuple) or len(out) != 2:
            raise InputError("out must be a tuple of two arrays: accelerations (N, 3) and potentials (N,)")
        return Forces(*out)
    package = type(x).__module__.partition(".")[0]
    if package == "torch":
        return Forces(x.new_empty((count, 3), dtype=sys.modules["torch"].float64),
                      x.new_empty(count, dtype=sys.modules["torch"].float64))
    if package == "cupy":
        with x.device:
            return Forces(sys.modules["cupy"].empty((count, 3)), sys.modules["cupy"].empty(count))
    raise InputError(f"x is an array of {package} on a GPU: give out=, two arrays on that GPU for the results")


def _device_forces(x: Any, m: Any, previous: Any, out: Any, choices: _multiwalk.ForceChoices) -> tuple[Forces, str]:
    """All arrays lie on one GPU."""
    position = _device_array(x, "x", (-1, 3))
    count = position.shape[0]
    if not 0 < count <= _multiwalk.most_particles:
        raise InputError(f"x has {count} rows: give 1 to {_multiwalk.most_particles}")
    used = {"x": position}
    mass: Any
    if _interface(m) is not None:
        used["m"] = _device_array(m, "m", (count,))
        mass = used["m"].numbers
    elif np.ndim(m) == 0:
        mass = float(_converted(_masses(m, count), "m"))
    else:
        raise InputError("m does not lie on a GPU, but x does: put all arrays there, or none")
    if previous is not None:
        used["previous"] = _device_array(previous, "previous", (count, 3))
    result = _device_results(out, x, count)
    for name, array, shape in (("out[0]", result.acceleration, (count, 3)), ("out[1]", result.potential, (count,))):
        place = _device_array(array, name, shape, result=True)
        for other, taken in used.items():
            if place.overlaps(taken):
                raise InputError(f"{name} overlaps {other}: results need arrays of their own")
        used[name] = place
    if used["out[0]"].single != used["out[1]"].single:
        raise InputError("out[0] and out[1] must both be float64 or both be float32")
    warning = _multiwalk.device_tree_forces(count, position.numbers, mass,
                                            used["previous"].numbers if previous is not None else None,
                                            (used["out[0]"].numbers, used["out[1]"].numbers), choices)
    return result, warning


def pinned_empty(shape: Union[int, tuple[int, ...]], dtype: Any = np.float64) -> NDArray[Any]:
    """An uninitialised array of float64 or float32 in page-locked memory. `forces` on a GPU reads and writes such
    arrays directly, so no core of the host copies them. Locking takes about 0.3 s per GB, so keep the array. Without
    a GPU, or if the system does not allow this amount of memory to be locked, it is an ordinary array.
    """
    try:
        sizes = tuple(operator.index(size) for size in (shape if isinstance(shape, tuple) else (shape,)))
    except TypeError:
        raise InputError(f"shape = {shape!r}: give whole numbers") from None
    if any(size < 0 for size in sizes):
        raise InputError(f"shape = {shape!r}: sizes must not be negative")
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = None
    if kind not in (np.float64, np.float32):
        raise InputError(f"dtype = {dtype!r}: it must be float64 or float32")
    count = math.prod(sizes)
    doubles = _multiwalk.page_locked(-(-count * kind.itemsize // 8))
    return doubles.view(kind)[:count].reshape(sizes)


def _plain(value: Any, name: str) -> np.ndarray:
    """An array of real numbers, not yet converted; units are refused, since they would be lost."""
    if getattr(value, "units", None) is not None or getattr(value, "unit", None) is not None:
        raise InputError(f"{name} carries units: give plain numbers in units of your choice (x.value)")
    try:
        exports = hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))
        array = _from_dlpack(value, name) if exports else np.asarray(value)
    except InputError:
        raise
    except Exception as error:  # numpy raises what the object raises
        raise InputError(f"{name} is not an array of numbers: {error}") from None
    if ma.isMaskedArray(value) and ma.is_masked(value):
        raise InputError(f"{name} has masked elements: leave them out first")
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} has dtype {array.dtype}: give real numbers, such as float64")
    return array


def _overlaps(array: np.ndarray, out: Any) -> bool:
    return isinstance(out, tuple) and any(isinstance(part, np.ndarray) and np.may_share_memory(array, part) for part in out)


def _converted(array: np.ndarray, name: str, single: bool = False) -> np.ndarray:
    """The array, contiguous and in double precision; with `single`, float32 is left as it is."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        raise InputError(f"{name} has dtype {array.dtype}, which float64 cannot hold: convert it yourself")
    kind = np.float32 if single and array.dtype == np.float32 else np.float64
    return np.require(array, kind, ["C_CONTIGUOUS", "ALIGNED"])


def _points(value: Any, name: str) -> np.ndarray:
    array = _plain(value, name)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{name} has shape {array.shape}: it must be (N, 3)")
    if not 0 < array.shape[0] <= _multiwalk.most_particles:
        raise InputError(f"{name} has {array.shape[0]} rows: give 1 to {_multiwalk.most_particles}")
    return array


def _masses(value: Any, count: int) -> np.ndarray:
    array = _plain(value, "m")
    if array.ndim > 0 and array.shape != (count,):
        raise InputError(f"m has shape {array.shape}: it must be ({count},) as the positions, or one number")
    return array


def _number(value: Any, name: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.ndarray)):
        raise InputError(f"{name} = {value!r}: it must be a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} = {value!r}: it must be a number ({error})") from None


def _positive(value: Any, name: str) -> float:
    number = _number(value, name)
    if not 0 < number < float("inf"):
        raise InputError(f"{name} = {number}: it must be a finite number above 0")
    return number


def _choices(softening: Any, G: Any, box: Any, backend: Any, threads: Any) -> _multiwalk.ForceChoices:
    choices = _multiwalk.ForceChoices()
    choices.softening = _number(softening, "softening")
    choices.G = _number(G, "G")
    choices.box = 0.0 if box is None else _positive(box, "box")
    if not isinstance(backend, str):
        raise InputError(f"backend = {backend!r}: it must be a name such as 'auto' or 'cpu'")
    choices.backend = backend
    try:
        choices.threads = operator.index(0 if threads is None else threads)
    except TypeError:
        raise InputError(f"threads = {threads!r}: it must be a whole number") from None
    if not 0 <= choices.threads <= 4096:
        raise InputError(f"threads = {threads}: give 1 to 4096")
    return choices


def _choose_accuracy(choices: _multiwalk.ForceChoices, accuracy: Any, theta: Any) -> None:
    periodic = choices.box > 0
    if theta is not None:
        if accuracy is not None:
            raise InputError("give accuracy or theta, not both: each chooses the criterion that opens cells")
        choices.theta = _positive(theta, "theta")
        choices.accuracy = "custom"
    elif isinstance(accuracy, str):
        if accuracy not in _ALPHAS:
            raise InputError(f"accuracy = {accuracy!r}: give a number, 'fast', 'standard' or 'reference'")
        if periodic:
            choices.accuracy = accuracy
        else:
            choices.alpha = _ALPHAS[accuracy]
    elif accuracy is not None:
        choices.alpha = _positive(accuracy, "accuracy")
        choices.accuracy = "custom"


def _results(out: Any, inputs: dict[str, Optional[np.ndarray]], count: int, single: bool = False) -> Forces:
    """Arrays for the results: new ones or, with `out`, the caller's, which may not overlap each other or the inputs.
    `single`: the caller's may be in single precision."""
    if out is None:
        return Forces(*_multiwalk.new_results(count)) if count >= _LARGE else Forces(np.empty((count, 3)), np.empty(count))
    if not isinstance(out, tuple) or len(out) != 2:
        raise InputError("out must be a tuple of two arrays: accelerations (N, 3) and potentials (N,)")
    used: dict[str, Optional[np.ndarray]] = dict(inputs)
    for name, array, shape in (("out[0]", out[0], (count, 3)), ("out[1]", out[1], (count,))):
        if not isinstance(array, np.ndarray) or ma.isMaskedArray(array):
            raise InputError(f"{name} is not a numpy array")
        if array.shape != shape or not (array.dtype == np.float64 or (single and array.dtype == np.float32)):
            raise InputError(f"{name} has shape {array.shape} and dtype {array.dtype}: it must be {shape} and float64"
                             f"{' or float32' if single else ''}")
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise InputError(f"{name} must be contiguous (in C order), aligned and writeable")
        for other, taken in used.items():
            if taken is not None and np.may_share_memory(array, taken):
                raise InputError(f"{name} overlaps {other}: results need arrays of their own")
        used[name] = array
    if out[0].dtype != out[1].dtype:
        raise InputError("out[0] and out[1] must both be float64 or both be float32")
    return Forces(*out)


def forces(x: ArrayLike, m: ArrayLike, *, softening: float = 0.0, accuracy: Union[float, str, None] = None,
           box: Optional[float] = None, G: float = 1.0, theta: Optional[float] = None,
           previous: Optional[ArrayLike] = None, backend: str = "auto", threads: Optional[int] = None,
           out: Optional[tuple[NDArray[Any], NDArray[Any]]] = None) -> Forces:
    """Gravity of N particles on each other by trees, in any units.

    Arrays of other packages (PyTorch, CuPy, JAX) in host memory are read through DLPack, without a copy if they are in
    double or single precision. If ``x`` is on a GPU (``__cuda_array_interface__``), all arrays must be there: they are
    read and written there, and new results are arrays of the same package (PyTorch, CuPy; others need ``out``). In a
    box, or if the particles are few, they pass through the host. With the back end 'cpu' they are copied to the host,
    and results are numpy arrays.

    Parameters
    ----------
    x : (N, 3) array
        Positions. In a box they may lie outside and are wrapped.
    m : (N,) array or number
        Masses, not negative. Massless particles feel forces and exert none.
    softening : float
        Plummer softening, in the unit of ``x``: R^2 = r^2 + softening^2.
    accuracy : float or 'fast', 'standard', 'reference'
        As a number, the alpha of the relative criterion: a cell is used if its estimated error is below alpha times the
        particle's acceleration (Springel 2005, equation 18). Errors of forces are mostly smaller. The words mean
        four times, once and a twentieth of the alpha of runs; in a box they also choose mesh, split and cut-off, as
        ``force.accuracy`` does in a run. Default: 'standard'.
    box : float
        Side of the periodic box: forces are then those of all images minus the mean density, by TreePM. Default: none.
    G : float
        Constant of gravity in your units.
    theta : float
        Opening angle of the criterion of Barnes (1990), in place of ``accuracy``.
    previous : (N, 3) array
        Approximate accelerations, such as those of the last step. The relative criterion needs them; without them
        a first evaluation finds them, so that a call takes about twice as long.
    backend : str
        'auto' (a GPU if there is one), 'cpu' or 'cuda' (also called 'cuda-resident'); 'direct' and 'ewald' sum over all
        pairs.
    threads : int
        Default: as many as there are cores, or OMP_NUM_THREADS.
    out : tuple of (N, 3) and (N,) arrays
        Contiguous arrays for the results, which are then returned: both float64 or both float32. The sums themselves
        are in single precision, so float32 is faster on a GPU. The arrays must be where ``x`` is and may not overlap
        the other arrays. Without them, results are in new arrays. After an error their contents are undefined.

    Returns
    -------
    Forces
        ``a, phi``: accelerations (N, 3) and potentials (N,), in the order of ``x``. Tree sums are in single
        precision.

    Raises
    ------
    InputError
        For arrays and numbers that cannot be used; the message says which and why.
    """
    if _interface(x) is not None and backend in _DEVICE_BACKENDS:
        choices = _choices(softening, G, box, backend, threads)
        _choose_accuracy(choices, accuracy, theta)
        result, warning = _device_forces(x, m, previous, out, choices)
        if warning:
            warnings.warn(warning, stacklevel=2)
        return result
    position = _points(x, "x")
    count = len(position)
    mass = _masses(m, count)
    old = None
    if previous is not None:
        old = _points(previous, "previous")
        if len(old) != count:
            raise InputError(f"previous has shape {old.shape}: it must be ({count}, 3) as the positions")
        old = _converted(old, "previous", single=not _overlaps(old, out))
    choices = _choices(softening, G, box, backend, threads)
    _choose_accuracy(choices, accuracy, theta)
    position = _converted(position, "x", single=not _overlaps(position, out))
    mass = _converted(mass, "m", single=not _overlaps(mass, out))
    result = _results(out, {"x": position, "m": mass, "previous": old}, count, single=True)
    warning = _multiwalk.tree_forces(position, mass, old, result.acceleration, result.potential, choices)
    if warning:
        warnings.warn(warning, stacklevel=2)
    return result


def direct_forces(x: ArrayLike, m: ArrayLike, *, softening: float = 0.0, box: Optional[float] = None, G: float = 1.0,
                  backend: str = "auto", threads: Optional[int] = None,
                  out: Optional[tuple[NDArray[np.float64], NDArray[np.float64]]] = None) -> Forces:
    """Gravity of N particles on each other by a sum over all pairs; in a box by Ewald summation.

    Positions and sums are in double precision, pair terms in single precision with two numbers per coordinate, as in
    direct runs (``force.accumulation = "mixed"``). ``backend``: 'auto', 'cpu', 'cuda', or 'direct', the loop in double
    precision. In a box, results are in single precision. Other arguments, results and errors as for `forces`.
    """
    position = _points(x, "x")
    mass = _converted(np.broadcast_to(_masses(m, len(position)), len(position)), "m")
    position = _converted(position, "x")
    choices = _choices(softening, G, box, backend, threads)
    result = _results(out, {"x": position, "m": mass}, len(position))
    if choices.box > 0:
        choices.backend = "ewald"
        _multiwalk.tree_forces(position, mass, None, result.acceleration, result.potential, choices)
    else:
        _multiwalk.pair_forces(position, mass, result.acceleration, result.potential, choices)
        if not (np.isfinite(result.acceleration).all() and np.isfinite(result.potential).all()):
            raise InputError("forces are not finite: distances, softening, masses or G are out of range; choose other units, "
                             "and a softening if particles are in the same place")
    return result
