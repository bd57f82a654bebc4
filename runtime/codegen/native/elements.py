"""One element of the result of an operation, as an expression over the elements of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.dtypes import DType
from ...core.precision import Precision
from ...ir.constant_values import full_constant
from ...ir.extents import Extent
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.indexing import Slot, broadcast_index, expanded, window_positions
from ...ir.node_properties import has_slow_path
from ...ir.op import TABLE
from ...jit.backends import foreign
from ...kernel_ir.nodes import Call, Const, Expression, Name, Operand, as_node, call, transformed
from ...kernel_ir.reader import filled, form
from ...lowering.buffer_assignment import leading_numbers
from ...lowering.cost_model import is_slow_alone
from ...lowering.not_native import NotNativeError
from ...lowering.program import Nest
from .kernel_writer import KernelWriter, literal


class Access:
    """One operand (or the result) inside a loop nest: its elements, sizes and type."""

    def __init__(self, writer: KernelWriter, value: Value):
        self.writer = writer
        self.value = value
        self.shape = dims(value)
        self.rank = len(self.shape)
        self.dtype = value.dtype

    @property
    def constant(self) -> np.ndarray | None:
        return full_constant(self.value)

    def at(self, *indices: Operand) -> Expression:
        """The element at these indices."""
        return self.writer.element_at(self.value, indices)

    def part(self, axis: int) -> tuple[int, int]:
        """The indices of an axis that the loop runs over which is being written."""
        part = self.writer.nest.part
        return part if part is not None and axis == self.rank - 1 else (0, self.shape[axis])

    def cast(self, operand: Operand) -> Expression:
        """An expression converted to this value's type."""
        return self.writer.cast(operand, self.dtype)

    def literal(self, number) -> Expression:
        return self.writer.literal(np.asarray(number, self.dtype.numpy_dtype))

    def index(self, axis: int, index: Any) -> Operand:
        """A Python index, negative ones counted from the end, checked against the size."""
        size = self.shape[axis]
        if size is None:  # that of an array that grows
            length = call("len", self.writer.read(self.value))
            return self._hoisted(call("wrapped_index", index, length), index)
        is_known = isinstance(index, int) and not isinstance(size, Extent)
        if is_known and -size <= index < size:  # it may be computed, and out of range
            return index + size if index < 0 else index
        return self._hoisted(call("wrapped_index", index, self.writer.size(size)), index)

    def picked(self, axis: int, row: int | Slot, scalars: Sequence[Access]) -> Operand:
        """The index that an entry of an index template is, checked where it may be out of range."""
        if not isinstance(row, Slot):
            return self.index(axis, row)
        at = scalars[row.position].at()
        return at if row.in_bounds else self.index(axis, at)

    def checked(self, axis: int, index: Operand) -> Expression:
        """An index that has to be between 0 and the size."""
        return self._hoisted(call("checked_index", index, self.shape[axis]), index)

    def _hoisted(self, expression: Expression, index: Operand) -> Expression:
        """The expression, or a name for it where `index` is a scalar that no loop changes."""
        is_fixed = isinstance(index, int) or self.writer.is_fixed(as_node(index))
        return self.writer.hoist(expression) if is_fixed else expression

    def slice(self, axis: int, row, index: Any, scalars) -> Operand:
        """The index in this operand of element `index` of a slice `(start, stop, step)`."""
        if any(type(bound) is Slot for bound in row):
            raise NotNativeError("a slice with run-time bounds")
        start, _, step = slice(*row).indices(self.shape[axis])
        if step != 1:
            return start + index * step
        return start + index if start else index


def register(writer: KernelWriter, node: Node, indices) -> None:
    """Compute one element of a node into a register."""
    name = writer.unused("r")
    writer.let(name, writer.cast(element(writer, node, indices), node.output.dtype))
    writer.nest.registers[node.output] = name
    writer.origins[name.id] = node
    if has_slow_path(node) and not writer.nest.slow_path:
        item, largest = writer.element_at(node.inputs[0], indices), largest_operand(node)
        writer.let(largest, computed(writer, LARGER, {"x": largest, "y": item}, node.output.dtype))


def write_scalars(writer: KernelWriter, nest: Nest) -> None:
    """A nest over rank 0: straight-line code. Beside a call of the C library, which no loop around
    is vectorized with, formulas would load their constants again: all functions are the library's.
    So are those outside of vectors whose formulas are long.
    """
    by_library = any(map(has_slow_path, nest.nodes))
    for node in nest.nodes:
        writer.nest.slow_path = by_library or (is_slow_alone(node) and not writer.in_vectors)
        if node.op.reduce:  # of a scalar
            value = writer.element_at(node.inputs[0], ())
        else:
            value = element(writer, node, ())
        writer.nest.slow_path = False
        writer.write_hoisted()
        writer.let(writer.name(node.output), writer.cast(value, node.output.dtype))
        for side in ("then", "orelse"):
            if (node, side) in writer.choice_flags:
                condition = writer.read(node.inputs[0])
                is_other = condition.negated() if side == "orelse" else condition
                writer.update(writer.choice_flags[node, side], "|", is_other)


def largest_operand(node: Node) -> Name:
    """The variable that holds the largest operand that formulas with a slow path meet."""
    return Name(f"largest_{8 * node.output.dtype.size}")


def store(writer: KernelWriter, value: Value, indices, element: Expression) -> None:
    """Keep an element: in the array, and the only one of a row in a register too."""
    if value in writer.nest.row_scalars:
        writer.let(writer.nest.row_scalars[value], element)
        element = writer.nest.row_scalars[value]
    if value in writer.updates:
        update = writer.updates[value]
        positions = updated_positions(writer, update, indices)
        writer.let(writer.read(update.inputs[0])[tuple(positions)], element)
    has_array = value not in writer.updates or value in writer.read_later
    if has_array and value not in writer.nest.temporaries:
        writer.let(writer.read(value)[tuple(indices)], element)


def updated_positions(writer: KernelWriter, update: Node, indices) -> list[Operand]:
    """The indices in the target of an update of the element `indices` of the value."""
    target, _, *scalars = update.inputs
    access, index = Access(writer, target), update.attrs["index"]
    index_accesses = [Access(writer, scalar) for scalar in scalars]
    if "sizes" in update.attrs:
        return window_positions(indices, access, index, index_accesses)
    own, positions = iter(indices), list[Operand]()
    for axis, row in enumerate(row for row in expanded(index, access.rank) if row is not None):
        if type(row) is tuple:
            positions.append(access.slice(axis, row, next(own), scalars))
        else:
            positions.append(access.picked(axis, row, index_accesses))
    return positions


# ---- undo logs ----------------------------------------------------------------------------------


class LogVariables(NamedTuple):
    """The variables of a log: its three arrays, and `elements`, the input as an array of rank 1."""

    elements: Name
    saved: Name
    blocks: Name
    is_saved: Name


def open_log(writer: KernelWriter, value: Value) -> tuple[Name, Name, Name]:
    """Log what changes in an input. Returns the arrays of the log: parameters of the kernel."""
    name = writer.name(value)
    log = LogVariables(*(name.with_suffix(f"_{field}") for field in LogVariables._fields))
    if len(dims(value)) == 1:
        log = log._replace(elements=name)
    else:
        writer.let(log.elements, call("reshaped", name, (elements_of(value),)))
    writer.logs[name.id] = log
    return log[1:]


def log_nest(writer: KernelWriter, update: Node) -> None:
    """Save what a nest is about to write where an update would copy it."""
    if writer.log_of(update.inputs[0]) is None:
        return
    slices = len(dims(update.inputs[0])) - leading_numbers(update)
    positions = updated_positions(writer, update, [as_node(0)] * slices)
    writer.write_hoisted()
    log_update(writer, update, positions)


def log_update(writer: KernelWriter, update: Node, positions: list[Operand]) -> None:
    """Save the elements that an update is about to replace, the first of them at `positions`, if it
    changes an input that is logged.
    """
    target, count = update.inputs[0], leading_numbers(update)
    log = writer.log_of(target)
    if log is None:
        return
    row: Any = 0
    for position, size in zip(positions[:count], dims(target), strict=False):
        row = position if _is_zero(row) else row * size + position
    row = as_node(row)
    width, bits = math.prod(dims(target)[count:]), thresholds.LOG_BLOCK.bit_length() - 1
    if width == 1:
        writer.call("save_block", *log, row >> bits)
        return
    first = row * width
    writer.call("save_blocks", *log, first >> bits, (first + (width - 1)) >> bits)


def _is_zero(index: Operand) -> bool:
    return isinstance(as_node(index), Const) and as_node(index).value == 0


# ---- expressions --------------------------------------------------------------------------------


LARGER = "larger({x}, magnitude({y}))"


def element(writer: KernelWriter, node: Node, indices) -> Expression:
    """The expression of one element of a node's result."""
    op = node.op
    if op.element is not None:
        operands = [Access(writer, value) for value in node.inputs]
        out = Access(writer, node.output)
        value = op.element(tuple(map(as_node, indices)), *operands, out=out, **node.attrs)
        if value is None:
            raise NotNativeError(f"this form of the operation '{op.name}'", node.where)
        return as_node(value)
    quick = _with_constant_operand(node)
    if quick is not None:
        template, number = quick
        own = _broadcast(indices, node.inputs[0], node.output)
        items = {"x": writer.element_at(node.inputs[0], own), "number": number}
        return computed(writer, template, items, node.output.dtype)
    return _scalar_form(writer, node, indices)


def _scalar_form(writer: KernelWriter, node: Node, indices) -> Expression:
    op = node.op
    template = op.scalar(node.inputs[0].dtype) if callable(op.scalar) else str(op.scalar)
    dtype = node.output.dtype if op.computes_in_result_dtype else node.inputs[-1].dtype
    elements = [
        writer.element_at(value, _broadcast(indices, value, node.output)) for value in node.inputs
    ]
    if op.variadic:  # a call of a function that another compiler compiled
        foreign().require_native(node, [0] * len(elements))
        return call(node.attrs["function"].name, len(elements), *elements)
    items = dict(zip(op.inputs, elements, strict=True))
    if op.computes_in_result_dtype and node.inputs[0].dtype is not dtype:
        items = {key: writer.cast(item, dtype) for key, item in items.items()}
    if op.name == "cast" and node.output.dtype.is_bool:
        template = "{x} != 0"
    if op is TABLE["pow"] and dtype.is_floating and _is_one_for_all(node):
        template = "select({y} == 0.5, sqrt({x}), power({x}, {y}))"  # as NumPy, of one exponent
    return computed(writer, template, items, dtype, node.never_raises)


def _is_one_for_all(node: Node) -> bool:
    """Whether NumPy takes the last operand for one number of all elements of the first."""
    first, *_, shape = (value.shape for value in node.inputs)
    return not shape or (set(shape) == {1} and first not in ((), shape))


def computed(
    writer: KernelWriter,
    template: str,
    items: dict[str, Expression],
    dtype: DType,
    never_raises: bool = False,
) -> Expression:
    """A form with these items, in which the names of mathematical functions, and of the numbers
    `one` and `zero`, are those for a data type.
    """
    by_library = writer.nest.slow_path or Precision.precise_math
    return filled(_typed_form(template, dtype, by_library, never_raises), items)


@lru_cache(1 << 10)
def _typed_form(template: str, dtype: DType, by_library: bool, never_raises: bool) -> Expression:
    group = "i" if not dtype.is_floating else "l" if by_library else "f"
    suffix = f"_{group}{64 if group == 'i' else dtype.size * 8}"

    def typed(part):
        is_named = isinstance(part, Call) and isinstance(part.function, Name)
        if not is_named or part.name in _PLAIN:
            return part
        if part.name in _NUMBERS:
            return literal(np.asarray(_NUMBERS[part.name], dtype.numpy_dtype))
        nonzero = "_by_nonzero" if never_raises and part.name.startswith("floor_") else ""
        return Call(Name(f"{part.name}{nonzero}{suffix}"), part.arguments)

    return transformed(form(template), typed)


_NUMBERS = {"one": 1, "zero": 0}
_PLAIN = {"bool", "complex", "abs", "range", "wrapped_index", "checked_index", "select"}


def _broadcast(indices, value: Value, result: Value):
    """The indices of an operand that broadcasts to the result."""
    if value.shape == result.shape:
        return indices
    return own_indices(indices, value)


def own_indices(indices: Sequence[Operand], value: Value) -> tuple[Operand, ...]:
    """The last of some indices, one for each axis of an operand; 0 where its size is 1."""
    return broadcast_index(dims(value), indices)


# ---- constant operands ------------------------------------------------------------------------

# Products are exact to 2 units in the last place up to the fourth power.
POWERS: dict[float, str] = {
    1: "{x}",
    2: "{x} * {x}",
    3: "{x} * {x} * {x}",
    4: "({x} * {x}) * ({x} * {x})",
}
FLOAT_POWERS: dict[float, str] = {
    **POWERS,
    0.5: "sqrt({x})",
    -1: "divide({number}, {x})",
    -2: "divide({number}, {x}) * divide({number}, {x})",
}


def _power(exponent, dtype: DType) -> tuple[str | None, int]:
    return (FLOAT_POWERS if dtype.is_floating else POWERS).get(exponent), 1


def _divided(sign: str, number, dtype: DType) -> tuple[str | None, int]:
    """Integer division by a positive constant needs no check."""
    return (f"{{x}} {sign} {{number}}" if dtype.is_integer and number > 0 else None), number


RULES: dict[str, Callable[..., Any]] = {
    "pow": _power,
    "floor_divide": partial(_divided, "//"),
    "floor_mod": partial(_divided, "%"),
}


def _with_constant_operand(node: Node) -> tuple[str, Expression] | None:
    """The template over `{x}` and `{number}` for such a node, with that number; or None."""
    rule, dtype = RULES.get(node.op.name), node.output.dtype
    constant = full_constant(node.inputs[1]) if rule is not None else None
    if rule is None or constant is None or constant.size != 1 or not _is_one_for_all(node):
        return None
    template, number = rule(constant.item(), dtype)
    if template is None:
        return None
    if "//" in template and number & (number - 1) == 0:
        return "{x} >> {number}", Const(number.bit_length() - 1)
    if "%" in template and number & (number - 1) == 0:
        return "{x} & {number}", Const(number - 1)
    return template, literal(np.asarray(number, dtype.numpy_dtype))
