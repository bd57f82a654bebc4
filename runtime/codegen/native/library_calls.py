"""Operations that native code computes by a call or a loop of their own, as source.

Each form takes the writer and the node, and may raise NotNativeError; arrays are
C-contiguous and of static shape. Results go to the buffer that the writer gives.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import cast

from ...core.axes import normal_axis
from ...core.dtypes import int64
from ...core.shapes import broadcast, size_of
from ...ir.extents import Extent
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.indexing import picked_axis
from ...jit import routines
from ...jit.backends import foreign
from ...lowering.buffer_assignment import ReuseOperand
from ...lowering.cost_model import SCAN_ELEMENT
from ...lowering.not_native import NotNativeError
from .data_movement import FORMS as MOVING_FORMS
from .data_movement import changeable
from .elements import own_indices
from .emit_matmul import matmul
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_call

Form = Callable[[KernelWriter, Node], None]

LARGER = "{old} if {old} >= {new} or {old} != {old} else {new}"  # or NaN
SMALLER = "{old} if {old} <= {new} or {old} != {old} else {new}"


def form_of(node: Node) -> Form | None:
    """How the source of a node is written; None where it has no form here."""
    name = node.op.name
    if name in routines.FORMS:
        return routines.FORMS[name]()[name]
    return _FORMS.get(name) or _forms_of_kernels().get(name)


@functools.cache
def _forms_of_kernels() -> dict[str, Form]:
    """The forms of operations that have kernels of their own in `runtime/kernels`."""
    # Most programs call none of them, and these load ten modules: 3 ms.
    from .emit_sorting import FORMS

    return FORMS


# ---- running sums ----------------------------------------------------------------------------


def _scan(combined: str, identity: str, start: str, then: str | None = None) -> Form:
    """Loops along the axis that keep what they have so far, `combined` over `so_far` and the
    operands `x` and `y`: in a number, or, where elements along the axis do not lie together, in a
    row of numbers. They start with `identity`, which of floats changes no element, or, to exclude
    the first, with `start`. `then` changes it after each element of the result.
    """

    def form(writer: KernelWriter, node: Node) -> None:
        output, attrs, exclusive = node.output, node.attrs, node.attrs.get("exclusive")
        out, dtype = writer.buffer(output), f"np.{output.dtype.numpy_dtype.name}"
        shape = dims(output)
        axis = normal_axis(attrs["axis"], len(shape))
        size, after = shape[axis], math.prod(shape[axis + 1 :])
        name, cubic = f"s{next(writer.count)}", (math.prod(shape[:axis]), int(size), after)
        length = writer.size(size)
        range_arguments = f"{length} - 1, -1, -1" if attrs["reverse"] else length
        so_far, position = (name, "i, t, 0") if after == 1 else (f"{name}[j]", "i, t, j")
        bits = output.dtype.size * 8
        operands = dict(zip("xy", node.inputs, strict=False))
        elements = {key: f"{name}_{key}[{position}]" for key in operands}
        add, change = (
            template
            and f"{so_far} = {dtype}({template.format(so_far=so_far, bits=bits, **elements)})"
            for template in (combined, then)
        )
        keep = f"{name}_out[{position}] = {so_far}"

        def write(first: str, count: str) -> None:
            for key, operand in operands.items():
                writer.line(f"{name}_{key} = {writer.read(operand)}.reshape({cubic})")
            writer.line(f"{name}_out = {out}.reshape({cubic})")
            value = start if exclusive else identity
            begin = f"{dtype}({value})" if after == 1 else f"np.full({after}, {dtype}({value}))"
            with writer.loop("i", f"range({first}, {first} + {count})"):
                writer.line(f"{name} = {begin}")
                inner = ["t"] if after == 1 else ["t", "j"]
                with writer.loops(inner, [range_arguments, after][: len(inner)]):
                    for source in filter(None, (keep, add) if exclusive else (add, keep, change)):
                        writer.line(source)

        values = {writer.read(x): x for x in node.inputs} | {out: output}
        parallel_call(writer, values, cubic[0], elements_of(output) * SCAN_ELEMENT, write)

    return form


# ---- positions -------------------------------------------------------------------------------


def _position(better: str) -> Form:
    """The first best element along an axis; NaN, which is not equal to itself, beats all."""

    def form(writer: KernelWriter, node: Node) -> None:
        (x,), output = node.inputs, node.output
        axis = normal_axis(node.attrs["axis"], len(dims(x)))
        before, size, after = dims(x)[:axis], dims(x)[axis], dims(x)[axis + 1 :]
        if not size and not isinstance(size, Extent):
            raise NotNativeError(f"'{node.op.name}' of nothing", node.where)
        dtype, name = f"np.{output.dtype.numpy_dtype.name}", f"s{next(writer.count)}"
        cubic = f"({size_of(before)}, {int(size)}, {size_of(after)})"
        writer.line(f"{name}_x = {writer.read(x)}.reshape({cubic})")
        if output.shape:
            out = writer.buffer(output)
            writer.line(f"{name}_y = {out}.reshape({elements_of(output)})")
        with writer.loop("i", f"range({size_of(before)})"):
            if size_of(after) != 1:
                _positions_of_rows(writer, node, name, better)
                return
            item, best = f"{name}_item", f"{name}_best"
            with writer.loop("j", f"range({size_of(after)})"):
                writer.line(f"{name}, {best} = 0, {name}_x[i, 0, j]")
                with writer.loop("t", f"range(1, {writer.size(size)})"):
                    writer.line(f"{item} = {name}_x[i, t, j]")
                    test = f"{item} {better} {best}"
                    if x.dtype.is_floating:
                        test += f" or ({item} != {item} and {best} == {best})"
                    with writer.when(test):
                        writer.line(f"{name}, {best} = t, {item}")
                place = f"{name}_y[i * {size_of(after)} + j]"
                target = place if output.shape else writer.name(output)
                writer.line(f"{target} = {dtype}({name})")

    return form


def _positions_of_rows(writer: KernelWriter, node: Node, name: str, better: str) -> None:
    """Those of elements that do not lie together, row after row: with the best rows so far."""
    (x,), dtype = node.inputs, f"np.{node.output.dtype.numpy_dtype.name}"
    axis = normal_axis(node.attrs["axis"], len(dims(x)))
    size, width = dims(x)[axis], size_of(dims(x)[axis + 1 :])
    best = writer.work_array(Value(x.dtype, (width,), "best"))
    item, place = f"{name}_item", f"{name}_y[i * {width} + j]"
    with writer.loop("j", f"range({width})"):
        writer.line(f"{best}[j] = {name}_x[i, 0, j]")
        writer.line(f"{place} = {dtype}(0)")
    with writer.loops("tj", [f"1, {writer.size(size)}", width]):
        writer.line(f"{item} = {name}_x[i, t, j]")
        test = f"{item} {better} {best}[j]"
        if x.dtype.is_floating:
            test = f"({test}) | (({item} != {item}) & ({best}[j] == {best}[j]))"
        writer.line(f"{name}_wins = {test}")
        writer.line(f"{best}[j] = select({name}_wins, {item}, {best}[j])")
        writer.line(f"{place} = {dtype}(select({name}_wins, {dtype}(t), {place}))")


# ---- scattering ------------------------------------------------------------------------------


def _scatter(combined: str) -> Form:
    """Slices at indices are replaced, or combined: `old` with `new`; in place where that is free
    to do.
    """

    def form(writer: KernelWriter, node: Node) -> None:
        tensor, indices, updates = node.inputs
        output, count, name = node.output, dims(indices)[-1], f"s{next(writer.count)}"
        if not output.shape:
            raise NotNativeError(f"'{node.op.name}' of a scalar", node.where)
        changed = changeable(writer, output, tensor)
        rows = math.prod(dims(indices)[:-1])
        slices = dims(output)[count:]
        shape = ", ".join(map(str, (rows, *slices)))
        writer.line(f"{name}_at = {writer.read(indices)}.reshape({rows}, {count})")
        writer.line(f"{name}_new = {writer.read(updates)}.reshape({shape})")
        positions = [f"{name}_{axis}" for axis in range(count)]
        inner = [f"i{axis}" for axis in range(len(slices))]
        target = f"{changed}[{', '.join([*positions, *inner])}]"
        source = combined.format(old=target, new=f"{name}_new[{', '.join(['t', *inner])}]")
        with writer.loop("t", f"range({rows})"):
            for axis, position in enumerate(positions):
                size = dims(output)[axis]
                writer.line(f"{position} = checked_index({name}_at[t, {axis}], {size})")
            with writer.loops(inner, slices):
                writer.line(f"{target} = {writer.cast(source, output.dtype)}")

    return form


def _by_arrays(combined: str) -> Form:
    """Elements at index arrays of some axes are replaced, or combined: `old` with `new`."""

    def form(writer: KernelWriter, node: Node) -> None:
        x, value, *arrays = node.inputs
        axes, name = node.attrs["axes"], f"s{next(writer.count)}"
        positions = None
        if writer.plan.arguments and isinstance(writer.memory[node.output], ReuseOperand):
            positions = _positions(writer, x, axes, arrays)
        changed = changeable(writer, node.output, x)
        picked = cast("tuple[int, ...]", broadcast(*map(dims, arrays)))
        rest = [axis for axis in range(len(dims(x))) if axis not in axes]
        first = picked_axis(axes)
        sizes = [dims(x)[axis] for axis in rest]
        sizes = [*sizes[:first], *picked, *sizes[first:]]
        indices = [f"{name}_{number}" for number in range(len(sizes))]  # of an element of the value
        chosen = indices[first : first + len(picked)]
        others = iter(indices[:first] + indices[first + len(picked) :])
        places = {axis: next(others) for axis in rest}
        with writer.loops(indices, map(writer.size, sizes)):
            for axis, array in zip(axes, positions or arrays, strict=True):
                at = writer.element_at(array, own_indices(chosen, array))
                if positions is None:
                    writer.line(f"{name}_at{axis} = {_wrapped(writer, at, x, axis)}")
                places[axis] = f"{name}_at{axis}" if positions is None else at
            target = f"{changed}[{', '.join(places[axis] for axis in sorted(places))}]"
            new = writer.element_at(value, own_indices(indices, value))
            source = combined.format(old=target, new=new)
            writer.line(f"{target} = {writer.cast(source, node.output.dtype)}")
        for one in filter(dims, positions or ()):
            writer.release(one)

    return form


def _positions(writer: KernelWriter, x: Value, axes, arrays) -> list[Value]:
    """Arrays of indices counted from the start. The kernel fails before anything is written: what
    is overwritten may be the caller's array. Each index is read once: threads may change it.
    """
    positions = []
    for axis, array in zip(axes, arrays, strict=True):
        positions.append(Value(int64, array.shape, "positions"))
        name = f"s{next(writer.count)}"
        indices = [f"{name}_{number}" for number in range(len(dims(array)))]
        place = (writer.work_array if indices else writer.name)(positions[-1])
        place += f"[{', '.join(indices)}]" if indices else ""
        with writer.loops(indices, map(writer.size, dims(array))):
            item = writer.element_at(array, indices)
            writer.line(f"{place} = {_wrapped(writer, item, x, axis)}")
    return positions


def _wrapped(writer: KernelWriter, index: str, x: Value, axis: int) -> str:
    return f"wrapped_index({index}, {writer.size(dims(x)[axis])})"


# ---- functions of Numba -----------------------------------------------------------------------


def _numba_call(writer: KernelWriter, node: Node) -> None:
    function, count = node.attrs["function"], len(node.inputs)
    foreign().require_native(node, [len(dims(one)) for one in node.inputs])
    given = [str(count), *map(writer.read, node.inputs)]
    given += [writer.buffer(one) for one in node.outputs if one.shape]
    scalars = ", ".join(writer.name(one) for one in node.outputs if not one.shape)
    call = f"{function.name}({', '.join(given)})"
    writer.line(f"{scalars} = {call}" if scalars else call)


def _unwritten(writer: KernelWriter, node: Node) -> None:
    """An array whose elements are not set."""
    writer.buffer(node.output)


_FORMS: dict[str, Form] = {
    "matmul": matmul,
    "argmax": _position(">"),
    "argmin": _position("<"),
    "tensor_scatter_nd_update": _scatter("{new}"),
    "tensor_scatter_nd_add": _scatter("{old} + {new}"),
    "tensor_scatter_nd_sub": _scatter("{old} - {new}"),
    "tensor_scatter_nd_max": _scatter(LARGER),
    "tensor_scatter_nd_min": _scatter(SMALLER),
    "replaced_by_arrays": _by_arrays("{new}"),
    "added_by_arrays": _by_arrays("{old} + {new}"),
    "cumsum": _scan("{so_far} + {x}", "-0.0", "0"),
    "cumprod": _scan("{so_far} * {x}", "1", "1"),
    "cumulative_logsumexp": _scan("log_add_exp_f{bits}({so_far}, {x})", "-np.inf", "-np.inf"),
    "linear_recurrence": _scan("{so_far} + {y}", "-0.0", "0", "{so_far} * {x}"),
    "unwritten": _unwritten,
    "numba_call": _numba_call,
    **MOVING_FORMS,
}
