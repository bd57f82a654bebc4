"""Operations that native code computes by a call or a loop of their own.

Each form takes the writer and the node, and may raise NotNativeError; arrays are
C-contiguous and of static shape. Results go to the buffer that the writer gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, partial
from typing import Any, cast

import numpy as np

from ...core.dtypes import int64
from ...core.shapes import broadcast, normal_axis
from ...ir.extents import Extent
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.indexing import picked_axis
from ...jit import routines
from ...jit.backends import foreign
from ...kernel_ir.nodes import Expression, Let, Name, Operand, call, compared, reshape
from ...kernel_ir.reader import filled, form
from ...lowering.buffer_assignment import ReuseOperand
from ...lowering.cost_model import SCAN_ELEMENT
from ...lowering.not_native import NotNativeError
from .data_movement import FORMS as MOVING_FORMS
from .data_movement import changeable
from .elements import computed, own_indices
from .emit_matmul import matmul
from .kernel_writer import KernelWriter, indices_of, literal, numpy_type
from .parallel_loops import parallel_call

Form = Callable[[KernelWriter, Node], None]

LARGER = "{old} if {old} >= {new} or {old} != {old} else {new}"  # or NaN
SMALLER = "{old} if {old} <= {new} or {old} != {old} else {new}"


def form_of(node: Node) -> Form | None:
    """How the native code of a node is written; None where it has no form here."""
    name = node.op.name
    if name in routines.FORMS:
        return routines.FORMS[name]()[name]
    return _FORMS.get(name) or _forms_of_kernels().get(name)


@cache
def _forms_of_kernels() -> dict[str, Form]:
    """The forms of operations that have kernels of their own in `runtime/kernels`."""
    # Most programs call none of them, and these load ten modules: 3 ms.
    from .emit_sorting import FORMS

    return FORMS


# ---- running sums ----------------------------------------------------------------------------


def _scan(
    combined: str, identity: float, start: float, then: str | None, writer: KernelWriter, node: Node
) -> None:
    """Loops along the axis that keep what they have so far, `combined` over `so_far` and the
    operands `x` and `y`: in a number, or, where elements along the axis do not lie together, in a
    row of numbers. They start with `identity`, which of floats changes no element, or, to exclude
    the first, with `start`. `then` changes it after each element of the result.
    """
    output, attrs, exclusive = node.output, node.attrs, node.attrs.get("exclusive")
    out, dtype = writer.buffer(output), numpy_type(output.dtype.numpy_dtype.name)
    shape = dims(output)
    axis = normal_axis(attrs["axis"], len(shape))
    size, after = shape[axis], math.prod(shape[axis + 1 :])
    name, t, j = writer.unused("s"), Name("t"), Name("j")
    cubic, length = (math.prod(shape[:axis]), int(size), after), writer.size(size)
    so_far = name if after == 1 else name[j]
    position = Name("i"), t, 0 if after == 1 else j
    operands = {
        key: (name.with_suffix(f"_{key}"), x) for key, x in zip("xy", node.inputs, strict=False)
    }
    result = name.with_suffix("_out")
    items: dict[str, Expression] = {key: array[position] for key, (array, _) in operands.items()}
    items |= {"so_far": so_far}

    def step(template: str) -> Let:
        return Let(so_far, dtype(computed(writer, template, items, output.dtype)))

    def write(first: Expression, count: Expression) -> None:
        for array, operand in operands.values():
            writer.let(array, reshape(writer.read(operand), cubic))
        writer.let(result, reshape(out, cubic))
        value = literal(np.asarray(start if exclusive else identity, output.dtype.numpy_dtype))
        keep, add = Let(result[position], so_far), step(combined)
        with writer.loop("i", first, first + count):
            writer.let(name, value if after == 1 else call("np.full", after, value))
            ends = (length - 1, -1, -1) if attrs["reverse"] else (length,)
            with writer.loop(t, *ends), nullcontext() if after == 1 else writer.loop(j, after):
                for statement in (keep, add) if exclusive else (add, keep):
                    writer.append(statement)
                if then and not exclusive:
                    writer.append(step(then))

    parallel_call(writer, cubic[0], elements_of(output) * SCAN_ELEMENT, write)


# ---- positions -------------------------------------------------------------------------------


def _position(better: str, writer: KernelWriter, node: Node) -> None:
    """The first best element along an axis; NaN, which is not equal to itself, beats all."""
    (x,), output = node.inputs, node.output
    axis = normal_axis(node.attrs["axis"], len(dims(x)))
    before, size, after = dims(x)[:axis], dims(x)[axis], dims(x)[axis + 1 :]
    if not size and not isinstance(size, Extent):
        raise NotNativeError(f"'{node.op.name}' of nothing", node.where)
    name, dtype = writer.unused("s"), numpy_type(output.dtype.numpy_dtype.name)
    source, target = name.with_suffix("_x"), name.with_suffix("_y")
    i, j, t = Name("i"), Name("j"), Name("t")
    rows, width = math.prod(before), math.prod(after)
    writer.let(source, reshape(writer.read(x), (rows, int(size), width)))
    if output.shape:
        writer.let(target, reshape(writer.buffer(output), elements_of(output)))
    with writer.loop(i, rows):
        if width != 1:
            _positions_of_rows(writer, node, name, better)
            return
        item, best = name.with_suffix("_item"), name.with_suffix("_best")
        with writer.loop(j, width):
            writer.let((name, best), (0, source[i, 0, j]))
            with writer.loop(t, 1, writer.size(size)):
                writer.let(item, source[i, t, j])
                with writer.when(_wins(better, item, best, x.dtype.is_floating)):
                    writer.let((name, best), (t, item))
            place = target[i * width + j] if output.shape else writer.name(output)
            writer.let(place, dtype(name))


def _wins(better: str, item: Expression, best: Expression, has_nan: bool) -> Expression:
    """The test that an item is better than the best so far."""
    is_better = compared(better)(item, best)
    if not has_nan:
        return is_better
    is_first_nan = item.differs(item).joined("and", best.equals(best))
    return is_better.joined("or", is_first_nan)


def _positions_of_rows(writer: KernelWriter, node: Node, name: Name, better: str) -> None:
    """Those of elements that do not lie together, row after row: with the best rows so far."""
    (x,), dtype = node.inputs, numpy_type(node.output.dtype.numpy_dtype.name)
    axis = normal_axis(node.attrs["axis"], len(dims(x)))
    size, width = dims(x)[axis], math.prod(dims(x)[axis + 1 :])
    i, j, t, source = Name("i"), Name("j"), Name("t"), name.with_suffix("_x")
    best = writer.work_array(Value(x.dtype, (width,), "best"))[j]
    item, wins = name.with_suffix("_item"), name.with_suffix("_wins")
    place = name.with_suffix("_y")[i * width + j]
    with writer.loop(j, width):
        writer.let(best, source[i, 0, j])
        writer.let(place, dtype(0))
    with writer.loop(t, 1, writer.size(size)), writer.loop(j, width):
        writer.let(item, source[i, t, j])
        test: Expression = compared(better)(item, best)
        if x.dtype.is_floating:
            test = test | (item.differs(item) & best.equals(best))
        writer.let(wins, test)
        writer.let(best, call("select", wins, item, best))
        writer.let(place, dtype(call("select", wins, dtype(t), place)))


# ---- scattering ------------------------------------------------------------------------------


def _scatter(combined: str, writer: KernelWriter, node: Node) -> None:
    """Slices at indices are replaced, or combined: `old` with `new`; in place where that is free
    to do.
    """
    tensor, indices, updates = node.inputs
    output, count, name = node.output, dims(indices)[-1], writer.unused("s")
    if not output.shape:
        raise NotNativeError(f"'{node.op.name}' of a scalar", node.where)
    changed, t = changeable(writer, output, tensor), Name("t")
    rows = math.prod(dims(indices)[:-1])
    slices = dims(output)[count:]
    at, new = name.with_suffix("_at"), name.with_suffix("_new")
    writer.let(at, reshape(writer.read(indices), rows, count))
    writer.let(new, reshape(writer.read(updates), rows, *slices))
    positions = [name.with_suffix(f"_{axis}") for axis in range(count)]
    inner = indices_of(range(len(slices)))
    target = changed[(*positions, *inner)]
    item = filled(form(combined), {"old": target, "new": new[(t, *inner)]})
    with writer.loop(t, rows):
        for axis, position in enumerate(positions):
            writer.let(position, call("checked_index", at[t, axis], dims(output)[axis]))
        with writer.loops(inner, slices):
            writer.let(target, writer.cast(item, output.dtype))


def _by_arrays(combined: str, writer: KernelWriter, node: Node) -> None:
    """Elements at index arrays of some axes are replaced, or combined: `old` with `new`."""
    x, value, *arrays = node.inputs
    axes, name = node.attrs["axes"], writer.unused("s")
    positions = None
    if writer.plan.arguments and isinstance(writer.memory[node.output], ReuseOperand):
        positions = _positions(writer, x, axes, arrays)
    changed = changeable(writer, node.output, x)
    picked = cast("tuple[int, ...]", broadcast(*map(dims, arrays)))
    rest = [axis for axis in range(len(dims(x))) if axis not in axes]
    first = picked_axis(axes)
    sizes = [dims(x)[axis] for axis in rest]
    sizes = [*sizes[:first], *picked, *sizes[first:]]
    # Of an element of the value.
    indices: list[Any] = [name.with_suffix(f"_{number}") for number in range(len(sizes))]
    chosen = indices[first : first + len(picked)]
    others = iter(indices[:first] + indices[first + len(picked) :])
    places = {axis: next(others) for axis in rest}
    with writer.loops(indices, map(writer.size, sizes)):
        for axis, array in zip(axes, positions or arrays, strict=True):
            places[axis] = writer.element_at(array, own_indices(chosen, array))
            if positions is None:
                at = name.with_suffix(f"_at{axis}")
                writer.let(at, _wrapped(writer, places[axis], x, axis))
                places[axis] = at
        target = changed[tuple(places[axis] for axis in sorted(places))]
        new = writer.element_at(value, own_indices(indices, value))
        item = filled(form(combined), {"old": target, "new": new})
        writer.let(target, writer.cast(item, node.output.dtype))
    for index in filter(dims, positions or ()):
        writer.release(index)


def _positions(writer: KernelWriter, x: Value, axes, arrays) -> list[Value]:
    """Arrays of indices counted from the start. The kernel fails before anything is written: what
    is overwritten may be the caller's array. Each index is read once: threads may change it.
    """
    positions = []
    for axis, array in zip(axes, arrays, strict=True):
        positions.append(Value(int64, array.shape, "positions"))
        name = writer.unused("s")
        indices = [name.with_suffix(f"_{number}") for number in range(len(dims(array)))]
        place = (writer.work_array if indices else writer.name)(positions[-1])
        with writer.loops(indices, map(writer.size, dims(array))):
            item = writer.element_at(array, indices)
            target = place[tuple(indices)] if indices else place
            writer.let(target, _wrapped(writer, item, x, axis))
    return positions


def _wrapped(writer: KernelWriter, index: Operand, x: Value, axis: int) -> Expression:
    return call("wrapped_index", index, writer.size(dims(x)[axis]))


# ---- functions of Numba -----------------------------------------------------------------------


def _numba_call(writer: KernelWriter, node: Node) -> None:
    function, count = node.attrs["function"], len(node.inputs)
    foreign().require_native(node, [len(dims(value)) for value in node.inputs])
    arguments = [count, *map(writer.read, node.inputs)]
    arguments += [writer.buffer(value) for value in node.outputs if value.shape]
    scalars = [writer.name(value) for value in node.outputs if not value.shape]
    writer.call(function.name, *arguments, results=scalars)


def _unwritten(writer: KernelWriter, node: Node) -> None:
    """An array whose elements are not set."""
    writer.buffer(node.output)


_FORMS: dict[str, Form] = {
    "matmul": matmul,
    "argmax": partial(_position, ">"),
    "argmin": partial(_position, "<"),
    "tensor_scatter_nd_update": partial(_scatter, "{new}"),
    "tensor_scatter_nd_add": partial(_scatter, "{old} + {new}"),
    "tensor_scatter_nd_sub": partial(_scatter, "{old} - {new}"),
    "tensor_scatter_nd_max": partial(_scatter, LARGER),
    "tensor_scatter_nd_min": partial(_scatter, SMALLER),
    "replaced_by_arrays": partial(_by_arrays, "{new}"),
    "added_by_arrays": partial(_by_arrays, "{old} + {new}"),
    "cumsum": partial(_scan, "{so_far} + {x}", -0.0, 0, None),
    "cumprod": partial(_scan, "{so_far} * {x}", 1, 1, None),
    "cumulative_logsumexp": partial(_scan, "log_add_exp({so_far}, {x})", -np.inf, -np.inf, None),
    "linear_recurrence": partial(_scan, "{so_far} + {y}", -0.0, 0, "{so_far} * {x}"),
    "unwritten": _unwritten,
    "numba_call": _numba_call,
    **MOVING_FORMS,
}
