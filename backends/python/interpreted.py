"""Kernel source that runs as Python: a debugger steps through it.

Functions that the source calls are machine code of their own, except those on whole arrays and
those that share chunks among threads: one thread runs all chunks, the last one first. So a result
that depends on their order is another one than that of machine code, in each run.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.core.array_pool import FIRST_ROWS
from ...runtime.core.errors import ShapeError
from ...runtime.core.parsing import parsed
from ...runtime.jit.kernel_types import INT64, ArrayType, Static, UntranslatableError
from ...runtime.jit.loop_hints import KERNEL_HINTS
from ...runtime.jit.polls import FAILED
from ...runtime.jit.routines import scope_of
from ...runtime.jit.translate import REGION, Module
from ...runtime.kernel_ir.kernels import KernelIR
from ...runtime.kernel_ir.reader import kernel_ir

FAILURES = ArithmeticError, AssertionError, IndexError  # by which source ends a kernel


def function_of(
    code: KernelIR, path: str, types: tuple, results: tuple, compiled: Callable
) -> tuple[Callable, list[int]]:
    """The function of a kernel whose source lies at `path`, and the numbers of its parallel
    regions. `compiled` compiles the functions that it calls.

    It is called, and fails, as the entry of machine code.
    """
    namespace = namespace_of(code, compiled)

    def run_region(index, table, count, control) -> bool:
        namespace["next_chunk"] = functools.partial(_next_chunk, count)
        return _run_region(namespace[f"{REGION}{index}"], table)

    namespace["run_region"] = run_region
    exec(compile(parsed(code.source), path, "exec"), namespace)
    kernel = namespace["kernel"]

    def call(*arguments):
        given = [_checked(*pair) for pair in zip(arguments, types, strict=True)]
        try:
            with np.errstate(all="ignore"):
                returned = kernel(*given)
        except FAILURES as error:
            raise ArithmeticError from error
        return tuple(_returned(*pair, given) for pair in zip(returned, results, strict=True))

    count = sum(function.name.startswith(REGION) for function in code.functions)
    return call, list(range(1, count + 1))


def namespace_of(code: KernelIR, compiled: Callable) -> dict[str, Any]:
    """What the source of a kernel finds by name; `compiled` compiles functions that it calls."""
    helpers = {
        name: PYTHON_FORMS.get(name) or _Helper(name, compiled)
        for name, value in scope_of(code.calls).items()
        if callable(value)
    }
    return {**helpers, **BUILTINS, "np": np}


def _checked(value, type_):
    """An argument with the type that the source was written for."""
    wanted = type_.dtype if isinstance(type_, ArrayType) else type_
    shape = type_.shape if isinstance(type_, ArrayType) else ()
    array = np.asarray(value)
    if len(array.shape) != len(shape) or any(
        n not in (None, m) for n, m in zip(shape, array.shape, strict=True)
    ):
        raise ShapeError(f"an argument has shape {array.shape}, and its graph says {shape}")
    if array.dtype != wanted or not array.dtype.isnative:
        array = array.astype(wanted)
    return array if shape else array[()]


def _returned(value, type_, given: list):
    """A result as the entry of machine code returns it."""
    if not isinstance(type_, ArrayType):
        return value
    if None in type_.shape:
        return bytearray(value.tobytes())
    place = (value.ctypes.data, value.dtype, value.size)
    arrays = [one for one in given if isinstance(one, np.ndarray)]
    alike = (one for one in arrays if (one.ctypes.data, one.dtype, one.size) == place)
    return next(alike, value)


def _run_region(region: Callable, table: np.ndarray) -> bool:
    try:
        region(table.ctypes.data)
    except FAILURES:
        return True
    return bool(table[FAILED])


# ---- what the source calls -------------------------------------------------------------------


class _Helper:
    """A function that kernel source calls, as machine code for each combination of types."""

    def __init__(self, name: str, compiled: Callable):
        self.name, self.compiled = name, compiled
        self.forms: dict[tuple, tuple[Callable, Any]] = {}

    def __call__(self, *arguments):
        types = tuple(map(_type_of, arguments))
        if types not in self.forms:
            self.forms[types] = self._form(types)
        function, result = self.forms[types]
        operands = [
            np.ascontiguousarray(value) if isinstance(type_, ArrayType) else value
            for value, type_ in zip(arguments, types, strict=True)
            if not isinstance(type_, Static)
        ]
        found = function(*operands)
        self._write_back(arguments, types, operands)
        if not result:
            return None
        numbers = [type_.type(one) for one, type_ in zip(found, result, strict=True)]
        return numbers[0] if len(numbers) == 1 else tuple(numbers)

    def _write_back(self, arguments, types, operands) -> None:
        """What was written into contiguous copies goes into the arrays themselves."""
        left = iter(operands)
        for value, type_ in zip(arguments, types, strict=True):
            if isinstance(type_, Static):
                continue
            copy = next(left)
            if isinstance(type_, ArrayType) and copy is not value:
                value[...] = copy

    def _form(self, types: tuple) -> tuple[Callable, tuple]:
        names = [f"x{at}" for at, type_ in enumerate(types) if not isinstance(type_, Static)]
        given = ", ".join(
            str(type_.value) if isinstance(type_, Static) else f"x{at}"
            for at, type_ in enumerate(types)
        )
        call = f"{self.name}({given})"
        head, types = (
            f"({', '.join(names)}):\n    ",
            tuple(type_ for type_ in types if not isinstance(type_, Static)),
        )
        result = self._result(f"def result{head}return {call}\n", types)
        ends = f"{call}\n    return ()" if not result else f"return ({call},)"
        ends = f"return {call}" if len(result) > 1 else ends
        source = f"def kernel{head}{ends}\n"
        return self.compiled(kernel_ir(source), types, result).function, result

    def _result(self, source: str, types: tuple) -> tuple:
        """The types of the results."""
        (function,), scope = kernel_ir(source).functions, scope_of([self.name])
        _, result, _ = Module("types").write(function, "result", types, scope, KERNEL_HINTS)
        results = result if type(result) is tuple else (result,)
        if isinstance(result, Static) or not all(isinstance(one, np.dtype) for one in results):
            if isinstance(result, Static) and result.value is None:
                return ()
            raise UntranslatableError(f"{self.name} returns {result}")
        return results


def _type_of(value):
    """The type of an argument; what Python knows of it is a part of the source."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, value.shape)
    if isinstance(value, np.generic):
        return value.dtype
    return Static(_source_of(value))


def _source_of(value) -> str:
    if isinstance(value, type):
        return f"np.{value.__name__}"
    if isinstance(value, tuple):
        return f"({''.join(f'{_source_of(one)}, ' for one in value)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"np.float64(np.{abs(value)})" if value > 0 or value != value else "-np.inf"
    return repr(value)


# ---- on whole arrays -------------------------------------------------------------------------


def _copy_elements(target: np.ndarray, source: np.ndarray) -> None:
    is_alike = target.dtype == source.dtype and target.ndim == source.ndim
    if is_alike and target.shape != source.shape:
        raise ArithmeticError
    target[...] = source


def ensure_capacity(rows, number, expected):
    """The stack with capacity for row `number`: itself, or a copy with twice the capacity, at least
    of `expected` rows. Numba compiles it too.
    """
    length = rows.shape[0]
    if 0 < number < length:
        return rows
    grown = np.empty((max(2 * number, FIRST_ROWS, expected), *rows.shape[1:]), rows.dtype)
    count = min(number, length)
    grown[:count] = rows[:count]
    return grown


def with_length(rows, length):
    """The array with at least `length` rows: itself, or one with rows of zeros behind, at least
    twice as many. Numba compiles it too.
    """
    if rows.shape[0] >= length:
        return rows
    grown = np.zeros((max(length, 2 * rows.shape[0]), *rows.shape[1:]), rows.dtype)
    grown[: rows.shape[0]] = rows
    return grown


def copy_rows(rows, length):
    """A copy with at least `length` rows, of which those behind are zeros."""
    grown = np.zeros((max(length, rows.shape[0]), *rows.shape[1:]), rows.dtype)
    grown[: rows.shape[0]] = rows
    return grown


def first_rows(rows, stop):
    """`rows[:stop]`, a view."""
    return rows[:stop]


def _select(condition, x, y):
    return x if condition else y


def _wrapped_index(index, size):
    return _checked_index(index + size if index < 0 else index, size)


def _checked_index(index, size):
    if not 0 <= index < size:
        raise ArithmeticError
    return np.int64(index)


def _array_at(address, shape: tuple, dtype) -> np.ndarray:
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if not size:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(int(address)), dtype).reshape(shape)


def _next_chunk(count, address) -> np.int64:
    """A chunk that is left, or the number of all."""
    counter = _array_at(address, (1,), INT64)
    counter[0] += 1
    return count - counter[0] if counter[0] <= count else np.int64(count)


PYTHON_FORMS: dict[str, Callable] = {
    "array_at": _array_at,
    "checked_index": _checked_index,
    "copy_elements": _copy_elements,
    "select": _select,
    "first_rows": first_rows,
    "new_array": np.empty,
    "one_by_one": lambda number: number,
    "opaque": lambda number: number,
    "copy_rows": copy_rows,
    "reshaped": np.reshape,
    "short": lambda number: number,
    "size_at": lambda numbers, position: numbers[position],
    "with_length": with_length,
    "ensure_capacity": ensure_capacity,
    "wrapped_index": _wrapped_index,
}
# Numbers of kernels have a data type.
BUILTINS: dict[str, Callable] = {
    "bool": np.bool_,
    "float": np.float64,
    "int": np.int64,
    "range": lambda *bounds: map(np.int64, range(*bounds)),
}
