# SPDX-License-Identifier: GPL-3.0-or-later
"""A run, step by step or to its end."""
from __future__ import annotations

import atexit
import base64
import contextlib
import html
import json
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Optional, Sequence, Union

from . import _multiwalk
from ._measurements import flag
from ._multiwalk import InputError
from ._parameters import Parameters, _table, _toml
from ._particles import InitialConditions, System, _whole
from ._ranks import ranks_of

_nearly = 1e-12  #: relative difference of times that are taken as equal
_active: "set[Simulation]" = set()
_in_use: "weakref.WeakValueDictionary[str, Simulation]" = weakref.WeakValueDictionary()


class RankError(RuntimeError):
    """Another rank met an error in one of your functions, so this rank stops too."""


class Simulation(System):
    """A run in its directory, as ``multiwalk run`` makes it, with its files, log, checkpoints and report.

    Parameters
    ----------
    parameters : Parameters
        The run's directory is ``parameters["run"]["directory"]``.
    comm : mpi4py communicator, optional
        The ranks that make the run together; all methods are then collective. Default: this process alone.
    overwrite : bool
        Replace an existing run in the directory.
    progress : bool
        Show messages and a progress bar; the log has them in any case.

    ``Simulation.resume(directory)`` continues a run from its last checkpoint.

    Several threads may use a simulation: measurements wait for the end of a step that another thread makes. ``run``,
    ``step`` and ``close`` raise InputError while it runs in another thread, or has called the function that calls
    them. A forked process can read the particles of its parent's simulation, but not continue it.
    """

    def __init__(self, parameters: Parameters, comm: Any = None, *, overwrite: bool = False,
                 progress: bool = True) -> None:
        if not isinstance(parameters, Parameters):
            raise InputError(f"parameters = {parameters!r}: give multiwalk.Parameters")
        if flag(overwrite, "overwrite"):
            _close_earlier(str(parameters["run"]["directory"]))
        wish = _multiwalk.RunWish()
        wish.overwrite = bool(overwrite)
        self._begin(parameters._checked, wish, comm, progress)

    @classmethod
    def resume(cls, directory: Union[str, os.PathLike], comm: Any = None, *, progress: bool = True,
               **sections: dict) -> "Simulation":
        """Continues the run in a directory; sections change what a restart may change: ``time={"z_end": 0}``."""
        simulation = cls.__new__(cls)
        wish = _multiwalk.RunWish()
        wish.restart = os.fspath(directory)
        wish.settings = [f"{section}.{key}={_toml(value, key)}" for section, values in sections.items()
                         for key, value in values.items()]
        _close_earlier(wish.restart)
        simulation._begin(None, wish, comm, progress)
        return simulation

    def _begin(self, checked: Any, wish: Any, comm: Any, progress: bool) -> None:
        self._ranks = ranks_of(comm)
        self._hooks: list[tuple[float, Callable[["Simulation"], Any]]] = []
        self._every: list[tuple[int, Callable[["Simulation"], Any]]] = []
        self._started = False
        wish.bar = bool(progress) and _shows_bars()
        self._run = _multiwalk.make_run(checked, wish, self._ranks, _say if progress else _say_nothing)
        self.directory: str = self._run.directory
        _in_use[os.path.realpath(self.directory)] = self

    def _particle_owner(self) -> Any:
        return self._run

    # Time

    @property
    def step_count(self) -> int:
        """Steps made so far; a block of steps counts as one."""
        return self._run.step_count

    @property
    def time(self) -> float:
        """Expansion factor, or model time of an isolated system."""
        return self._run.time

    @property
    def redshift(self) -> Optional[float]:
        return 1 / self._run.time - 1 if self._run.comoving else None

    @property
    def finished(self) -> bool:
        """Whether the run has reached its last time."""
        return self._run.ended and not self._run.why_stopped

    @property
    def stopped(self) -> str:
        """Why the run ended early, with a checkpoint; empty if it did not."""
        return self._run.why_stopped if self._run.ended else ""

    # Running

    def at(self, *, redshifts: Optional[Sequence[float]] = None, times: Optional[Sequence[float]] = None) -> Callable:
        """A decorator: the function is called with the simulation at these redshifts, or times of an isolated system.

        Steps end exactly there. The function is called on all ranks; an exception on one ends the run on all, unless
        the others wait in one of your collective calls."""
        wanted = self._times(redshifts, times)

        def add(function: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
            for time in wanted:
                self._run.stop_over(time)
                self._hooks.append((time, function))
            return function

        return add

    def every(self, steps: int = 1) -> Callable:
        """A decorator: the function is called with the simulation each time this number of steps has been made."""
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise InputError(f"steps = {steps!r}: give a whole number from 1")

        def add(function: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
            self._every.append((steps, function))
            return function

        return add

    def step(self, steps: int = 1) -> bool:
        """Makes this number of steps; False once the run has ended. In isolated runs by direct summation, one such step
        is as many short steps as take about half a second."""
        count = _whole(steps, "steps", 1, 2**31 - 1)
        with self._running("step()"):
            alive = self._start()
            for _ in range(count):
                alive = alive and self._advance()
        return alive

    def run(self, *, redshift: Optional[float] = None, time: Optional[float] = None) -> "Simulation":
        """Runs to the end or to a redshift or time, with outputs as the parameters say.

        Ctrl-C ends the run after the present step with a checkpoint and then raises KeyboardInterrupt; a second
        Ctrl-C ends it at once. The run also stops early for the reasons of ``multiwalk run`` (`stopped` says which)."""
        with self._running("run()"):
            goal = self._times([redshift] if redshift is not None else None, [time] if time is not None else None)
            for stop in goal:
                self._run.stop_over(stop)
            alive = self._start()
            while alive and not (goal and self._run.time >= goal[0] * (1 - _nearly)):
                alive = self._advance()
        return self

    def stop(self, reason: str = "asked to stop") -> None:
        """Asks for the end of the run before the next step, with a checkpoint; for functions called by `run`, and for
        other threads."""
        self._run.ask_to_stop(str(reason))

    def close(self) -> None:
        """Frees the particles and the directory. A run that has not ended can be resumed from its last checkpoint."""
        self._run.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @contextlib.contextmanager
    def _running(self, call: str) -> Iterator[None]:
        self._run.begin_running(call)
        _active.add(self)
        try:
            with _stop_on_signals(self._run):
                yield
        finally:
            _active.discard(self)
            self._run.end_running()

    def _start(self) -> bool:
        if self._started:
            return not self._run.ended
        self._started = True
        return self._advance()

    def _advance(self) -> bool:
        if not self._run.advance():
            return False
        now, count = self._run.time, self._run.step_count
        due = [f for time, f in self._hooks if abs(time - now) <= _nearly * abs(now)]
        due += [f for steps, f in self._every if count > 0 and count % steps == 0]
        if due:
            self._call(due)
        return True

    def _call(self, functions: list) -> None:
        error: Optional[BaseException] = None
        try:
            for function in functions:
                function(self)
        except BaseException as raised:  # noqa: BLE001 - it is raised again below
            error = raised
        try:
            self._ranks.agree(None if error is None else f"{type(error).__name__}: {error}")
        except InputError as shared:
            if error is None:
                raise RankError(f"another rank met an error: {shared}") from None
        if error is not None:
            raise error

    def _times(self, redshifts: Optional[Sequence[float]], times: Optional[Sequence[float]]) -> list[float]:
        if redshifts is not None and times is not None:
            raise InputError("give redshifts or times, not both")
        if redshifts is not None and not self._run.comoving:
            raise InputError("an isolated system has no redshift: give times")
        wanted = []
        for value in redshifts if redshifts is not None else times if times is not None else []:
            try:
                time = 1 / (1 + float(value)) if redshifts is not None else float(value)
            except (TypeError, ValueError, ZeroDivisionError):
                raise InputError(f"{value!r} is not a redshift or time") from None
            for mark in (self._run.time, self._run.last_time):
                time = mark if abs(time - mark) <= _nearly * abs(mark) else time
            if not self._run.time <= time <= self._run.last_time:
                raise InputError(f"{'redshift' if redshifts is not None else 'time'} {value!r} is not ahead: the run is at "
                                 f"{self._where(self._run.time)} and ends at {self._where(self._run.last_time)}")
            if self._started and time == self._run.time:
                raise InputError(f"the run is at {self._where(time)} already: call the function yourself")
            wanted.append(time)
        return wanted

    def _where(self, time: float) -> str:
        return f"z = {1 / time - 1:.6g}" if self._run.comoving else f"t = {time:.6g}"

    # Results

    @property
    def report(self) -> dict:
        """The contents of report.json at this point; complete on rank 0."""
        return json.loads(self._run.report())

    @property
    def parameters(self) -> Parameters:
        """All parameters, with the run's own choices in place of the values that were left open."""
        return Parameters(text=self._run.parameters, name=f"{self.directory}/parameters.toml")

    def __repr__(self) -> str:
        if self._run.closed:
            return f"Simulation in {self.directory}: closed"
        state = "finished" if self.finished else f"stopped: {self.stopped}" if self.stopped else "not finished"
        return f"Simulation in {self.directory}: {self._where(self.time)} after {self.step_count} steps, {state}"

    def _repr_html_(self) -> str:
        if self._run.closed:
            return f"<p>{html.escape(repr(self))}</p>"
        report = self.report
        outputs = report.get("outputs") or []
        rows = [("particles", f"{report.get('particles', 0):,}"), ("back end", str(report.get("backend", ""))),
                ("steps", str(self.step_count)), ("outputs", str(len(outputs))),
                ("report", os.path.join(self.directory, "report.html"))]
        return f"<p>{html.escape(repr(self))}</p>" + _table(("", ""), rows) + _last_image(self.directory, outputs)


def initial_conditions(parameters: Parameters, comm: Any = None, *, progress: bool = False) -> InitialConditions:
    """The particles with which a run would begin, as ``multiwalk ic`` makes them. Collective on a communicator."""
    if not isinstance(parameters, Parameters):
        raise InputError(f"parameters = {parameters!r}: give multiwalk.Parameters")
    ranks = ranks_of(comm)
    owner = _multiwalk.make_conditions(parameters._checked, ranks, _say if progress else None)
    return InitialConditions(owner, parameters.copy(), ranks)


def _last_image(directory: str, outputs: list) -> str:
    for output in reversed(outputs):
        path = os.path.join(directory, os.path.basename(output.get("image") or ""))
        if os.path.isfile(path):
            with open(path, "rb") as file:
                data = base64.b64encode(file.read()).decode()
            return f'<img width="400" alt="projected density" src="data:image/png;base64,{data}">'
    return ""


def _close_earlier(directory: str) -> None:
    """A simulation of this process that still uses the directory, as when a notebook's cell is run twice."""
    earlier = _in_use.get(os.path.realpath(directory))
    if earlier is not None:
        earlier.close()


@atexit.register
def _stop_all() -> None:
    """Ends runs in daemon threads with a checkpoint: once Python has ended, no thread can return from compiled code. A
    function that such a run has called is not waited for."""
    for simulation in list(_active):
        with contextlib.suppress(InputError):  # it was closed, or is the parent's of a forked process
            simulation.stop("Python ends")
            for _ in range(20):
                if simulation in _active:
                    simulation.step_count  # when the present step has been made
                    time.sleep(0.05)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _shows_bars() -> bool:
    return _in_notebook() or (sys.stdout is not None and sys.stdout.isatty())


def _say(text: str) -> None:
    if sys.stdout is None:
        return
    if _in_notebook():
        text = text.replace("\r\x1b[K", "\r" + " " * 79 + "\r")
    sys.stdout.write(text)
    sys.stdout.flush()


def _say_nothing(_: str) -> None:
    pass


@contextlib.contextmanager
def _stop_on_signals(run: Any) -> Iterator[None]:
    """Signals ask for a stop meanwhile; afterwards they have their usual effect in Python."""
    caught: list[int] = []
    before: dict[int, Any] = {}
    process = os.getpid()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def ask(number: int, _: Any) -> None:
        if os.getpid() != process:  # a fork of ours, which has no run to stop
            restore()
            os.kill(os.getpid(), number)
            return
        if caught:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            return
        caught.append(number)
        run.ask_to_stop(f"caught {signal.Signals(number).name}")
        if sys.stderr is not None:
            print("\nstopping after this step with a checkpoint; signal again to stop at once", file=sys.stderr)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU):
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # as under nohup
            before[number] = signal.signal(number, ask)
    try:
        yield
    finally:
        restore()
    if caught and caught[0] == signal.SIGINT:
        raise KeyboardInterrupt("the run was stopped with a checkpoint; multiwalk.Simulation.resume continues it")
    if caught and caught[0] == signal.SIGTERM:
        raise SystemExit(3)
