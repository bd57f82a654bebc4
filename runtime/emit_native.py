"""Program -> the text of one Numba function: scalars in registers, explicit loops, native `while`.

Array values are C-contiguous buffers. A nest stores a result over an operand that dies in it, and
item assignment happens in place, where this function owns the buffer and nobody reads the old
content.
"""

from __future__ import annotations

import numpy as np

from .access import Access
from .graph import Node, Value
from .loop_nests import NestWriter, NotNativeError
from .lower import nodes_of
from .ops.rules import normal_axis
from .ops.slicing import Slot, expanded
from .program import Branch, Invoke, LibraryCall, Loop, Nest, Program


def emit_native(program: Program) -> tuple[str, list[Value], list[np.ndarray]]:
    """The text of `kernel`, its parameters (the program's inputs), and constant arrays passed
    after them.

    Raises NotNativeError naming the first operation without a native form.
    """
    return _Writer().write(program)


class _Writer(NestWriter):
    def __init__(self):
        super().__init__()
        self.constants: list[tuple[str, np.ndarray]] = []

    def write(self, program: Program):
        for value in (*program.inputs, *program.outputs):
            self.check(value)
        inputs = [self.name(value) for value in program.inputs]
        self.block(program, 1)
        results = "".join(f"{self.read(value)}, " for value in program.outputs)
        self.line(1, f"return ({results})")
        parameters = ", ".join([*inputs, *(name for name, _ in self.constants)])
        text = "\n".join([f"def kernel({parameters}):", *self.lines]) + "\n"
        return text, list(program.inputs), [array for _, array in self.constants]

    # ---- steps ---------------------------------------------------------------------------

    def block(self, program: Program, depth: int) -> None:
        last: dict[Value, int] = {}
        for index, step in enumerate(program.steps):
            for node in nodes_of(step):
                for value in node.inputs:
                    last[value] = index
        for value in program.outputs:
            last[value] = len(program.steps)
        before = len(self.lines)
        for index, step in enumerate(program.steps):
            dying = {
                value for node in nodes_of(step) for value in node.inputs if last[value] == index
            }
            self.step(step, dying, depth)
        if len(self.lines) == before:
            self.line(depth, "pass")

    def step(self, step, dying: set[Value], depth: int) -> None:
        if isinstance(step, Nest):
            self.nest(step, dying, depth)
        elif isinstance(step, LibraryCall):
            self.call(step.node, dying, depth)
        elif isinstance(step, Branch):
            self.branch(step, dying, depth)
        elif isinstance(step, Loop):
            self.loop(step, dying, depth)
        else:
            self.invoke(step, depth)

    def call(self, node: Node, dying: set[Value], depth: int) -> None:
        for value in (*node.inputs, *node.outputs):
            self.check(value, node)
        if node.op.name == "const":
            self.constant(node)
        elif node.op.name == "set_item":
            self.set_item(node, dying, depth)
        elif node.op.name in ("ensure_shape", "reshape"):
            self.reshaped(node, depth)
        elif node.op.name in ("stack", "concat"):
            self.joined(node, depth)
        elif node.op.extra.get("native") and all(
            len(value.shape) == 2 and value.dtype.numpy_dtype.kind == "f" for value in node.inputs
        ):
            operands = dict(zip(node.op.inputs, map(self.read, node.inputs), strict=True))
            self.line(
                depth, f"{self.name(node.output)} = {node.op.extra['native'].format(**operands)}"
            )
            self.owned.add(node.output)
        else:
            raise NotNativeError(f"the operation '{node.op.name}' has no native form", node.where)

    def constant(self, node: Node) -> None:
        array = node.attrs["value"]
        if array.ndim == 0:
            self.names[node.output] = self.literal(array)
            return
        name = f"c{len(self.constants) + 1}"
        self.constants.append((name, np.ascontiguousarray(array)))
        self.names[node.output] = name

    def joined(self, node: Node, depth: int) -> None:
        """`stack` and `concat`: each operand is copied to its place."""
        made, result = node.output, self.name(node.output)
        axis = normal_axis(node.attrs["axis"], len(made.shape))
        self.line(depth, f"{result} = np.empty({made.shape}, np.{made.dtype.numpy_dtype.name})")
        start = 0
        for value in node.inputs:
            indices = [f"i{place}" for place in range(len(value.shape))]
            for index, size in zip(indices, value.shape, strict=True):
                self.line(depth, f"for {index} in range({size}):")
                depth += 1
            places = list(indices)
            if node.op.name == "stack":
                places.insert(axis, str(start))
                start += 1
            else:
                places[axis] = f"{start} + {places[axis]}"
                start += value.shape[axis]
            self.line(depth, f"{result}[{', '.join(places)}] = {self.element_at(value, indices)}")
            depth -= len(indices)
        self.owned.add(made)

    def reshaped(self, node: Node, depth: int) -> None:
        """A view: buffers are contiguous."""
        given, made = node.inputs[0], node.output
        if given.shape == made.shape:
            self.names[made] = self.read(given)
        elif not made.shape:
            zeros = ", ".join("0" for _ in given.shape)
            self.line(depth, f"{self.name(made)} = {self.read(given)}[{zeros}]")
        elif not given.shape:
            self.line(depth, f"{self.name(made)} = np.full({made.shape}, {self.read(given)})")
        else:
            self.line(depth, f"{self.name(made)} = {self.read(given)}.reshape({made.shape})")

    def set_item(self, node: Node, dying: set[Value], depth: int) -> None:
        target, value, *scalars = node.inputs
        rows = expanded(node.attrs["index"], len(target.shape))
        if any(row is None or (type(row) is tuple and row != (None, None, None)) for row in rows):
            raise NotNativeError("item assignment to this kind of slice", node.where)
        made = self.name(node.output)
        if target in self.owned and target in dying:
            self.line(depth, f"{made} = {self.read(target)}")
        else:
            self.line(depth, f"{made} = {self.read(target)}.copy()")
        self.owned.add(node.output)
        access, places, loops = Access(self, target), [], []
        for axis, row in enumerate(rows):
            if type(row) is tuple:
                loops.append((f"i{axis}", target.shape[axis]))
                places.append(f"i{axis}")
            elif type(row) is Slot:
                places.append(access.index(axis, self.read(scalars[row.place])))
            else:
                places.append(access.index(axis, row))
        for variable, size in loops:
            self.line(depth, f"for {variable} in range({size}):")
            depth += 1
        own = (
            [variable for variable, _ in loops][len(loops) - len(value.shape) :]
            if value.shape
            else []
        )
        own = ["0" if size == 1 else index for index, size in zip(own, value.shape, strict=True)]
        self.line(depth, f"{made}[{', '.join(places)}] = {self.element_at(value, own)}")

    # ---- control flow --------------------------------------------------------------------

    def branch(self, step: Branch, dying: set[Value], depth: int) -> None:
        test, *operands = step.node.inputs
        outer = set(self.owned)
        for keyword, program in ((f"if {self.read(test)}:", step.then), ("else:", step.orelse)):
            self.owned = set(outer)
            self.line(depth, keyword)
            self.bind(
                program,
                operands,
                [value in dying and operands.count(value) == 1 for value in operands],
            )
            self.block(program, depth + 1)
            self.assign(step.node.outputs, program.outputs, depth + 1, owned=True)
        self.owned = outer | {value for value in step.node.outputs if value.shape}

    def bind(self, program: Program, operands, owned) -> None:
        """The inputs of an inner program are variables of this one."""
        for inner, value, may_change in zip(program.inputs, operands, owned, strict=True):
            self.names[inner] = self.read(value)
            if may_change and value in self.owned:
                self.owned.add(inner)

    def assign(self, targets, sources, depth: int, owned: bool) -> None:
        """Results of an inner program; a buffer that is not its own, or given twice, is copied."""
        taken: set[Value] = set()
        texts = []
        for value in sources:
            copied = owned and value.shape and (value not in self.owned or value in taken)
            texts.append(self.read(value) + (".copy()" if copied else ""))
            taken.add(value)
        names = [self.name(value) for value in targets]
        if names and names != texts:
            self.line(depth, f"{', '.join(names)} = {', '.join(texts)}")

    def loop(self, step: Loop, dying: set[Value], depth: int) -> None:
        node, carried = step.node, step.node.attrs["carried"]
        state, outputs = node.inputs[:carried], node.outputs
        for value in (*node.inputs, *outputs):
            self.check(value, node)
        for one, inner in zip(state, step.body.inputs, strict=False):
            if one.shape != inner.shape:
                raise NotNativeError(f"the shape of '{one.name}' changes in a loop", node.where)
        for result, value in zip(outputs, state, strict=True):
            own = value.shape and not (
                value in self.owned and value in dying and state.count(value) == 1
            )
            self.line(depth, f"{self.name(result)} = {self.read(value)}{'.copy()' if own else ''}")
        operands = [*outputs, *node.inputs[carried:]]
        outer = set(self.owned)
        self.line(depth, "while True:")
        self.bind(step.test, operands, [False] * len(operands))
        self.block(step.test, depth + 1)
        self.line(depth + 1, f"if not {self.read(step.test.outputs[0])}:")
        self.line(depth + 2, "break")
        self.owned = outer | {value for value in outputs if value.shape}
        self.bind(step.body, operands, [True] * carried + [False] * (len(operands) - carried))
        self.block(step.body, depth + 1)
        self.assign(outputs, step.body.outputs, depth + 1, owned=True)
        self.owned = outer | {value for value in outputs if value.shape}

    def invoke(self, step: Invoke, depth: int) -> None:
        self.bind(step.program, step.node.inputs, [False] * len(step.node.inputs))
        self.block(step.program, depth)
        self.assign(step.node.outputs, step.program.outputs, depth, owned=False)
