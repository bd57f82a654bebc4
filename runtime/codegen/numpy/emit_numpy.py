"""Program -> Python source of NumPy calls: ready at once, and steppable in a debugger.

Every value is a local variable `v1`, `v2`, ...; kernels and attributes are the names `k1`, `c1` of
the function's globals. `while` and `if` are Python's own.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from ...core.array_pool import is_large, large_array
from ...core.dtypes import FROM_NUMPY
from ...core.numpy_dtypes import is_numeric
from ...core.shapes import is_static, size_of
from ...ir.graph import Node, Value
from ...ir.node_properties import ufunc_of
from ...lowering.buffer_assignment import buffer_type
from ...lowering.program import Branch, Invoke, LibraryCall, Loop, Nest, Program, Step, nodes_of
from ...lowering.row_blocking import RowGroup, blocked_steps
from .numpy_plan import Plan
from .scalar_operators import has_loops, is_number, operator_expression


def emit_numpy(
    program: Program,
    kernels: Mapping[Step, Callable | None] | None = None,
    look: Callable | None = None,
    replaceable_loop: Callable | None = None,
) -> Plan:
    """The plan of a program; steps for which `kernels` has native code are calls of it.

    `look(node)` gives a function that is called after each operation, with the time when it
    began, its operands and its results. `replaceable_loop(node, outer)` gives the object that
    replaces a long loop by native code while it runs (on-stack replacement); None for a loop that
    stays.
    """
    return _Writer(kernels or {}, look, replaceable_loop).write(program)


class _Writer:
    def __init__(self, kernels: Mapping, look: Callable | None, replaceable_loop: Callable | None):
        self.kernels = kernels
        self.look = look
        self.replaceable_loop = replaceable_loop
        self.running = None  # the replaceable loop whose body is being written
        self.looks: list[Callable] = []  # kept, so that each has an identity of its own
        self.lines: list[str] = []
        self.owners: dict[int, Node] = {}
        self.names: dict[str, object] = {}
        self.locals: dict[Value, str] = {}
        self.by_rows = False
        self.destinations: dict[Value, str] = {}  # where to write what a block of rows gives
        self.count = itertools.count(1)
        self.shared: dict = {}

    def write(self, program: Program) -> Plan:
        parameters = ", ".join(self.local(value) for value in program.inputs)
        self.line(0, f"def plan({parameters}):")
        for value in filter(is_number, program.inputs) if has_loops(program) else ():
            self.line(1, f"{self.local(value)} = {self.local(value)}[()]")  # no array of rank 0
        self.block(program, 1)
        self.line(1, f"return ({''.join(self.local(value) + ', ' for value in program.outputs)})")
        return Plan("\n".join(self.lines) + "\n", self.owners, self.names)

    # ---- names ---------------------------------------------------------------------------

    def local(self, value: Value) -> str:
        if value not in self.locals:
            self.locals[value] = f"v{next(self.count)}"
        return self.locals[value]

    def named(self, prefix: str, thing) -> str:
        """A global name for a kernel or constant."""
        key = id(thing)
        if key not in self.shared:
            name = f"{prefix}{len(self.names) + 1}"
            self.names[name] = thing
            self.shared[key] = name
        return self.shared[key]

    def line(self, depth: int, source: str, node: Node | None = None) -> None:
        self.lines.append("    " * depth + source)
        if node is not None:
            self.owners[len(self.lines)] = node

    # ---- steps ---------------------------------------------------------------------------

    def block(self, program: Program, depth: int) -> None:
        before, at = len(self.lines), 0
        for item in program.steps if self.look else blocked_steps(program, self.kernels):
            end, reuse = at + 1, program.reuse
            if isinstance(item, RowGroup):
                end, reuse = at + len(item.steps), item.reuse
                self.rows(item, program, depth)
            else:
                self.step(item, program, depth)
            dead = {value for step in program.dies[at:end] for value in step}
            large = [self.local(value) for value in dead if self.is_large(value, reuse)]
            if large:
                self.line(depth, "del " + ", ".join(sorted(large)))
            at = end
        if len(self.lines) == before:
            self.line(depth, "pass")

    def rows(self, group: RowGroup, program: Program, depth: int) -> None:
        """Steps on large arrays, a block of rows after the other."""
        constants = [step for step in group.steps if isinstance(step, LibraryCall)]
        for step in constants:
            self.step(step, program, depth)
        inner = replace(program, reuse=group.reuse)
        names = {value: self.local(value) for value in (*group.sliced, *group.results)}
        for value, root in group.results.items():
            if root in group.outputs:
                self.line(depth, f"{names[value]} = {self.memory(value)}")
                self.destinations[root] = f"{names[value]}[rows]"
        self.line(depth, f"for rows in {self.named('blocks', group.blocks)}:")
        for value in sorted(group.sliced, key=names.__getitem__):
            self.line(depth + 1, f"{names[value]}_rows = {names[value]}[rows]")
        outputs = [node.output for step in group.steps for node in nodes_of(step)]
        for value in (*group.sliced, *filter(group.outputs.__contains__, outputs)):
            self.locals[value] = f"{self.local(value)}_rows"
        self.by_rows = True
        for inner_step in group.steps:
            if inner_step not in constants:
                self.step(inner_step, inner, depth + 1)
        self.by_rows = False
        for value in (*group.sliced, *group.outputs):
            self.locals.pop(value)
        self.locals |= names
        for value, root in group.results.items():
            if root not in group.outputs:
                self.line(depth, f"{names[value]} = {names[root]}")

    def memory(self, value: Value, only_large: bool = False) -> str | None:
        """An array for `value`, of any content; None for one that NumPy had better make itself."""
        wanted = buffer_type(value)
        is_array = is_numeric(value.dtype.numpy_dtype) and is_static(wanted.shape)
        if is_array and is_large(wanted):
            self.names["large_array"] = large_array
            return f"large_array({self.named('kind', wanted)})"
        return None if only_large else f"np.empty({wanted.shape}, {wanted.dtype!r})"

    def is_large(self, value: Value, reuse: dict[Value, Value]) -> bool:
        return (
            value not in reuse.values()
            and (size_of(value.shape) or 0) >= 4096
            and value in self.locals
            and self.locals[value] not in self.names  # constants stay
        )

    def step(self, step: Step, program: Program, depth: int) -> None:
        if step in self.kernels:
            if self.kernels[step] is not None:  # or that of an earlier step does it
                self.native(step, depth)
        elif isinstance(step, Nest):
            for node in step.nodes:
                self.call(node, program, depth)
        elif isinstance(step, LibraryCall):
            self.call(step.node, program, depth)
        elif isinstance(step, Branch):
            self.branch(step, depth)
        elif isinstance(step, Loop):
            self.loop(step, depth)
        else:
            self.invoke(step, depth)

    def call(self, node: Node, program: Program, depth: int) -> None:
        """One kernel call; a constant is a global, it needs no line."""
        if node.op.is_constant:
            array = node.attrs["value"]
            self.locals[node.output] = self.named(
                "c", array if array.ndim or array.dtype == object else array[()]
            )
            return
        operator = None if self.kernels or self.look else operator_expression(node)
        if operator is not None:  # beside kernels they would warn of integers that wrap around
            named = dict(zip(node.op.inputs, map(self.local, node.inputs), strict=True))
            self.line(depth, f"{self.local(node.output)} = {operator.format(**named)}", node)
            return
        call = self.call_source(node, program)
        names = ", ".join(self.local(value) for value in node.outputs)
        if self.look:
            self.line(depth, f"start = {self.named('clock', time.perf_counter)}()")
        if not node.outputs:
            self.line(depth, call, node)
        elif node.outputs[0] in self.destinations and ufunc_of(node) is None:
            self.line(depth, f"{names} = {self.destinations[node.outputs[0]]}")
            self.line(depth, f"{names}[...] = {call}", node)
        else:
            several = len(node.outputs) > 1 or (ufunc_of(node) is None and _gives_tuple(node))
            self.line(
                depth, f"{names}{',' if several and len(node.outputs) == 1 else ''} = {call}", node
            )
        if self.look:
            self.look_at(node, depth)

    def call_source(self, node: Node, program: Program) -> str:
        """A call of the node's kernel, with the attributes and where to write the result."""
        operands = [self.local(value) for value in node.inputs]
        for key, attribute in node.attrs.items():
            if key != node.op.callee_attribute:
                operands.append(f"{key}={self.attribute(attribute)}")
        target = program.reuse.get(node.outputs[0]) if node.outputs and not self.look else None
        in_place = None if target is None else node.op.in_place
        if in_place is not None:
            return f"{self.named('k', in_place)}({', '.join(operands)})"
        destination = self.local(target) if target is not None else self.destination(node)
        if destination is not None:
            operands.append(f"out={destination}")
        return f"{self.kernel(node)}({', '.join(operands)})"

    def destination(self, node: Node) -> str | None:
        """Where a function of NumPy writes a result that takes over no operand's memory."""
        if ufunc_of(node) is None or self.look:
            return None
        if self.by_rows:
            return self.destinations.get(node.output)
        return self.memory(node.output, only_large=True)

    def look_at(self, node: Node, depth: int) -> None:
        """A line that shows the operands and results of a node to its observer."""
        rows = (
            "".join(self.local(item) + ", " for item in row) for row in (node.inputs, node.outputs)
        )
        operands, results = rows
        assert self.look is not None
        look = self.look(node)
        self.looks.append(look)
        self.line(depth, f"{self.named('look', look)}(start, ({operands}), ({results}))", node)

    def kernel(self, node: Node) -> str:
        bound = node.op.callee_attribute
        if bound is not None:
            return self.named("k", node.attrs[bound].function)
        kernel = ufunc_of(node) or node.op.kernel
        if isinstance(kernel, np.ufunc) and getattr(np, kernel.__name__, None) is kernel:
            if all(value.dtype.name != "string" for value in node.inputs):
                return f"np.{kernel.__name__}"
            return self.named("k", partial(_for_strings, kernel))
        if "axis" in node.attrs and any(value.shape is None for value in node.inputs):
            kernel = _with_rank_checked(kernel, node)
        return self.named("k", kernel)

    def attribute(self, value) -> str:
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        return self.named("c", value)

    def native(self, step: Step, depth: int) -> None:
        kernel = self.kernels[step]
        operands = ", ".join(self.local(value) for value in kernel.inputs)
        names = "".join(self.local(value) + ", " for value in kernel.outputs)
        node = step.nodes[0] if isinstance(step, Nest) else step.node
        left = f"{names}= " if names else ""  # a step of checks gives nothing
        self.line(depth, f"{left}{self.named('k', kernel)}({operands})", node)

    def branch(self, step: Branch, depth: int) -> None:
        test, *operands = (self.local(value) for value in step.node.inputs)
        for keyword, program in ((f"if {test}:", step.then), ("else:", step.orelse)):
            self.line(depth, keyword, step.node)
            self.bind(program, operands)
            self.block(program, depth + 1)
            self.assign(step.node.outputs, program.outputs, depth + 1)

    def loop(self, step: Loop, depth: int) -> None:
        carried = step.node.attrs["carried"]
        operands = [self.local(value) for value in step.node.inputs]
        state = [self.local(value) for value in step.node.outputs]
        if carried:
            own = set(step.body.reuse.values())
            starts = [
                f"{source}.copy()" if value in own else source
                for source, value in zip(operands, step.body.inputs[:carried], strict=False)
            ]
            self.line(depth, f"{', '.join(state)} = {', '.join(starts)}", step.node)
        names = [*state, *operands[carried:]]
        outer = self.running
        replaceable = self.replaceable_loop and self.replaceable_loop(step.node, outer)
        if replaceable is not None:
            self.running = replaceable
            iterations = f"{self.named('loop', replaceable)}.iterations({', '.join(names)})"
            self.line(depth, f"for _ in {iterations}:", step.node)
        else:
            self.line(depth, "while True:", step.node)
        self.bind(step.test, names)
        self.block(step.test, depth + 1)
        self.line(depth + 1, f"if not {self.local(step.test.outputs[0])}:")
        self.line(depth + 2, "break")
        self.bind(step.body, names)
        self.block(step.body, depth + 1)
        self.assign(step.node.outputs, step.body.outputs, depth + 1)
        if replaceable is not None:
            rest = f"{self.named('loop', replaceable)}.continuation({', '.join(names)})"
            left = f"{', '.join(state)}, = " if state else ""
            self.line(depth, "else:")
            self.line(depth + 1, left + rest, step.node)
            self.running = outer

    def invoke(self, step: Invoke, depth: int) -> None:
        self.bind(step.program, [self.local(value) for value in step.node.inputs])
        self.block(step.program, depth)
        self.assign(step.node.outputs, step.program.outputs, depth)

    def bind(self, program: Program, names: list[str]) -> None:
        """The inputs of an inner program are variables of the outer one."""
        for value, name in zip(program.inputs, names, strict=True):
            self.locals[value] = name

    def assign(self, targets, sources, depth: int) -> None:
        if targets:
            left = ", ".join(self.local(value) for value in targets)
            right = ", ".join(self.local(value) for value in sources)
            if left != right:
                self.line(depth, f"{left} = {right}")


def _gives_tuple(node: Node) -> bool:
    """Whether the kernel of a node with one output still returns a tuple (variable numbers do)."""
    specs = node.op.result(*node.inputs, **node.attrs)
    return not hasattr(specs, "dtype")


@cache
def _with_rank_checked(kernel: Callable, node: Node) -> Callable:
    """A kernel for operands whose ranks tracing did not know: the result rule looks for the axis,
    which NumPy does not for scalars.
    """

    def call(*arrays, **options):
        values = [
            Value(FROM_NUMPY[rows.dtype], rows.shape, "", rows) for rows in map(np.asarray, arrays)
        ]
        node.op.result_of(values, node.attrs)
        return kernel(*arrays, **options)

    return call


def _for_strings(kernel: np.ufunc, /, *arrays):
    """A ufunc on arrays of strings, whose rank-0 results NumPy gives as bare Python objects."""
    result = kernel(*arrays)
    return result if hasattr(result, "dtype") else np.array(result, object)
