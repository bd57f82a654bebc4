"""Small programs that use packages which ship no tests: functions named `use_...` run in order."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType


def attempt(function: Callable, *args, **kwargs):
    """The result of a call, or None if the package refuses it: others follow."""
    with contextlib.suppress(Exception):
        return function(*args, **kwargs)
    return None


def functions_of(module: ModuleType, parameters: Iterable[str]) -> Iterator[tuple[str, Callable]]:
    """The decorated functions of a module that can be called with so many arguments, by name."""
    count = len(list(parameters))
    for name, function in list(vars(module).items()):
        if hasattr(function, "py_func") and function.py_func.__module__ == module.__name__:
            own = inspect.signature(function.py_func).parameters.values()
            required = [one for one in own if one.default is one.empty]
            if len(required) <= count <= len(own):
                yield name, function


def call_all(module: ModuleType, *args) -> None:
    """Call each decorated function of a module that takes so many arguments."""
    for _, function in functions_of(module, map(str, range(len(args)))):
        attempt(function, *args)


def call_on_sparse_vectors(module: ModuleType) -> None:
    """Call each decorated function of a module that takes indices and data of sparse vectors."""
    from scipy.sparse import random as random_sparse

    rows = [random_sparse(1, 30, 0.3, "csr", "float32", seed) for seed in range(4)]
    for left, right in ((rows[0], rows[1]), (rows[2], rows[3])):
        pair = (left.indices, left.data, right.indices, right.data)
        call_all(module, *pair)
        call_all(module, *pair, 30)
        call_all(module, left.indices, right.indices)
    call_all(module, rows[0].indices)
