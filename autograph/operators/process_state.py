"""State of the process that no tensor decides: locks, events, decimal contexts, NumPy's reaction to
floating-point errors.

    if x > 0:
        lock.acquire()          # would happen once, while tracing, whatever x is

A staged block that changes it is refused.
"""

from __future__ import annotations

import sys

import numpy as np

from ..stager import CURRENT

CHANGES = {
    "acquire", "release", "set", "clear", "notify", "notify_all", "wait", "wait_for", "reset",
    "abort", "start", "join", "cancel",
}  # fmt: skip
ANSWER = {"acquire", "wait", "wait_for"}  # whether it came to that
MODULES = ("_thread", "threading", "multiprocessing.synchronize", "asyncio.locks")
DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def check_owner(method) -> None:
    """Refuse to call, in a staged block, a method that changes what threads wait for."""
    owner, name = method.__self__, method.__name__
    if name not in CHANGES or type(owner).__module__ not in MODULES or not CURRENT.stager.depth():
        return
    owner_class = type(owner).__name__
    call = f"{owner_class.lower()}.{name}, [], {'ag.bool' if name in ANSWER else '[]'}"
    raise CURRENT.stager.refusal_of_construct(
        f"'{name}' of a {owner_class} would be called once, while tracing, but a tensor decides "
        "whether and how often this block runs",
        f"To call it each time the block runs: ag.py_function({call})",
    )


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
        raise CURRENT.stager.refusal_of_construct(
            f"{changed} would change once, while tracing, but a tensor decides whether this "
            "block runs",
            "Change it before the statement, or with a `with` around the computation.",
        )


def _read_decimals() -> tuple | None:
    """The content of the decimal context, without the flags that results raise."""
    decimal = sys.modules.get("decimal")
    if decimal is None:
        return None
    context = decimal.getcontext()
    return (*(getattr(context, name) for name in DECIMAL), dict(context.traps))


def _write_decimals(content: tuple) -> None:
    context = sys.modules["decimal"].getcontext()
    for name, value in zip((*DECIMAL, "traps"), content, strict=True):
        setattr(context, name, value)
