"""Locks that a forked child process does not inherit in a locked state.

A child process has one thread, that which has forked. A lock that another thread held would stay
locked for ever. So every lock of the package is one of these, and no thread holds it in a child.

What a lock protects must therefore be sound at any moment, as dictionaries and lists are between
two changes. What is not, is made anew by a function that is registered for it.
"""

from __future__ import annotations

import _frozen_importlib
import _imp
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

# What threads of this package import when it is first needed, and what that imports in turn
PACKAGES = {
    __name__.partition(".")[0],
    *("IPython", "PIL", "astunparse", "click", "dask", "distributed", "gast", "llvmlite"),
    *("ml_dtypes", "numba", "numpy", "onnx", "platformdirs", "rich", "scipy", "six"),
    *("threadpoolctl", *sys.stdlib_module_names),
}
IMPORT_SECONDS = 10  # at most, that a fork waits for an import of these
_LOCKS: weakref.WeakSet[_Renewed | Event] = weakref.WeakSet()


class _Renewed:
    """A lock of the standard library, replaced in a child process if another thread held it."""

    make: Callable

    def __init__(self) -> None:
        self.lock = self.make()
        _LOCKS.add(self)

    def __enter__(self):
        return self.lock.__enter__()

    def __exit__(self, *error) -> None:
        self.lock.release()

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; with `blocking=False` only if it is free. Says whether it was taken."""
        return self.lock.acquire(blocking)

    def release(self) -> None:
        self.lock.release()

    def __reduce__(self):
        """In a pickle it is a new lock: nobody holds it there."""
        return type(self), ()

    def renew(self) -> None:
        """Replace a lock that a thread of the parent process has taken along."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.lock = self.make()


class Lock(_Renewed):
    """A lock that a thread can take once.

    >>> lock = Lock()
    >>> with lock:
    ...     lock.acquire(blocking=False)
    False
    """

    make = staticmethod(threading.Lock)


class RLock(_Renewed):
    """A lock that a thread can take again while it holds it."""

    make = staticmethod(threading.RLock)


def numba_lock() -> Any:
    """The lock of Numba's compiler; None where Numba is not imported."""
    return getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)


class CompilerLock:
    """An RLock, for `with`, that is taken after the lock of Numba's compiler.

    Whoever holds it may compile with Numba, and Numba's compiler, which holds its own lock, may
    call whoever takes it: in another order, two threads would wait for each other.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.outer: list[Any] = []  # the lock of Numba's compiler, or None, for each `with`

    def __enter__(self) -> None:
        outer = numba_lock()
        if outer is not None:
            outer.acquire()
        try:
            self.lock.acquire()
        except BaseException:  # of a signal
            if outer is not None:
                outer.release()
            raise
        self.outer.append(outer)

    def __exit__(self, *error) -> None:
        outer = self.outer.pop()
        self.lock.release()
        if outer is not None:
            outer.release()


class Event:
    """An event of the standard library, whose own lock is renewed too."""

    def __init__(self) -> None:
        self.event = threading.Event()
        _LOCKS.add(self)

    def is_set(self) -> bool:
        return self.event.is_set()

    def set(self) -> None:
        self.event.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is set, or for so many seconds. Says whether it is set."""
        return self.event.wait(seconds)

    def renew(self) -> None:
        is_set, self.event = self.event.is_set(), threading.Event()
        if is_set:
            self.event.set()


def after_fork_in_child(function: Callable[[], object]) -> Callable[[], object]:
    """Call a function in each forked child process, after all locks are renewed. A decorator."""
    _CHILD_CALLS.append(function)
    return function


_CHILD_CALLS: list[Callable[[], object]] = []


def hold_during_fork(lock: RLock) -> RLock:
    """Hold a lock while this process forks: what it protects is at rest in the child process.

    Locks are taken in the order of these calls, after that of Numba's compiler.
    """
    _HELD.append(lock)
    return lock


_HELD: list[RLock] = []
LLVM = hold_during_fork(RLock())  # of whoever is in LLVM; held when this process has ended, too
_TAKEN: list[Any] = []  # while this process forks


def _before() -> None:
    """Take the locks that are to be held, and the lock that every import begins with."""
    for lock in filter(None, (numba_lock(), *_HELD)):
        lock.acquire()
        _TAKEN.append(lock)
    end = time.monotonic() + IMPORT_SECONDS
    _imp.acquire_lock()
    while _is_imported_elsewhere() and time.monotonic() < end:
        _imp.release_lock()
        time.sleep(0.001)
        _imp.acquire_lock()


def _is_imported_elsewhere() -> bool:
    """Whether another thread is importing a module of these packages. A child process would wait
    for ever for the lock of that module, which Python does not renew, or find half of the module.
    """
    locks = getattr(_frozen_importlib, "_module_locks", {})
    items = [*locks.items()]
    wanted = [lock() for name, lock in items if name.partition(".")[0] in PACKAGES]
    return any(getattr(lock, "owner", None) not in (None, threading.get_ident()) for lock in wanted)


def _after_in_parent() -> None:
    _imp.release_lock()
    while _TAKEN:
        _TAKEN.pop().release()


def _after_in_child() -> None:
    _after_in_parent()
    for lock in list(_LOCKS):
        lock.renew()
    for function in _CHILD_CALLS:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
