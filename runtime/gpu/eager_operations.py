"""Operations outside of functions on a device: kernels of one operation each, which are kept.

Inside of `with ag.device("GPU:0")` each operation on tensors is a program of its own, for the types
and shapes of its operands. Its results stay on the device. The CPU runs what has no form there, and
strings, and operations with effects other than on variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from ..core.classes import NamedTuple
from ..core.dtypes import DType
from ..core.errors import Error
from ..core.source_locations import user_location
from ..ir.constant_values import full_constant
from ..ir.graph import Graph
from ..ir.op import PURE, Op
from ..jit.backends import backend_of, compiler_of_function, placing
from ..lowering.not_native import NotNativeError
from ..ops.state.variables import Cell
from ..passes.pipeline import optimize
from ..tensors import apply
from ..tensors.listeners import OBSERVERS, TAPES, note
from ..tensors.tensor import EagerTensor
from .device_arrays import (
    DeviceCell,
    DeviceTensor,
    assign,
    resident_of_cell,
    resident_of_tensor,
)

PROGRAMS = 1024  # that are kept
MOST_CONSTANT = 64  # elements of integers that a program may have as constants: shapes, axes
NUMBERS = "biufcV"  # the kinds of NumPy types that devices have; V: bfloat16


@contextmanager
def running_on(name: str) -> Iterator[None]:
    """Functions and operations inside run on the device of this backend."""
    apply.RUNNERS.append(run)
    try:
        with placing(name):
            yield
    finally:
        apply.RUNNERS.remove(run)


def run(op: Op, tensors: list, attrs: dict[str, Any]) -> Any:
    """The results of an operation, on the device that is named here; by the CPU where there is
    none, or where it has no form for it.
    """
    name = compiler_of_function()
    backend: Any = None if name is None or OBSERVERS else backend_of(name)
    if backend is None or not backend.has_devices:
        return apply.run_by_kernel(op, tensors, attrs)
    results = _results(backend, op, tensors, attrs)
    if results is None:
        return apply.run_by_kernel(op, tensors, attrs)
    if TAPES:
        note(None, op, tensors, attrs, results)
    return results if op.several or len(results) > 1 else results[0]


def _results(backend: Any, op: Op, tensors: list, attrs: dict[str, Any]) -> tuple | None:
    """The results on a device; None where the CPU is to run the operation. Operands become
    tensors.
    """
    operands: list[EagerTensor] = []
    for at, tensor in enumerate(tensors):
        if isinstance(tensor, np.ndarray | np.generic):
            tensors[at] = tensor = EagerTensor(tensor)
        if not isinstance(tensor, EagerTensor) or not _is_numeric(tensor):
            return None
        operands.append(tensor)
    op.check_types(operands)
    if op.variable_access in _VARIABLES:
        return _VARIABLES[op.variable_access](backend, operands, attrs["cell"])
    key = _key(attrs)
    if key is None or op.effect_of(attrs) != PURE:
        return None
    for are_constant in (False, True):
        constants = tuple(map(_fixed, operands)) if are_constant else (None,) * len(operands)
        if are_constant and not any(constants):
            break
        types = tuple((tensor.dtype, tensor.dims) for tensor in operands)
        entry = _entry(backend, op, _Attributes(key, attrs), types, constants)
        if entry.program is not None:
            pairs = zip(operands, constants, strict=True)
            try:
                return tuple(
                    entry.program.on_tensors([x for x, constant in pairs if constant is None])
                )
            except ArithmeticError:
                return None  # the CPU says what is wrong
        if entry.values is not None:
            return tuple(map(EagerTensor, entry.values))
    backend.note_refused(op.name, entry.reason, user_location())
    return None


def _is_numeric(tensor: EagerTensor) -> bool:
    return tensor.dtype.numpy_dtype.kind in NUMBERS and tensor.dtype.name != "stack"


def _fixed(tensor: EagerTensor) -> tuple[str, tuple, bytes] | None:
    """A few integers of the host, which a program may have as constants."""
    if isinstance(tensor, DeviceTensor) or not tensor.dtype.is_integer:
        return None
    array = np.asarray(tensor.array)
    return None if array.size > MOST_CONSTANT else (array.dtype.str, array.shape, array.tobytes())


# ---- programs ----------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """The program of an operation, or arrays that follow from types, or why there is neither."""

    program: Any = None
    values: tuple[np.ndarray, ...] | None = None
    reason: str = ""


class _Attributes:
    """The attributes of an operation, which are compared by a key."""

    def __init__(self, key: tuple, attrs: dict[str, Any]):
        self.key, self.attrs = key, attrs

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Attributes) and self.key == other.key


@lru_cache(PROGRAMS)
def _entry(
    backend: Any,
    op: Op,
    attributes: _Attributes,
    types: tuple[tuple[DType, tuple[int, ...]], ...],
    constants: tuple[tuple[str, tuple, bytes] | None, ...],
) -> _Entry:
    """The entry of an operation on operands of some types, some of which are constants."""
    try:
        graph = _graph(op, attributes.attrs, types, constants)
        values = tuple(map(full_constant, graph.outputs))
        if all(value is not None for value in values):
            return _Entry(values=values)  # type: ignore[arg-type]
        return _Entry(backend.of_graph(graph))
    except (NotNativeError, Error, ValueError, TypeError, IndexError) as error:
        return _Entry(reason=str(error))  # the CPU says what is wrong with operands


def _graph(op: Op, attrs: dict, types: Sequence, constants: Sequence) -> Graph:
    """The graph of one operation."""
    from ..tensors.graph_builder import Builder  # a program without functions has no graphs

    builder = Builder(op.name)
    with builder:
        operands = [
            builder.input(dtype, shape, "x")
            if constant is None
            else builder.constant(_array_of(*constant))
            for (dtype, shape), constant in zip(types, constants, strict=True)
        ]
        results = builder.record(op, operands, attrs)
    several = results if isinstance(results, tuple | list) else (results,)
    return optimize(builder.finish(list(several)))


def _array_of(dtype: str, shape: tuple, content: bytes) -> np.ndarray:
    return np.frombuffer(content, dtype).reshape(shape)


def _key(value: Any) -> Any:
    """A key that tells values of attributes apart, numbers of several types too; None for those
    that Python cannot compare.
    """
    if isinstance(value, dict):
        keys = tuple((name, _key(part)) for name, part in sorted(value.items()))
        return None if any(key is None for _, key in keys) else keys
    if isinstance(value, tuple):
        keys = tuple(map(_key, value))
        return None if None in keys else (type(value), *keys)
    if isinstance(value, float):
        return float, repr(value)
    try:
        hash(value)
    except TypeError:
        return None
    return type(value), value


# ---- variables ---------------------------------------------------------------------------------


def _read(backend: Any, _: list, cell: Any) -> tuple | None:
    if cell.dtype.numpy_dtype.kind not in NUMBERS:
        return None
    return (DeviceTensor(resident_of_cell(cell, backend.device)),)


def _written(backend: Any, operands: list, cell: Any) -> tuple:
    if type(cell) is Cell:
        cell.read()  # raises where it has no value
        cell.__class__ = DeviceCell
    value = resident_of_tensor(operands[0], backend.device)
    assign(cell, value)
    return (DeviceTensor(value),)


_VARIABLES = {"read": _read, "write": _written}
