"""Whole loops that threads share: turns that do not depend on each other, and turns that treat
each element alike, of which each thread does all for its own elements (register_loops).

Either way an element goes through the same operations in the same order as in the loop as it
stands, so the results are the same to the last bit, and do not depend on the number of threads.
"""

from __future__ import annotations

from .graph import Graph, Node, Value
from .loop_nests import NotNativeError
from .op import PURE
from .ops.slicing import Slot, expanded
from .parts import RAISING, SHARED_FROM, VARIABLE, cost_of, pieces_of
from .passes.loop_products import turns_of
from .program import Branch, Loop, Nest, Program, inner_programs
from .register_loops import SOME_TURNS, RegisterWriter, is_elementwise
from .shapes import is_static

SCALAR_COST = 0.5  # nanoseconds, of an operation on numbers
CALL_COST = 100.0  # of any other step
# What a turn may do on a thread of its own, beside operations on elements: nothing that raises.
CALLS = {"const", "while", "if", "strided_slice", "set_item", "matmul", "reshape", "ensure_shape"}
CALLS |= {"stack", "concat", "argmax", "argmin"}


class LoopWriter(RegisterWriter):
    """The part of the writer of native text that shares loops."""

    def __init__(self):
        super().__init__()
        self.constants_made: dict[Value, Node] = {}  # of single numbers

    def loop_as_parts(self, step: Loop, outputs_of_state, depth: int) -> bool:
        """Write a loop whose elements, or whose turns, do not depend on each other;
        `outputs_of_state()` writes the lines that put the first state into the values of the loop's
        outputs.
        """
        if is_elementwise(step):
            outputs_of_state()
            self.element_by_element(step, depth)
            return True
        if self.in_part:
            return False
        turns = independent_turns(step.node, self.constants_made)
        cost = 0.0 if turns is None else turns.count * turn_cost(step.body)
        if turns is None or cost < SHARED_FROM:
            return False
        outputs_of_state()
        self.turn_by_turn(step, turns, cost, depth)
        return True

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


# ---- which loops -------------------------------------------------------------------------------


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
