"""State of the process that no tensor decides: locks, events, decimal contexts, NumPy's reaction to
floating-point errors, the random generators of the modules `random` and `numpy.random`.

    if x > 0:
        lock.acquire()          # would happen once, while tracing, whatever x is

A staged block that changes it is refused.
"""

from __future__ import annotations

import sys

import numpy as np

from ..current_trace import TRACE, unsupported

CHANGES = {
    "acquire", "release", "set", "clear", "notify", "notify_all", "wait", "wait_for", "reset",
    "abort", "start", "join", "cancel",
}  # fmt: skip
ANSWER = {"acquire", "wait", "wait_for"}  # whether it came to that
MODULES = ("_thread", "threading", "multiprocessing.synchronize", "asyncio.locks")
READS = {"getstate", "get_state"}
OF_NUMPY = {"RandomState", "cython_function_or_method"}
DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def check_owner(method) -> None:
    """Refuse to call, in a staged block, a method that changes what threads wait for."""
    owner, name = method.__self__, method.__name__
    if name not in CHANGES or type(owner).__module__ not in MODULES:
        return
    if not TRACE.get().depth:
        return
    owner_class = type(owner).__name__
    call = f"{owner_class.lower()}.{name}, [], {'ag.bool' if name in ANSWER else '[]'}"
    raise unsupported(
        f"'{name}' of a {owner_class} would be called once, while tracing, but a tensor decides "
        "whether and how often this block runs",
        f"To call it each time the block runs: ag.py_function({call})",
    )


def check_generator(function) -> None:
    """Refuse to draw, in a staged block, from a generator of the whole process, or to seed it."""
    owner = getattr(function, "__self__", function)
    is_pythons = owner is _generator_of_python()
    if not is_pythons and type(owner).__name__ not in OF_NUMPY:
        return
    module = "random" if is_pythons else "np.random" if _is_shared(owner) else None
    if module is None or function.__name__ in READS or not TRACE.get().depth:
        return
    if TRACE.get().stager.checkpoint() is None:  # the values of variables, which are made once
        return
    name = f"{module}.{function.__name__}"
    cure = "Draw before the statement, or in it by ag.random, such as ag.random.uniform([])."
    if function.__name__ == "seed":
        cure = f"To call it each time the block runs: ag.py_function(lambda: {name}(0), [], [])"
    raise unsupported(
        f"'{name}' would be called once, while tracing, but a tensor decides whether and how "
        "often this block runs",
        cure,
    )


def _generator_of_python():
    """What `random.random` and the like draw from, in a program that has loaded `random`."""
    random = getattr(sys.modules.get("random"), "random", check_generator)
    return getattr(random, "__self__", None)


def _is_shared(owner) -> bool:
    """Whether this is NumPy's generator of the process, or the function that seeds it."""
    module = sys.modules["numpy.random"]
    return owner is module.normal.__self__ or owner is module.seed


def read() -> tuple:
    """The contexts of arithmetic, as `restore` takes them."""
    return np.geterr(), _read_decimals()


def restore(before: tuple) -> str | None:
    """Undo what a staged block has changed in the contexts of arithmetic, and say what it was."""
    errors, decimals = before
    changed = None
    if np.geterr() != errors:
        np.seterr(**errors)
        changed = "how NumPy treats floating-point errors"
    if decimals is not None and _read_decimals() != decimals:
        _write_decimals(decimals)
        changed = "the decimal context"
    return changed


def check(before: tuple) -> None:
    """Refuse a staged block that has changed the contexts of arithmetic."""
    changed = restore(before)
    if changed is not None:
        raise unsupported(
            f"{changed} would change once, while tracing, but a tensor decides whether this "
            "block runs",
            "Change it before the statement, or with a `with` around the computation.",
        )


def _read_decimals() -> tuple | None:
    """The content of the decimal context, without the flags that results raise."""
    getcontext = getattr(sys.modules.get("decimal"), "getcontext", None)
    if getcontext is None:  # another thread may be importing it
        return None
    context = getcontext()
    return (*(getattr(context, name) for name in DECIMAL), dict(context.traps))


def _write_decimals(content: tuple) -> None:
    context = sys.modules["decimal"].getcontext()
    for name, value in zip((*DECIMAL, "traps"), content, strict=True):
        setattr(context, name, value)
