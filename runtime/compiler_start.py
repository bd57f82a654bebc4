"""Numba made ready for its first kernel in less time than its own start takes.

Three things that Numba does at its first compilation are not needed for kernels: it imports all of
`scipy.linalg` only to note that it is there, it looks for new declarations again for each of some
hundred that it enters, and it makes entry points for ctypes. What is left out of the first two is
done when somebody asks for it, so other users of Numba in the process see no difference.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from collections.abc import Iterator

# A kernel is entered by its Python entry point.
OPTIONS = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}


def helper(function):
    """A function that kernels call, compiled together with them."""
    from numba import njit

    return njit(error_model="numpy", nogil=True)(function)


@functools.cache
def start() -> None:
    """Load Numba's declarations; another version of Numba loads them by itself, more slowly."""
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        try:
            _load_array_functions()
            _enter_declarations()
        except (AttributeError, ImportError):
            return


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """While it is open, Numba loads compiled code from disk without its declarations, which only
    compiling needs. To compile raises LookupError, before anything has been entered.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    def refuse() -> None:
        raise LookupError("the kernel is not on disk")

    with global_compiler_lock:
        target = cpu_target.target_context
        target.refresh = lambda: rtsys.initialize(target)
        target.typing_context.refresh = refuse
        try:
            yield
        finally:
            del target.refresh, target.typing_context.refresh


def _load_array_functions() -> None:
    """Import NumPy's functions for Numba, without SciPy's: products of matrices load those."""
    from numba.np import linalg

    ensure = linalg.ensure_blas
    linalg.ensure_blas = _has_blas
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure


def _has_blas() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("linear algebra needs scipy")


def _enter_declarations() -> None:
    """Enter all declarations at once: each of them would otherwise look for others first."""
    from numba.core.imputils import builtin_registry
    from numba.core.registry import cpu_target

    target = cpu_target.target_context
    if builtin_registry in target._registries:
        return  # something has been compiled already
    target.load_additional_registries()
    target.install_registry(builtin_registry)
    target.refresh = lambda: None
    try:
        target.typing_context.refresh()
    finally:
        del target.refresh
    target.refresh()
