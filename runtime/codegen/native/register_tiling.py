"""Loops that treat each element alike: all turns for a group of elements, which stay in registers,
then those for the next one. Threads share the groups where that pays.

An element goes through the same operations in the same order as in the loop as it stands, so the
results are the same to the last bit, however many elements a group has.
"""

from __future__ import annotations

from ...core.shapes import is_static, size_of
from ...ir.graph import Node, Value
from ...jit.cpu import vector_registers
from ...lowering.kernel_cost import SHARED_FROM, SOME_TURNS, cost_of, formula_of
from ...lowering.program import LibraryCall, Loop, Nest, Program
from .loop_nests import NestWriter
from .parallel_loops import VARIABLE

PIECE_BYTES = 24_000  # of all arrays of a loop: what a thread takes at once
LOOK_EVERY = 4  # turns: how often a group is asked whether anything changes; a power of two
# Vectors of one value, which hide how long instructions take; registers for what lives within a
# turn; operations on numbers that every group may repeat, or formulas in a turn that is short.
MOST_VECTORS, TEMPORARIES, FEW = 8, 4, 3


class RegisterWriter(NestWriter):
    """The part of the writer of native text that keeps the state of loops in registers."""

    def element_by_element(self, step: Loop, depth: int) -> None:
        """All turns for a group of elements, then those for the next one."""
        arrays = arrays_of(step)
        for one in (*step.test.steps, *step.body.steps):
            if isinstance(one, LibraryCall):
                self.constant(one.node)
        size, lanes = size_of(arrays[0].shape), lanes_of(step)
        shared = not self.in_part and pays_threads(step)
        if shared:
            self.shared_groups(step, size, lanes, depth)
        else:
            flat = {value: self.read(value) for value in arrays}
            for value in flat if len(arrays[0].shape) > 1 else ():
                flat[value] = f"{self.read(value)}_"
                self.line(depth, f"{flat[value]} = reshaped({self.read(value)}, ({size},))")
            self.line(depth, f"for start in range(0, {size}, {lanes}):")
            self.group(step, flat, lanes, depth + 1)
        if shared or stays_where_chosen(step):  # what the numbers are in the end
            self.start_of_numbers(step, depth)
            self.turns(step, {}, depth)

    def shared_groups(self, step: Loop, size: int, lanes: int, depth: int) -> None:
        """The groups in pieces, of which threads take one after another."""
        arrays = arrays_of(step)
        width = sum(value.dtype.size for value in arrays)
        length = max(1, PIECE_BYTES // width // lanes) * lanes

        def write(at: int) -> None:
            self.line(at, f"for start in range(first, min(first + {length}, {size}), {lanes}):")
            self.group(step, {value: self.read(value) for value in arrays}, lanes, at + 1)

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

    def start_of_numbers(self, step: Loop, depth: int) -> None:
        """The numbers of the state are those before the loop."""
        for value, given in zip(step.node.outputs, step.node.inputs, strict=False):
            if not value.shape:
                self.line(depth, f"{self.read(value)} = {self.read(given)}")

    def group(self, step: Loop, flat: dict[Value, str], lanes: int, depth: int) -> None:
        """All turns for the elements from `start` on; `flat` names the arrays, of rank 1."""
        self.start_of_numbers(step, depth)
        held = {value: f"e{next(self.count)}" for value in flat}
        for value, name in held.items():
            self.line(depth, f"{name} = lanes_at({flat[value]}, start, {lanes})")
        if stays_where_chosen(step):
            self.line(depth, "turns = 0")
        self.turns(step, held, depth)
        rows = zip(step.node.outputs, step.body.inputs, step.body.outputs, strict=False)
        for value, given, made in rows:
            if value.shape and made is not given:
                self.line(depth, f"lanes_put({flat[value]}, start, {held[value]})")

    def turns(self, step: Loop, held: dict[Value, str], depth: int) -> None:
        """The loop over turns. `held` are variables with elements of the arrays; without them it is
        for the numbers of the state alone.
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
        rows = [
            (self.read(value), self.read(made))
            for value, made in zip(node.outputs, step.body.outputs, strict=True)
            if not value.shape
        ]
        if held:
            rows += self.turn_of_group(step, held, depth)
        if rows:
            left, right = zip(*rows, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")

    def scalar_steps(self, program: Program, depth: int) -> None:
        for step in program.steps:
            if isinstance(step, Nest) and not step.space.shape:
                self.scalars(step, depth)

    def turn_of_group(self, step: Loop, held: dict[Value, str], depth: int):
        """One turn for a group: the variables that change, each with its next value."""
        node, body, carried = step.node, step.body, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        self.registers = dict(held)  # of constants; then what is inside has other names
        for value, inside in zip(operands, body.inputs, strict=True):
            if value.shape:
                self.registers[inside] = held[value]
        for one in elements_made(body):
            self.register(one, (), depth)
        rows = [
            (held[value], self.registers[made])
            for value, made in zip(node.outputs, body.outputs, strict=True)
            if value.shape and held[value] != self.registers[made]
        ]
        self.registers = {}
        if stays_where_chosen(step):
            pairs = ", ".join(f"{old}, {made}" for old, made in rows)
            self.line(depth, f"if turns % {LOOK_EVERY} == 0 and not lanes_differ({pairs}):")
            self.line(depth + 1, "break")
            self.line(depth, "turns += 1")
        return rows


# ---- which loops -------------------------------------------------------------------------------


def arrays_of(step: Loop) -> list[Value]:
    """The arrays of a loop: those that are carried, those from outside, and constants of the
    body.
    """
    node, carried = step.node, step.node.attrs["carried"]
    constants = [one.node.output for one in step.body.steps if isinstance(one, LibraryCall)]
    values = dict.fromkeys([*node.outputs, *node.inputs[carried:], *constants])
    return [value for value in values if value.shape]


def pays_threads(step: Loop) -> bool:
    """Whether a loop over elements does so much that threads share it."""
    total = sum(size_of(value.shape) * value.dtype.size for value in arrays_of(step))
    nests = [one for one in step.body.steps if isinstance(one, Nest) and one.space.shape]
    return total >= 2 * PIECE_BYTES and SOME_TURNS * cost_of(nests) >= SHARED_FROM


def elements_made(program: Program) -> list[Node]:
    """The nodes that make arrays."""
    nests = [one for one in program.steps if isinstance(one, Nest) and one.space.shape]
    return [node for nest in nests for node in nest.nodes]


def widest_of(step: Loop) -> int:
    """The bytes of an element of the widest array."""
    made = [node.output for node in elements_made(step.body)]
    return max(value.dtype.size for value in (*arrays_of(step), *made))


def lanes_of(step: Loop) -> int:
    """How many elements a group has: a power of two, so that their values fit in registers."""
    size, number = vector_registers()
    arrays, widest = arrays_of(step), widest_of(step)
    fitting = size * (number - TEMPORARIES) // sum(value.dtype.size for value in arrays)
    functions = sum(formula_of(node) > 0 for node in elements_made(step.body))
    most = MOST_VECTORS if functions <= FEW else MOST_VECTORS // 2  # for LLVM's sake
    lanes = min(max(fitting, size // widest), most * size // widest)
    enough = 1 << (size_of(arrays[0].shape) - 1).bit_length()
    return min(1 << (lanes.bit_length() - 1), enough)


def numbers_are_few(step: Loop) -> bool:
    """Whether what a turn does to numbers, which is done for each group, is little beside what it
    does to the elements of a group.
    """
    programs = (step.test, step.body)
    nests = [one for each in programs for one in each.steps if isinstance(one, Nest)]
    numbers = sum(len(one.nodes) for one in nests if not one.space.shape)
    vectors = max(1, lanes_of(step) * widest_of(step) // vector_registers()[0])
    return numbers <= max(FEW, vectors * len(elements_made(step.body)))


def is_elementwise(step: Loop) -> bool:
    """Whether each element of the carried arrays goes its own way, the same number of turns."""
    carried = step.node.attrs["carried"]
    shapes = {value.shape for value in step.node.inputs if value.shape != ()}
    arrays = [value for value in step.node.outputs if value.shape]
    if len(shapes) != 1 or not arrays or not is_static(arrays[0].shape):
        return False
    (shape,) = shapes
    made = {node.output for node in elements_made(step.body)}
    if size_of(shape) < 2 or carried != len(step.node.outputs) or not made:
        return False
    results = (*step.node.outputs, *step.body.outputs)
    if any(value.shape not in ((), shape) for value in results):
        return False
    known = made | set(step.body.inputs)
    return (
        _is_plain(step.test, ())
        and _is_plain(step.body, shape)
        and all(not value.shape or value in known for value in step.body.outputs)
        and numbers_are_few(step)
    )


def _is_plain(program: Program, shape) -> bool:
    """Whether there are only constants, and operations on elements at one place that cannot
    fail.
    """
    for step in program.steps:
        if isinstance(step, LibraryCall) and step.node.op.is_constant:
            if step.node.output.shape not in ((), shape):
                return False
            continue
        if not isinstance(step, Nest):
            return False
        for node in step.nodes:
            values = (*node.inputs, node.output)
            if not node.op.scalar or node.op.reduce or node.op.slow_path_if:
                return False
            if not node.is_parallel_safe:
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
