"""The loops of ONNX as loops of a graph: `Loop` and `Scan`, with the values that they collect.

`run(body, inputs)` gives the results of a body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .... import TensorShape, TensorSpec, convert_to_tensor, while_loop
from .... import function as decorate
from ....extend.errors import UnimplementedError
from ....extend.operations import Slot
from ....extend.operations import ops as by_name
from ....extend.specs import FROM_NUMPY
from .operator_table import dtype_of
from .sequence_operators import declared, sequences_again, tensors_of

ops: Any = by_name  # operations get their calls from modules that mypy does not see here


def spec_of(info) -> TensorSpec:
    """The spec of an input."""
    tensor = info.type.tensor_type
    if not tensor.elem_type:
        raise UnimplementedError(f"the input '{info.name}' of the model is not a tensor")
    dtype = dtype_of(tensor.elem_type)
    if not tensor.HasField("shape"):
        return TensorSpec(None, dtype)
    sizes = [one.dim_value if one.HasField("dim_value") else None for one in tensor.shape.dim]
    return TensorSpec(sizes, dtype)


def imported_loop(operands: list, run: Callable, body) -> list:
    """The final values that a `Loop` carries, then those that it collects."""
    count, goes_on, *carried = operands
    start = np.asarray(True) if goes_on is None else goes_on
    lists = [
        declared(info, None) if info.type.HasField("sequence_type") else None
        for info in body.input[2:]
    ]
    shapes = [
        spec_of(info).shape if one is None else TensorShape([])
        for info, one in zip(body.input[2:], lists, strict=True)
    ]

    def step(iteration, goes_on, *carried):
        return tensors_of(run(body, [iteration, goes_on, *sequences_again(carried, lists)]))

    def test(iteration, goes_on):
        if count is None:
            return goes_on
        last = ops.reshape(count, np.zeros(0, np.int64))
        return ops.logical_and(goes_on, ops.less(iteration, last))

    state, shapes = [start, *tensors_of(carried)], [TensorShape([]), *shapes]
    found = _repeated(step, test, state, shapes, len(body.output) - len(state))
    first = len(lists)
    return [*sequences_again(found[1 : first + 1], lists), *found[first + 1 :]]


def imported_scan(
    operands: list, run: Callable, body, num_scan_inputs: int, scan_input_axes=(),
    scan_input_directions=(), scan_output_axes=(), scan_output_directions=(),
) -> list:  # fmt: skip
    """The final state of a `Scan`, then the results of its iterations, joined along an axis."""
    first = len(operands) - num_scan_inputs
    axes, directions = _padded(scan_input_axes, num_scan_inputs), [*scan_input_directions]
    rows = [
        _reversed(_axis_moved(convert_to_tensor(one), axis, 0), 0, backwards)
        for one, axis, backwards in zip(
            operands[first:], axes, _padded(directions, num_scan_inputs), strict=True
        )
    ]
    length = ops.shape(rows[0], dtype=FROM_NUMPY[np.dtype(np.int64)])[0]

    def step(iteration, *state):
        slices = (ops.gather(x, iteration, axis=0, batch_dims=0) for x in rows)
        return tensors_of(run(body, [*state, *slices]))

    state = [convert_to_tensor(one) for one in operands[:first]]
    shapes = [TensorShape(one.dims) for one in state]
    found = _repeated(
        step, lambda iteration, *state: ops.less(iteration, length), state, shapes,
        len(body.output) - first,
    )  # fmt: skip
    collected = found[first:]
    axes, directions = (
        _padded(one, len(collected)) for one in (scan_output_axes, scan_output_directions)
    )
    joined = [
        _axis_moved(_reversed(x, 0, backwards), 0, axis)
        for x, axis, backwards in zip(collected, axes, directions, strict=True)
    ]
    return [*found[:first], *joined]


def _repeated(step: Callable, test: Callable, state: list, shapes: list, collects: int) -> list:
    """The final state of a loop, and arrays of what `step(iteration, *state)` gives further.

    `test(iteration, first)` gets the first value of the state, if there is one.
    """
    state = [convert_to_tensor(np.int64(0)), *map(convert_to_tensor, state)]
    carried = len(state)
    collected = _result_types(step, state, carried - 1) if collects else []
    empty = [
        ops.fill(np.array([0, *sizes], np.int64), np.zeros((), dtype)) for sizes, dtype in collected
    ]

    def more(iteration, *rest):
        return test(iteration, *rest[: min(1, carried - 1)])

    def next_(iteration, *rest):
        results = step(iteration, *rest[: carried - 1])
        length = ops.add(iteration, np.int64(1))
        grown = [
            ops.set_item(ops.ensure_length(rows, length), value, iteration, index=(Slot(0), ...))
            for rows, value in zip(rest[carried - 1 :], results[carried - 1 :], strict=True)
        ]
        return (length, *results[: carried - 1], *grown)

    open_ = [TensorShape([None, *sizes]) for sizes, _ in collected]
    found = while_loop(
        more, next_, [*state, *empty], shape_invariants=[TensorShape([]), *shapes, *open_]
    )
    length = found[0]
    return [*found[1:carried], *(rows[:length] for rows in found[carried:])]


def _result_types(step: Callable, state: list, carried: int) -> list[tuple[list, np.dtype]]:
    """The sizes and types of the results of a step behind those that it carries, from a trace."""

    def results(*state):
        return tuple(step(*state)[carried:])

    specs = [TensorSpec(one.dims, one.dtype) for one in state]
    found = decorate(results, autograph=False).get_concrete_function(*specs).structured_outputs
    if any(one.dims is None or None in one.dims for one in found):
        raise UnimplementedError("a loop of the model collects values of open shapes")
    return [(list(one.dims), one.dtype.numpy_dtype) for one in found]


def _padded(numbers, count: int) -> list[int]:
    return [*numbers] or [0] * count


def _reversed(x, axis, backwards):
    return ops.reverse(x, axis=[axis]) if backwards else x


def _axis_moved(x, source, target):
    axes = list(range(len(x.dims)))
    axes.insert(target % len(axes), axes.pop(source))
    return ops.transpose(x, perm=axes) if axes != sorted(axes) else x
