"""Whole loops that threads share: turns that do not depend on each other, and turns that treat
each element alike, of which each thread does all for its own elements.

Either way an element goes through the same operations in the same order as in the loop as it
stands, so the results are the same to the last bit, and do not depend on the number of threads.
"""

from __future__ import annotations

import re

from .graph import Graph, Node, Value
from .loop_nests import NestWriter, NotNativeError
from .op import PURE
from .ops.slicing import Slot, expanded
from .parts import RAISING, SHARED_FROM, WORD, cost_of, pieces_of
from .passes.loop_products import turns_of
from .program import Branch, LibraryCall, Loop, Nest, Program, inner_programs
from .shapes import is_static, size_of

SOME_TURNS = 16  # of a loop whose number of turns is not known
SCALAR_COST = 0.5  # nanoseconds, of an operation on numbers
CALL_COST = 100.0  # of any other step
BLOCK_BYTES = 24_000  # of all arrays of a loop: they stay in the nearest cache
VARIABLE = re.compile(r"[a-z]\w*$")
# What a turn may do on a thread of its own, beside operations on elements: nothing that raises.
CALLS = {"const", "while", "if", "strided_slice", "set_item", "matmul", "reshape", "ensure_shape"}
CALLS |= {"stack", "concat", "argmax", "argmin"}
ASSIGNED = re.compile(r"^\s*([A-Za-z_][\w, ]*?) (?:[+\-*|&]?=) ", re.MULTILINE)


class LoopWriter(NestWriter):
    """The part of the writer of native text that shares loops."""

    def __init__(self):
        super().__init__()
        self.constants_made: dict[Value, Node] = {}  # of single numbers

    def loop_as_parts(self, step: Loop, outputs_of_state, depth: int) -> bool:
        """Write a loop as a part where it can be one; `outputs_of_state()` writes the lines that
        put the first state into the values of the loop's outputs.
        """
        if self.in_part:
            return False
        if is_elementwise(step):
            outputs_of_state()
            self.element_by_element(step, depth)
            return True
        turns = independent_turns(step.node, self.constants_made)
        cost = 0.0 if turns is None else turns.count * turn_cost(step.body)
        if turns is None or cost < SHARED_FROM:
            return False
        outputs_of_state()
        self.turn_by_turn(step, turns, cost, depth)
        return True

    # ---- element by element --------------------------------------------------------------

    def element_by_element(self, step: Loop, depth: int) -> None:
        """All turns for a block of elements, then those for the next one."""
        node, carried = step.node, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        arrays = dict.fromkeys(value for value in operands if value.shape)
        size = size_of(next(iter(arrays)).shape)
        width = sum(value.dtype.size for value in arrays)
        length = max(64, BLOCK_BYTES // width // 64 * 64)
        starts = [
            (value, self.read(given))
            for value, given in zip(node.outputs, node.inputs, strict=False)
            if not value.shape
        ]

        def write(at: int) -> None:
            for value, text in starts:
                self.line(at, f"{self.read(value)} = {text}")
            self.turns_of_block(step, size, at)

        def words(body: list[str]) -> dict[str, Value]:
            named = {
                self.names[value]: Value(value.dtype, (size,) if value.shape else (), "")
                for value in self.names
                if VARIABLE.match(self.names[value])
                and value.shape is not None
                and (not value.shape or size_of(value.shape) == size)
            }
            return self.words_around(body, named)

        self.divided(length, -(-size // length), write, words, depth)
        if starts:  # what the numbers are in the end
            self.turns_of_block(step, None, depth)

    def turns_of_block(self, step: Loop, size: int | None, depth: int) -> None:
        """The loop over turns, with one over elements inside, or, without a size, for the numbers
        of the state alone.
        """
        node, carried = step.node, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        self.line(depth, "while True:")
        depth += 1
        self.bind(step.test, operands, ())
        self.scalar_steps(step.test, depth)
        self.line(depth, f"if not {self.read(step.test.outputs[0])}:")
        self.line(depth + 1, "break")
        self.bind(step.body, operands, ())
        self.scalar_steps(step.body, depth)
        if size is not None:
            self.elements_of_block(step, size, depth)
        rows = [
            (self.read(value), self.read(made))
            for value, made in zip(node.outputs, step.body.outputs, strict=True)
            if not value.shape
        ]
        if rows:
            left, right = zip(*rows, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")
        if size is not None and stays_where_chosen(step):
            self.line(depth, "if changed == 0:")
            self.line(depth + 1, "break")

    def scalar_steps(self, program: Program, depth: int) -> None:
        for step in program.steps:
            if isinstance(step, LibraryCall):
                self.constant(step.node)
            elif not step.space.shape:
                self.scalars(step, depth)

    def elements_of_block(self, step: Loop, size: int, depth: int) -> None:
        """One turn for the elements of a block: everything between is in registers."""
        node, body = step.node, step.body
        settles = stays_where_chosen(step)
        if settles:
            self.line(depth, "changed = 0")
        self.is_outermost = True
        depth = self.outermost("i", size, depth)
        self.registers = {}
        for value in body.inputs:
            if value.shape:
                self.registers[value] = f"{self.read(value)}[i]"
        for nest in body.steps:
            if isinstance(nest, Nest) and nest.space.shape:
                for one in nest.nodes:
                    self.register(one, ("i",), depth)
            elif isinstance(nest, LibraryCall) and nest.node.output.shape:
                self.registers[nest.node.output] = f"{self.read(nest.node.output)}[i]"
        rows = [
            (self.read(value), self.registers[made])
            for value, made in zip(node.outputs, body.outputs, strict=True)
            if value.shape and f"{self.read(value)}[i]" != self.registers[made]
        ]
        if settles:
            for array, made in rows:
                self.line(depth, f"changed |= differ({made}, {array}[i])")
        for place, (array, made) in enumerate(rows):
            if made.endswith("]"):  # the old element of another array
                self.line(depth, f"old_{place} = {made}")
                rows[place] = (array, f"old_{place}")
        for array, made in rows:
            self.line(depth, f"{array}[i] = {made}")
        self.registers = {}

    # ---- turn by turn --------------------------------------------------------------------

    def turn_by_turn(self, step: Loop, turns, cost: float, depth: int) -> None:
        """Each thread takes some of the turns; arrays that a turn works with are its own."""
        node, carried = step.node, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        counter = node.outputs[turns.place]
        index = f"t{next(self.count)}"

        def write(at: int) -> None:
            private, self.private = self.private, None
            around = self.buffers, self.before
            self.is_outermost = True
            at = self.outermost(index, turns.count, at)
            self.split, self.in_part = None, True
            self.buffers, self.before = self.buffers.of(node.outputs), []
            self.bind(step.body, operands, node.outputs)
            own = step.body.inputs[turns.place]
            self.names[own] = f"v{next(self.count)}"
            self.line(at, f"{self.read(own)} = {self.cast(index, own.dtype)}")
            self.block(step.body, at)
            private += self.before
            private_lines.extend(private)
            for value, made in zip(node.outputs, step.body.outputs, strict=True):
                if value.shape and self.read(value) != self.read(made):
                    raise NotNativeError(f"'{value.name}' moves in a loop", node.where)
            self.buffers, self.before = around
            self.private, self.in_part = private, False

        def words(body: list[str]) -> dict[str, Value]:
            named = {
                name: value
                for value, name in self.names.items()
                if value.shape is not None and is_static(value.shape) and VARIABLE.match(name)
            }
            return self.words_around([*body, *private_lines], named)

        private_lines: list[str] = []
        self.divided(*pieces_of(cost, turns.count), write, words, depth)
        self.line(depth, f"{self.read(counter)} = {self.cast(str(turns.count), counter.dtype)}")

    def words_around(self, lines: list[str], named: dict[str, Value]) -> dict[str, Value]:
        """The variables of `named` that lines read and do not assign."""
        text = "\n".join(lines)
        assigned = {word for row in ASSIGNED.findall(text) for word in WORD.findall(row)}
        found = set(WORD.findall(text)) - assigned
        return {word: named[word] for word in sorted(found & named.keys())}


# ---- which loops -------------------------------------------------------------------------------


def is_elementwise(step: Loop) -> bool:
    """Whether each element of the carried arrays goes its own way, the same number of turns, and
    there are so many that blocks of them pay.
    """
    carried = step.node.attrs["carried"]
    shapes = {value.shape for value in step.node.inputs if value.shape != ()}
    arrays = [value for value in step.node.outputs if value.shape]
    if len(shapes) != 1 or not arrays or not is_static(arrays[0].shape):
        return False
    (shape,) = shapes
    if {value.shape for value in (*step.node.outputs, *step.body.outputs)} - {(), shape}:
        return False
    nests = [nest for nest in step.body.steps if isinstance(nest, Nest) and nest.space.shape]
    total = size_of(shape) * sum(value.dtype.size for value in step.node.inputs if value.shape)
    if total < 2 * BLOCK_BYTES or SOME_TURNS * cost_of(nests) < SHARED_FROM:
        return False
    made = {node.output for nest in nests for node in nest.nodes}
    known = made | set(step.body.inputs)
    if carried != len(step.node.outputs) or not made:
        return False
    return (
        _is_plain(step.test, ())
        and _is_plain(step.body, shape)
        and all(not value.shape or value in known for value in step.body.outputs)
    )


def _is_plain(program: Program, shape) -> bool:
    """Whether there are only constants, and operations on elements at one place that cannot
    fail.
    """
    for step in program.steps:
        if isinstance(step, LibraryCall) and step.node.op.name == "const":
            if step.node.output.shape not in ((), shape):
                return False
            continue
        if not isinstance(step, Nest):
            return False
        for node in step.nodes:
            values = (*node.inputs, node.output)
            if not node.op.scalar or node.op.reduce or "redo_if" in node.op.extra:
                return False
            if node.op.name in RAISING and node.output.dtype.is_integer:
                return False
            if any(value.shape not in ((), shape) for value in values):
                return False
    return True


def stays_where_chosen(step: Loop) -> bool:
    """Whether elements may stop changing: each turn chooses between a new one and the old one, and
    nothing but the elements themselves decides.
    """
    carried, body = step.node.attrs["carried"], step.body
    own = dict(zip(body.inputs[:carried], body.outputs, strict=False))
    made = {
        node.output: node for nest in body.steps if isinstance(nest, Nest) for node in nest.nodes
    }
    changing = {value for value in body.inputs[:carried] if not value.shape}
    chosen = False
    for nest in body.steps:
        for node in nest.nodes if isinstance(nest, Nest) else ():
            if changing.intersection(node.inputs):
                if node.output.shape:
                    return False
                changing.add(node.output)
    for value, result in own.items():
        node = made.get(result)
        if value.shape and node is not None and node.op.name == "select":
            chosen = chosen or value in node.inputs[1:]
    return chosen


def independent_turns(node: Node, made: dict[Value, Node]):
    """How often a loop runs whose turns depend on nothing but their number, and write rows of
    their own to the arrays that are carried; None for other loops.
    """
    body: Graph = node.attrs["body"]
    turns = turns_of(node, made)
    if turns is None or turns.count < 2 or not all(map(_may_share, body.walk())):
        return None
    counter, written = body.inputs[turns.place], 0
    for place, value in enumerate(body.inputs[: node.attrs["carried"]]):
        result = body.outputs[place]
        if place == turns.place or result is value:
            continue
        if not _is_own_row(body, value, result, counter):
            return None
        written += 1
    return turns if written else None


def _may_share(node: Node) -> bool:
    """Whether an operation has no effect, and cannot stop a part by an exception."""
    op = node.op
    if op.effect_of(node.attrs) is not PURE:
        return False
    if not (op.scalar or op.element or op.reduce or op.name in CALLS):
        return False
    if node.op.name in RAISING and node.output.dtype.is_integer:
        divisor = node.inputs[1].known
        return divisor is not None and node.op.name != "pow" and bool((divisor != 0).all())
    return True


def _is_own_row(body: Graph, value: Value, result: Value, counter: Value) -> bool:
    """Whether a turn sets that row of the array `value` which has its number, and does nothing
    else with it.
    """
    node = body.producers().get(result)
    if node is None or node.op.name != "set_item" or node.inputs[0] is not value:
        return False
    rows = expanded(node.attrs["index"], len(value.shape))
    first = rows[0]
    if type(first) is not Slot or node.inputs[2:][first.place] is not counter:
        return False
    if list(node.inputs).count(value) != 1 or body.outputs.count(result) != 1:
        return False
    return body.uses().get(value) == [node] and result not in body.uses()


def turn_cost(program: Program) -> float:
    """About how many nanoseconds the steps of a turn take."""
    total = 0.0
    for step in program.steps:
        if isinstance(step, Nest):
            total += cost_of([step]) if step.space.shape else SCALAR_COST * len(step.nodes)
        elif isinstance(step, Loop):
            total += SOME_TURNS * sum(map(turn_cost, inner_programs(step)))
        elif isinstance(step, Branch):
            total += max(map(turn_cost, inner_programs(step)))
        elif step.node.op.name == "const":
            continue
        else:
            total += CALL_COST if step.node.output.shape else SCALAR_COST
    return total
