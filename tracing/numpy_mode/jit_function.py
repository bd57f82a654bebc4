"""`jit`: functions of NumPy arrays, unchanged, as native code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph.api import convert
from ...runtime.core.errors import Error
from ...runtime.core.locks import RLock
from ...runtime.core.public_names import public
from ..functions.guard_discovery import GuardDiscovery, discovering_guards
from ..functions.guards import Guards
from .numpy_stager import ACTIVE
from .refusal import RefusedError, StaticArgumentError
from .trace import Result, Traced, trace
from .traced_array import Axes, Item
from .traced_scalar import ARGUMENT, NATIVE, PYTHON_DTYPES

MOST_TYPES = 64  # state_types of arguments that are kept


class _Entry:
    """What happens for arguments of certain types: native code, or NumPy for a reason."""

    def __init__(self, traced: Traced | None, reason: str | None, guards: Guards | None = None):
        self.traced: Any = traced
        self.reason = reason
        self.guards = guards
        self.calls = 0
        kernels = () if traced is None else traced.executable.kernels()
        self.constants = {id(array) for kernel in kernels for array in kernel.constants}
        self.results = () if traced is None else tuple(dict.fromkeys(_arrays_of(traced.result)))

    def outputs(self, args: tuple) -> list | None:
        """The outputs of the native code; None where it leaves a case to Python.

        Arrays that are returned are the caller's alone, as NumPy's are.
        """
        given = [args[at] for at in self.traced.inputs]
        try:
            outputs = list(self.traced.executable.native_results(*map(_input, given)))
        except (ArithmeticError, Error):
            return None
        others = [value for value in given if isinstance(value, np.ndarray)]
        for at in self.results:
            owner = outputs[at] if outputs[at].base is None else outputs[at].base
            if id(owner) in self.constants or any(
                np.may_share_memory(outputs[at], other) for other in others
            ):
                outputs[at] = outputs[at].copy()
            others.append(outputs[at])
        return outputs


class JitFunction:
    """A function of NumPy arrays and numbers; see `jit`."""

    def __init__(self, function: Callable):
        self.python_function = function
        self.signature = inspect.signature(function)
        self.table: dict[tuple, _Entry] = {}
        self.static: frozenset[int] = frozenset()
        self._lock = RLock()
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        if ACTIVE.get():
            return convert(recursive=True)(self.python_function)(*args, **kwargs)
        if kwargs or len(args) != len(self.signature.parameters):
            bound = self.signature.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                return self.python_function(*args, **kwargs)
            args = bound.args
        entry = self._entry_for(args)
        entry.calls += 1
        if entry.traced is None or not self._fits(entry.traced, args):
            return self.python_function(*args)
        outputs = entry.outputs(args)
        if outputs is None:
            return self.python_function(*args)  # nothing has changed; it may raise
        for at, output in entry.traced.written:
            np.copyto(args[at], outputs[output])
        return _built(entry.traced.result, args, outputs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def inspect(self) -> str:
        """What runs for each state_type of arguments: native code, or NumPy and why."""
        lines = []
        for key, entry in self.table.items():
            how = "native code" if entry.reason is None else f"NumPy: {entry.reason}"
            lines.append(f"({', '.join(map(_described, key))}): {how}; {entry.calls} calls")
        return "\n".join(lines) or "not called yet"

    # ---- the table ---------------------------------------------------------------------------

    def _entry_for(self, args: tuple) -> _Entry:
        while True:
            static = self.static
            key = tuple([_key_of(value, at in static) for at, value in enumerate(args)])
            entry = self.table.get(key)
            if entry is not None and (entry.guards is None or entry.guards.unchanged()):
                return entry
            with self._lock:
                if static is self.static:
                    entry = self._traced(args)
                    if entry is None:
                        continue
                    if len(self.table) >= MOST_TYPES:
                        del self.table[next(iter(self.table))]
                    self.table[key] = entry
                    return entry

    def _traced(self, args: tuple) -> _Entry | None:
        """A new entry; None if more arguments turned out to be constants."""
        discovery = GuardDiscovery(True, True)
        try:
            for value in args:
                _check_argument(value)
            with discovering_guards(discovery):
                traced = trace(self.python_function, args, self.static)
        except StaticArgumentError as error:
            self.static |= error.positions
            return None
        except RefusedError as error:
            return _Entry(None, str(error))
        except Error as error:
            return _Entry(None, error.message.removeprefix("jit_compile=True: "))
        except Exception as error:  # NumPy raises it again, if it is the function's own
            return _Entry(None, f"{type(error).__name__}: {error}")
        return _Entry(traced, None, discovery.guards())

    # ---- a call ------------------------------------------------------------------------------

    def _fits(self, traced: Traced, args: tuple) -> bool:
        """Whether these arguments, of the right types, mean what the trace took them for."""
        arrays = [args[at] for at in traced.inputs if isinstance(args[at], np.ndarray)]
        if any(type(value) is int and abs(value) > ARGUMENT for value in args):
            return False
        if not traced.written:
            return True
        written = [args[at] for at, _ in traced.written]
        if not all(array.flags.writeable for array in written):
            return False
        for array in written:
            for other in arrays:
                if other is not array and np.may_share_memory(array, other):
                    return False
        return sum(array is other for array in written for other in arrays) == len(written)


def _arrays_of(result):
    """The positions of the outputs that are returned as arrays."""
    if type(result) is tuple:
        for one in result:
            yield from _arrays_of(one)
    elif type(result) is Result and result.output is not None and result.is_array:
        yield result.output


def _input(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return value
    return PYTHON_DTYPES[type(value)].type(value)


def _built(result, args: tuple, outputs) -> Any:
    """The result of a call, with views where the function gives views."""
    if type(result) is tuple:
        return tuple([_built(one, args, outputs) for one in result])
    if type(result) is not Result:
        return result
    if result.argument is not None:
        return _view(args[result.argument], result.path)
    value = outputs[result.output]
    if result.python is not None:
        return result.python(value)
    return _view(value, result.path)


def _view(array, path: tuple):
    for step in path:
        if type(step) is Item:
            array = array[step.key]
        elif type(step) is Axes:
            array = array.transpose(step.order)
        else:
            array = array.reshape(step.shape)
    return array


def _key_of(value, is_static: bool):
    """What a trace depends on of an argument."""
    cls = type(value)
    if cls is np.ndarray:
        return (value.dtype, value.shape)
    if cls in PYTHON_DTYPES and not is_static:
        return cls
    if isinstance(value, np.generic):
        return (cls,)
    if value is None or cls in (int, float, bool, str):
        return (cls, repr(value))
    return (cls, "not traced")


def _described(key) -> str:
    if isinstance(key, type):
        return key.__name__
    if isinstance(key[0], np.dtype):
        return f"{key[0]}[{','.join(map(str, key[1]))}]"
    return key[0].__name__ if len(key) == 1 else key[1]


def _check_argument(value) -> None:
    if type(value) is np.ndarray or isinstance(value, np.generic):
        if value.dtype not in NATIVE:
            raise RefusedError(f"an array of {value.dtype}")
        if type(value) is np.ndarray and not value.dtype.isnative:
            raise RefusedError("an array of swapped bytes")
        if type(value) is np.ndarray and not value.flags.c_contiguous:
            raise RefusedError("an array that is not contiguous")
    elif value is not None and type(value) not in (*PYTHON_DTYPES, str):
        raise RefusedError(f"an argument of type {type(value).__name__}")


@public("jit")
def jit(function: Callable | None = None):
    """A decorator for functions of NumPy arrays: they run as native code, and mean the same.

    The function is written for NumPy, with loops, branches, and assignments to items and slices.
    Arrays are passed by reference: the caller sees what the function changes. Results are arrays
    and numbers, of the types that NumPy gives. Each combination of shapes and data types is
    compiled once, in its first call. What has no native form runs in NumPy as if undecorated:
    `inspect` of the function says why.

    >>> import numpy as np
    >>> import allograph as ag
    >>> @ag.jit
    ... def smooth(a, steps):
    ...     for _ in range(steps):
    ...         a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    >>> a = np.array([0.0, 0.0, 9.0, 0.0, 0.0])
    >>> smooth(a, 2)
    >>> a
    array([0., 2., 3., 2., 0.])
    >>> print(smooth.inspect())
    (float64[5], int): native code; 1 calls

    Sums may be added up in another order than NumPy's. Warnings of NumPy about floating-point
    errors are not given. An exception is raised by the Python function itself, which runs again.
    """
    return jit if function is None else JitFunction(function)
