"""Cost model: what operations cost, and estimates made of that. Thresholds that estimates are
compared with are in `core/thresholds.py`.

Times are nanoseconds on one thread, and of the right order only: kernels of one operation take
between half and five times as long on an x86-64 processor. None of these constants changes a
result: they decide which of several equivalent forms is generated.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.shapes import is_static
from ..ir.graph import Graph, Node, Value, elements_of
from ..ir.indexing import Slot
from ..ir.op import TABLE
from ..ir.trip_counts import induction_variable_of
from .program import Branch, Loop, Nest, Program, inner_programs, producers_of


class Target(NamedTuple):
    """A processor, as far as schedules depend on it: vector registers and cores.

    The default is what a printed schedule shows where no processor is named: x86-64 with AVX2.
    """

    vector_bytes: int = 32
    vector_registers: int = 16
    cores: int = 2
    tile_rows: int = 6  # of a register tile of a matrix product
    tile_bytes: int = 64  # of a row of such a tile: two vectors
    shares_all: bool = False  # threads share independent iterations, however short they are

    @property
    def shortest_tile(self) -> int:
        """The rows of the shortest tile: the last rows of a matrix are that many, or twice."""
        return self.tile_rows // 3

    def tile_columns(self, item_bytes: int) -> int:
        """The columns of a register tile of a matrix product."""
        return self.tile_bytes // item_bytes


# ---- what operations cost ----------------------------------------------------------------------

# Nanoseconds for an element of four bytes: operations that become vector instructions, formulas
# (exp, sin), long formulas (tanh, erf), and reads at computed indices.
INSTRUCTION, FORMULA, LONG_FORMULA, GATHER = 0.05, 0.25, 0.5, 0.5
MEMORY_BYTES = 40.0  # bytes a nanosecond, of arrays in a cache; main memory gives about 10
SCALAR_COST = 0.5  # nanoseconds, of an operation on scalars
CALL_COST = 100.0  # nanoseconds, of a step that is neither a nest nor control flow; a guess
ASSUMED_TRIP_COUNT = 16  # iterations, of a loop whose trip count is unknown; a guess
PRODUCT_BYTES = 160.0  # bytes of factors a nanosecond, that a tiled product multiplies and adds
COPY_BYTES = 10.0  # bytes a nanosecond, of arrays that are copied with padding
WINDOW_ELEMENT = 0.3  # nanoseconds for an element of a window: pooling, depthwise convolution
SCAN_ELEMENT = 1.0  # nanoseconds for an element that waits for the one before it: running sums
SORTED_ELEMENT, COMPARED_ELEMENT = 12.0, 2.0  # nanoseconds for an element sorted, or compared

# Assumed of a loop whose trip count is computed when it starts. Such a loop is emitted in two
# versions, for threads and for few iterations.
ASSUMED_PARALLEL_TRIP_COUNT = 100_000

# Of loop distribution.
INSTRUCTIONS_A_CYCLE = 2  # vector instructions
INSTRUCTION_WINDOW = 150  # vector instructions whose results registers have room for
HANDING_ON = 2  # cycles that it takes to store a value for a later loop, and load it there
LINE_CYCLES = 9  # that a vector takes from or to main memory
CACHED_BYTES = 1 << 19  # of arrays that are taken to be in a cache

# Of products of matrices.
MATRIX_BYTES = 20.0  # bytes a nanosecond, of a matrix that is multiplied by a vector
PACKED = 12  # rows, or columns, whose products are taken to cost what packing the other matrix does
MATRIX_CALL, MATRIX_FLOP = 1_000, 0.4  # nanoseconds of a routine of LAPACK, and of each operation

# Of the NumPy program: nanoseconds for four bytes of the result, of an operation on a whole array,
# on a block of rows, and what formulas take besides; estimates.
WHOLE_ARRAY, ROW_BLOCK, NUMPY_FORMULA = 0.7, 0.15, 0.35
SCIPY_ELEMENT = 12.0  # nanoseconds for an element, of SciPy's functions
LOADING_SECONDS = 0.14  # until SciPy is imported

FORMULAS = {
    "exp", "exp2", "log2", "sin", "cos", "tan", "sqrt", "rsqrt", "hypot", "divide", "asin", "acos",
    "atan", "atan2", "sinh", "cosh",
}  # fmt: skip
LONG_FORMULAS = {
    "expm1", "log", "log1p", "tanh", "sigmoid", "softplus", "erf", "erfc", "power", "lgamma",
    "digamma", "asinh", "acosh", "atanh",
}  # fmt: skip
DIVISIONS = {"sqrt", "rsqrt", "divide"}
# For one number, these formulas take up to 2.5 times as long as the C library.
SLOW_ALONE = {"power", "asin", "acos", "asinh", "acosh", "atanh", "erf", "erfc"}


class ChainStep(NamedTuple):
    """What an operation is in a chain: cycles from operand to result, and vector instructions."""

    latency: int
    instructions: int


# Of instructions, formulas and long formulas, on an x86-64 processor.
CHAIN_STEPS = ChainStep(4, 1), ChainStep(50, 15), ChainStep(75, 30)  # by `formula_length`
DIVISION = ChainStep(14, 1)


class Chunks(NamedTuple):
    """How a parallel loop is divided: `number` chunks of `length` iterations, the last shorter."""

    length: int
    number: int


def chunks_of(nanoseconds: float, trip_count: int) -> Chunks:
    """How a loop that takes so long is divided for threads."""
    count = min(int(nanoseconds / thresholds.CHUNK_COST), thresholds.MOST_CHUNKS, trip_count)
    length = -(-trip_count // max(count, 1))
    if length > thresholds.CHUNK_ALIGNMENT:
        length = -(-length // thresholds.CHUNK_ALIGNMENT) * thresholds.CHUNK_ALIGNMENT
    return Chunks(length, -(-trip_count // length))


def nest_cost(nests: Iterable[Nest]) -> float:
    """About how many nanoseconds these loops take on one thread."""
    total = 0.0
    for nest in nests:
        elements = elements_of(nest.space)
        arrays = {value for node in nest.nodes for value in (*node.inputs, node.output)}
        inner = {node.output for node in nest.nodes} - set(nest.stores)
        known = (value for value in arrays - inner if is_static(value.shape))
        moved = sum(elements_of(value) * value.dtype.size for value in known)
        total += moved / MEMORY_BYTES + elements * sum(map(_element_cost, nest.nodes))
    return total


def _element_cost(node: Node) -> float:
    if node.op.element is not None and not node.op.reads_lines:
        return GATHER
    cost = (INSTRUCTION, FORMULA, LONG_FORMULA)[formula_length(node)]
    return cost * max(node.output.dtype.size, 4) / 4


def formula_length(node: Node) -> int:
    """What an element takes: 0 for an instruction or two, 1 for a formula, 2 for a long one."""
    return _length_and_step(node.op.scalar)[0]


def chain_step(node: Node) -> ChainStep:
    """What a node is in a chain of operations."""
    return _length_and_step(node.op.scalar)[1]


def is_slow_alone(node: Node) -> bool:
    """Whether the C library computes one number in less time than a formula does."""
    return not SLOW_ALONE.isdisjoint(functions_in(node.op.scalar))


def functions_in(scalar) -> frozenset[str]:
    """The names of the functions that a scalar form calls."""
    return _calls_in(scalar)[1] if type(scalar) is str else frozenset()


@functools.cache
def _calls_in(scalar: str) -> tuple[str | None, frozenset[str]]:
    """The function that a scalar form is a call of, if it is one, and all that it calls."""
    from ..kernel_ir.nodes import Call, walk  # which NumPy programs of few elements do without
    from ..kernel_ir.reader import form

    own = form(scalar)
    names = frozenset(part.name for part in walk([own]) if isinstance(part, Call))
    return own.name if isinstance(own, Call) else None, names


@functools.cache
def _length_and_step(scalar) -> tuple[int, ChainStep]:
    """Those of a scalar form. Loop distribution asks for each node once for each way to cut."""
    if type(scalar) is not str:
        return 0, CHAIN_STEPS[0]
    own, called = _calls_in(scalar)
    length = 2 if called & LONG_FORMULAS else 1 if called & FORMULAS else 0
    return length, DIVISION if own in DIVISIONS else CHAIN_STEPS[length]


def iteration_cost(program: Program) -> float:
    """About how many nanoseconds one iteration of a loop over these steps takes."""
    total = 0.0
    for step in program.steps:
        if isinstance(step, Nest):
            is_scalar = not step.space.shape
            total += SCALAR_COST * len(step.nodes) if is_scalar else nest_cost([step])
        elif isinstance(step, Loop):
            induction = induction_variable_of(step.node, producers_of(program))
            known = None if induction is None else induction.trip_count
            count = ASSUMED_TRIP_COUNT if known is None else known
            body, carried = step.node.attrs["body"], step.node.attrs["carried"]
            cost = None if induction is None else vectorized_cost(body, induction.position, carried)
            each = sum(map(iteration_cost, inner_programs(step))) if cost is None else cost
            total += count * each
        elif isinstance(step, Branch):
            total += max(map(iteration_cost, inner_programs(step)))
        elif step.node.op.is_constant:
            continue
        else:
            total += _call_cost(step.node)
    return total


def _call_cost(node: Node) -> float:
    """About how many nanoseconds a step takes that is neither a nest nor control flow."""
    shapes = [value.shape for value in (*node.outputs, *node.inputs)]
    count = node.op.flops(*shapes) if node.op.flops and all(map(is_static, shapes)) else None
    least = CALL_COST if any(value.shape for value in node.outputs) else SCALAR_COST
    sizes = [value.dtype.size for value in node.outputs]
    return max(least, *((count or 0) / 2 * size / PRODUCT_BYTES for size in sizes), 0.0)


# ---- iterations in vectors -----------------------------------------------------------------------

UNIFORM, UNIT, VARYING = "uniform", "unit", "varying"  # how a number changes with the iteration


def carries_floats(body: Graph, carried: int) -> bool:
    """Whether iterations hand numbers on, which are added up one after the other."""
    return any(value.shape == () and value.dtype.is_floating for value in body.inputs[:carried])


def vectorized_cost(body: Graph, counter: int, carried: int) -> float | None:
    """About how many nanoseconds an iteration takes where LLVM makes vectors of a loop; else None.

    Such a loop computes with numbers, and reads and writes elements beside each other.

    `counter` is the index of the counter among the first `carried` inputs, which iterations change.
    """
    if carries_floats(body, carried):
        return None
    strides = [VARYING if at < carried else UNIFORM for at in range(len(body.inputs))]
    strides[counter] = UNIT
    return _vectorized_cost(body, strides)


def _vectorized_cost(graph: Graph, of_inputs: list[str]) -> float | None:
    strides, total = dict(zip(graph.inputs, of_inputs, strict=True)), 0.0
    for node in graph.nodes:
        moves = [strides[value] for value in node.inputs]
        strides.update(dict.fromkeys(node.outputs, _stride(node, moves)))
        if node.op is TABLE["if"]:
            costs = [_vectorized_cost(side, moves[1:]) for side in node.subgraphs.values()]
        else:
            costs = [_cost_in_vectors(node, moves)]
        for cost in costs:
            if cost is None:
                return None
            total += cost
    return total


def _stride(node: Node, moves: list[str]) -> str:
    if node.op.is_constant or all(stride == UNIFORM for stride in moves):
        return UNIFORM
    moved = [UNIT, UNIFORM]
    is_sum = node.op is TABLE["add"] and moves in (moved, moved[::-1])
    return UNIT if is_sum or (node.op is TABLE["subtract"] and moves == moved) else VARYING


def _cost_in_vectors(node: Node, operand_strides: list[str]) -> float | None:
    if node.op.is_constant:
        return 0.0
    if node.op in (TABLE["strided_slice"], TABLE["set_item"]):
        value = node.inputs[1] if node.op is TABLE["set_item"] else node.output
        is_beside = _are_beside(node.attrs["index"], operand_strides[len(node.op.inputs) - 1 :])
        return _cost_of_lane(value) if value.shape == () and is_beside else None
    if node.op.scalar is None or node.output.shape != ():
        return None
    # LLVM has no vectors for these.
    is_scalar = node.op in (TABLE["floor_divide"], TABLE["floor_mod"], TABLE["pow"])
    return None if is_scalar or formula_length(node) else _cost_of_lane(node.output)


def _are_beside(index: tuple, slots: list[str]) -> bool:
    """Whether the elements at an index are one, or lie beside each other along the last axis."""
    strides = [slots[entry.position] if type(entry) is Slot else UNIFORM for entry in index]
    is_plain = all(type(entry) in (int, Slot) for entry in index)
    return is_plain and VARYING not in strides and UNIT not in strides[:-1]


def _cost_of_lane(value: Value) -> float:
    return INSTRUCTION * max(value.dtype.size, 4) / 4
