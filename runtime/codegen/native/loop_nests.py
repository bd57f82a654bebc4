"""Loop nests as source: registers, loops over the kept and the reduced axes, stores."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable

import numpy as np

from ...core.array_pool import BufferType, is_large
from ...core.dtypes import DType
from ...core.math_precision import PRECISION
from ...core.numpy_dtypes import is_real
from ...core.shapes import is_static, size_of
from ...ir.graph import Node, Value
from ...lowering.buffer_assignment import Buffers, buffer_type
from ...lowering.nest_schedule import NestSchedule, nest_schedule
from ...lowering.not_native import NotNativeError
from ...lowering.program import Nest
from .constant_operands import with_constant_operand
from .emit_reductions import Accumulator, ReductionWriter
from .loop_ir import Builder, Position, Simple
from .operands import Access
from .parallel_loops import ParallelLoopWriter, numpy_name


class NestWriter(ReductionWriter, ParallelLoopWriter):
    """Writes kernel source; knows the names of values, and their buffers."""

    def __init__(self):
        super().__init__()
        self.code = Builder()
        self.names: dict[Value, str] = {}
        self.variables: set[str] = set()  # the names among these
        self.registers: dict[Value, str] = {}
        self.accumulators: dict[Value, Accumulator] = {}
        self.row_scalars: dict[Value, str] = {}  # values with one element in each row of a group
        self.short_lived: set[Value] = set()  # those that nothing outside of the group reads
        self.stacks: set[Value] = set()  # whose number of rows grows
        self.views: set[str] = set()  # names of rows that lie in another array
        self.buffers = Buffers()
        self.caller_buffers: dict[
            str, BufferType
        ] = {}  # buffers that the caller of the kernel brings
        self.returned: set[tuple] = set()  # types and numbers of elements of the results
        self.hoisted: dict[str, str] = {}
        self.choice_flags: dict[tuple[Node, str], str] = {}  # flags to be set on a side of a choice
        self.dying: set[Value] = set()  # what the call that is being written reads last
        self.preferred_buffers: dict[
            Value, str
        ] = {}  # the buffer that a result had best be written to
        self.allocations: list | None = (
            None  # lines before the outermost loop or branch around here
        )
        self.slow_path = False  # functions of the C library
        self.count = itertools.count(1)

    # ---- names and types -----------------------------------------------------------------

    def line(self, depth: int, source: str) -> None:
        self.code.line(depth, source)

    def name(self, value: Value) -> str:
        if value not in self.names:
            self.names[value] = self.new_variable()
        return self.names[value]

    def new_variable(self) -> str:
        """The name of a scalar or array that no loop of a nest changes."""
        name = f"v{next(self.count)}"
        self.variables.add(name)
        return name

    def read(self, value: Value) -> str:
        return self.names[value]

    def check(self, value: Value, node: Node | None = None) -> None:
        where = None if node is None else node.where
        if not is_real(value.dtype.numpy_dtype) or value.dtype.name in (
            "float16",
            "bfloat16",
        ):
            raise NotNativeError(f"'{value.name}' holds {value.dtype.name}", where)
        if not is_static(value.shape) and value not in self.stacks:
            raise NotNativeError(f"the shape of '{value.name}' is not known before it runs", where)
        if (size_of(value.shape) or 0) * value.dtype.size > sys.maxsize:
            raise NotNativeError(f"'{value.name}' would be larger than any memory", where)

    def cast(self, source: str, dtype: DType) -> str:
        return f"bool({source})" if dtype.is_bool else f"np.{dtype.name}({source})"

    def literal(self, array) -> str:
        number = array.item()
        if isinstance(number, float) and not np.isfinite(number):
            number = "np.nan" if np.isnan(number) else "np.inf" if number > 0 else "-np.inf"
        return repr(number) if isinstance(number, bool) else f"np.{array.dtype.name}({number})"

    # ---- loop nests ----------------------------------------------------------------------

    def nest(self, nest: Nest, dying, depth: int, inside_rows: bool = False) -> None:
        """The loops of a nest; `inside_rows`, that over the first axis is there already."""
        shape = nest.space.shape
        for node in nest.nodes:
            for value in (*node.inputs, node.output):
                self.check(value, node)
        self.registers = {}
        reductions = [node for node in nest.nodes if node.op.reduce]
        if not shape:
            self.scalars(nest, depth)
            return
        schedule = nest_schedule(nest, inside_rows)
        for value in nest.stores:
            if value.shape and value not in self.short_lived:
                self.allocate(value, nest, dying, depth)
        start = self.code.position(depth)

        def write(depth: int) -> None:
            self.is_outermost = not inside_rows
            if schedule.is_flat:
                self.flat_loop(nest, depth)
            else:
                self.loops(nest, schedule, depth, inside_rows)
            self.registers = {}

        def passes(depth: int) -> None:
            self.with_second_pass(nest, write, depth)

        if inside_rows:
            passes(depth)
        elif schedule.reduces_everything:
            self.reduced(nest, schedule.chunks, reductions, passes, depth)
        else:
            self.parallel_nests([nest], schedule.chunks, passes, depth)
        self.write_hoisted(start)
        if 0 in shape and any(node.may_raise for node in nest.nodes):
            self.line(depth, "raise AssertionError")  # no iteration checks what NumPy checks

    def has_slow_path(self, node: Node) -> bool:
        """Whether the formula of a node is not for all numbers."""
        return node.op.slow_path_if is not None and not PRECISION.precise_math

    def with_second_pass(self, nest: Nest, write: Callable[[int], None], depth: int) -> None:
        """A nest that meets a number out of a formula's reach is done again by the C library."""
        may_redo = any(map(self.has_slow_path, nest.nodes))
        if may_redo:
            self.line(depth, "out_of_range = False")
        write(depth)
        if may_redo:
            self.line(depth, "if out_of_range:")
            self.slow_path = True
            write(depth + 1)
            self.slow_path = False

    def write_hoisted(self, position: Position) -> None:
        """What `hoist` named, at a position before its uses."""
        position.insert(Simple(f"{name} = {source}") for source, name in self.hoisted.items())
        self.hoisted = {}

    def hoist(self, source: str) -> str:
        """A name for an expression that is the same everywhere in a nest, computed before it."""
        if source not in self.hoisted:
            self.hoisted[source] = f"k{next(self.count)}"
        return self.hoisted[source]

    def scalars(self, nest: Nest, depth: int) -> None:
        for node in nest.nodes:
            self.slow_path = self.has_slow_path(node)
            source = self.expression(node, ())
            self.slow_path = False
            if node.op.reduce:  # of a scalar
                source = self.element_at(node.inputs[0], ())
            self.write_hoisted(self.code.position(depth))
            self.line(depth, f"{self.name(node.output)} = {self.cast(source, node.output.dtype)}")
            for side, name in (("then", ""), ("orelse", "not ")):
                if (node, side) in self.choice_flags:
                    flag, condition = self.choice_flags[node, side], self.read(node.inputs[0])
                    self.line(depth, f"{flag} |= {name}{condition}")

    def allocate(self, value: Value, nest: Nest, dying: set[Value], depth: int) -> None:
        """The memory of a stored result: that of an operand which dies here, or a free buffer."""
        operands = dict.fromkeys(value for node in nest.nodes for value in node.inputs)
        fitting = [
            operand
            for operand in operands
            if operand.dtype is value.dtype
            and operand.shape == value.shape == nest.space.shape
            and operand in dying
            and self.buffers.is_alone(operand)
            and self.is_read_in_order(operand, nest)
        ]
        if not fitting or any(map(self.has_slow_path, nest.nodes)):  # which are perhaps read again
            self.buffer(value, depth)
            return
        spoken_for = {self.preferred_buffers.get(other) for other in nest.stores} - {
            self.preferred_buffers.get(value)
        }
        homes = {self.buffers.buffer_of[operand]: operand for operand in reversed(fitting)}
        free = [operand for home, operand in homes.items() if home not in spoken_for]
        self.alias(value, homes.get(self.preferred_buffers.get(value)) or (free or fitting)[-1])

    def alias(self, value: Value, other: Value) -> None:
        """`value` is another name for the elements of `other`."""
        self.names[value] = self.read(other)
        self.buffers.share(value, other)

    def buffer(self, value: Value, depth: int) -> str:
        """Memory for `value`: a free buffer of its type, or a new one."""
        wanted = buffer_type(value)
        name = self.buffers.free(wanted, self.preferred_buffers.get(value))
        if name is None:
            name = f"b{next(self.count)}"
            self.buffers.add(name, wanted)
            if not self.in_region and (is_large(wanted) or size_class(wanted) in self.returned):
                self.caller_buffers[name] = wanted
            else:
                self.scratch(
                    f"{name} = new_array({wanted.shape}, np.{numpy_name(wanted.dtype)})", depth
                )
        self.buffers.place(value, name)
        self.names[value] = name
        return name

    def scratch(self, source: str, depth: int) -> None:
        """A line that makes an array, before the outermost loop."""
        if self.allocations is None:
            self.line(depth, source)
        else:
            self.allocations.append(source)

    def is_read_in_order(self, operand: Value, nest: Nest) -> bool:
        return all(
            node.op.scalar or node.op.reduce or operand not in node.inputs for node in nest.nodes
        )

    def flat_loop(self, nest: Nest, depth: int) -> None:
        arrays = {
            value: None  # in order, so that each process writes the same source
            for node in nest.nodes
            for value in node.inputs
            if value.shape and value in self.names
        }
        flat = {}
        for value in dict.fromkeys([*arrays, *nest.stores]):
            flat[value] = f"{self.read(value)}_"
            size = size_of(value.shape)
            self.line(depth, f"{flat[value]} = reshaped({self.read(value)}, ({size},))")
        depth = self.outermost("i", size_of(nest.space.shape), depth) - 1
        self.registers = {value: f"{name}[i]" for value, name in flat.items() if value in arrays}
        for node in nest.nodes:
            self.register(node, ("i",), depth + 1)
        for value in nest.stores:
            self.line(depth + 1, f"{flat[value]}[i] = {self.registers[value]}")

    def loops(self, nest: Nest, schedule: NestSchedule, depth: int, inside_rows: bool) -> None:
        if schedule.by_columns:
            self.columns(nest, schedule, depth, inside_rows)
            return
        kept, reduced = schedule.kept, schedule.reduced
        reductions = [node for node in nest.nodes if node.op.reduce]
        shape = nest.space.shape
        depth = self.open_loops(kept, shape, depth, inside_rows)
        outside = depth
        for node in reductions:
            self.start_reduction(node, depth)
        sums = self.start_partial_sums(nest, reduced, depth)
        depth = self.open_loops(reduced[:-1], shape, depth)
        depth = self.open_blocks(reduced, shape, depth, sums)
        self.elements(nest, depth)
        self.add_partial_sums(sums, depth - 1)
        for node in reductions:
            if node in self.partials:
                self.keep_partial(node, outside, dict(sums).values())
            else:
                self.finish_reduction(node, kept, outside, dict(sums).values())

    def indices(self, shape) -> tuple[str, ...]:
        return tuple(f"i{axis}" for axis in range(len(shape)))

    def open_loops(self, axes, shape, depth: int, inside_rows: bool = False) -> int:
        """Loops over these axes, and the depth inside them."""
        for axis in axes:
            if inside_rows and axis == 0:
                continue
            if inside_rows and shape[axis] == 1:
                self.line(depth, f"i{axis} = 0")
                continue
            depth = self.outermost(f"i{axis}", shape[axis], depth)
        return depth

    def elements(self, nest: Nest, depth: int) -> None:
        """The innermost lines: one element of each node."""
        indices = self.indices(nest.space.shape)
        for node in nest.nodes:
            if node.op.reduce:
                self.take_in(node, indices, depth)
            else:
                self.register(node, indices, depth)
        for value in nest.stores:
            if value in self.registers and value not in self.accumulators:
                self.store(value, indices, self.registers[value], depth)

    def store(self, value: Value, indices, source: str, depth: int) -> None:
        """Keep an element: in the array, and the only one of a row in a register too."""
        if value in self.row_scalars:
            self.line(depth, f"{self.row_scalars[value]} = {source}")
            source = self.row_scalars[value]
        if value not in self.short_lived:
            self.line(depth, f"{self.read(value)}[{', '.join(indices)}] = {source}")

    # ---- elements ------------------------------------------------------------------------

    def register(self, node: Node, indices, depth: int) -> None:
        """Compute one element of a node into a register."""
        name = f"r{next(self.count)}"
        self.line(depth, f"{name} = {self.cast(self.expression(node, indices), node.output.dtype)}")
        self.registers[node.output] = name
        if self.has_slow_path(node) and not self.slow_path:
            item = self.element_at(node.inputs[0], indices)
            test = node.op.slow_path_if.format(x=item)
            self.line(depth, f"out_of_range |= {self.with_functions(test, node.output.dtype)}")

    def expression(self, node: Node, indices) -> str:
        """The expression of one element of a node's result."""
        op = node.op
        if op.element is not None:
            operands = [Access(self, value) for value in node.inputs]
            source = op.element(
                tuple(indices), *operands, out=Access(self, node.output), **node.attrs
            )
            if source is None:
                raise NotNativeError(f"this form of the operation '{op.name}'", node.where)
            return source
        if op.scalar is None:
            return ""
        quick = with_constant_operand(node, self.literal)
        if quick is not None:
            item = self.element_at(node.inputs[0], _broadcast(indices, node.inputs[0], node.output))
            return self.with_functions(quick.format(x=item), node.output.dtype)
        template = op.scalar(node.inputs[0].dtype) if callable(op.scalar) else op.scalar
        dtype = node.output.dtype if op.computes_in_result_dtype else node.inputs[-1].dtype
        items = {}
        for key, value in zip(op.inputs, node.inputs, strict=True):
            items[key] = self.element_at(value, _broadcast(indices, value, node.output))
        source = template
        for name, number in (("one", 1), ("zero", 0)):
            source = source.replace(
                name + "({x})",
                self.literal(np.asarray(number, dtype.numpy_dtype)) if name in source else "",
            )
        if op.computes_in_result_dtype and node.inputs[0].dtype is not dtype:
            items = {key: self.cast(item, dtype) for key, item in items.items()}
        if op.name == "cast" and node.output.dtype.is_bool:
            source = "{x} != 0"
        return self.with_functions(source.format(**items), dtype)

    def with_functions(self, source: str, dtype: DType) -> str:
        """Names of mathematical functions become those for this type."""
        group = (
            "i"
            if not dtype.is_floating
            else "l"
            if self.slow_path or PRECISION.precise_math
            else "f"
        )
        suffix = f"_{group}{64 if group == 'i' else dtype.size * 8}"

        def named(match):
            name = match.group(1)
            if name in _PLAIN:
                return match.group(0)
            return f"{name}{suffix}("

        return re.sub(r"(?<![\w.])([a-z_][a-z_0-9]*)\(", named, source)

    def element_at(self, value: Value, indices) -> str:
        if value in self.registers:
            return self.registers[value]
        if value in self.row_scalars:
            return self.row_scalars[value]
        if not value.shape:
            return self.read(value)
        return f"{self.read(value)}[{', '.join(map(str, indices))}]"


_PLAIN = {
    "bool",
    "abs",
    "range",
    "wrapped_index",
    "checked_index",
    "either",
    "if",
    "and",
    "or",
    "not",
    "in",
    "else",
}
_PLAIN |= {name + suffix for name in ("exp", "tanh") for suffix in ("_f32", "_f64")}


def _broadcast(indices, value: Value, result: Value):
    """The indices of an operand that broadcasts to the result."""
    if value.shape == result.shape:
        return indices
    own = indices[len(indices) - len(value.shape) :] if value.shape else ()
    return tuple("0" if size == 1 else index for size, index in zip(value.shape, own, strict=True))


def size_class(buffer: BufferType) -> tuple:
    return buffer.dtype, size_of(buffer.shape)
