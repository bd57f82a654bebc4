"""State of the process that no tensor decides: locks, events, decimal contexts, NumPy's reaction to
floating-point errors, the random generators of the modules `random` and `numpy.random`.

    if x > 0:
        lock.acquire()          # would happen once, while tracing, whatever x is

A staged block that changes it is refused. What threads wait for and draw from is not changed at
all; of what belongs to a thread, the state before the block is compared with that after it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from ..current_trace import TRACE, unsupported

CHANGES = {
    "acquire", "release", "set", "clear", "notify", "notify_all", "wait", "wait_for", "reset",
    "abort", "start", "join", "cancel",
}  # fmt: skip
ANSWER = {"acquire", "wait", "wait_for"}  # whether it came to that
MODULES = ("_thread", "threading", "multiprocessing.synchronize", "asyncio.locks")
READS = {"getstate", "get_state"}
GENERATORS = {"Random", "RandomState"}
DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
WITH = "Change it before the statement, or with a `with` around the computation."
DRAW = "Draw before the statement, or in it by ag.random, such as ag.random.uniform([])."
ONCE = "once, while tracing, but a tensor decides whether and how often this block runs"


def _content_of(context) -> list:
    """The content of a decimal context, without the flags that results raise."""
    *facts, _, traps = context.__reduce__()[1]  # as pickle does, which is fast
    return [*facts, traps]


def _write_decimals(module, values: list) -> None:
    context = module.getcontext()
    traps = {signal: signal in values[-1] for signal in context.traps}
    for name, value in zip((*DECIMAL, "traps"), (*values[:-1], traps), strict=True):
        setattr(context, name, value)


# By module: what it is, the function that gives it, how to read and to write its content, the cure.
STATES: dict[str, tuple[str, str, Callable, Callable, str]] = {
    "numpy": (
        "how NumPy treats floating-point errors", "geterr", dict,
        lambda module, errors: module.seterr(**errors), WITH,
    ),
    "decimal": ("the decimal context", "getcontext", _content_of, _write_decimals, WITH),
}  # fmt: skip


def check_owner(method) -> None:
    """Refuse to call, in a staged block, a method that changes what threads wait for."""
    owner, name = method.__self__, method.__name__
    is_waited_for = name in CHANGES and type(owner).__module__ in MODULES
    if is_waited_for and TRACE.get().depth:
        owner_class = type(owner).__name__
        call = f"{owner_class.lower()}.{name}, [], {'ag.bool' if name in ANSWER else '[]'}"
        raise unsupported(
            f"'{name}' of a {owner_class} would be called {ONCE}",
            f"To call it each time the block runs: ag.py_function({call})",
        )


def check_generator(function) -> None:
    """Refuse to draw, in a staged block, from a generator of the whole process, or to seed it.
    Other threads draw from it too, so that its state says nothing of the block.
    """
    name = getattr(function, "__name__", "")
    owner = type(getattr(function, "__self__", None)).__name__
    if name in READS or not (name == "seed" or owner in GENERATORS) or not TRACE.get().depth:
        return
    for module in ("random", "numpy.random"):
        shared = getattr(sys.modules.get(module), name, None)
        # Without a checkpoint the values of variables are computed, which is done once.
        if shared == function and TRACE.get().stager.checkpoint() is not None:
            call = f"{module.replace('numpy', 'np')}.{name}"
            seed = f"To call it each time the block runs: ag.py_function(lambda: {call}(0), [], [])"
            raise unsupported(f"'{call}' would be called {ONCE}", seed if name == "seed" else DRAW)


class Kept:
    """A staged block, which is refused if it changes the state of the process."""

    def __enter__(self):
        self.before = _read()

    def __exit__(self, cls, *_):
        changed = _restore(self.before)
        if changed and cls is None:
            what, *_, cure = STATES[changed[0]]
            raise unsupported(f"{what} would change {ONCE}", cure)


def _read() -> dict:
    rows = [
        (name, getattr(sys.modules.get(name), getter, None), read)  # it may be half imported
        for name, (_, getter, read, *_) in STATES.items()
    ]
    return {name: read(get()) for name, get, read in rows if get is not None}


def _restore(before: dict) -> list[str]:
    """Put the state of the process back; the modules that had another one."""
    now = _read()
    changed = [name for name, value in before.items() if now.get(name, value) != value]
    for name in changed:
        STATES[name][3](sys.modules[name], before[name])
    return changed
