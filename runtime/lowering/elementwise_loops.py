"""Loops that treat each element alike: all iterations for a tile of elements, which stay in vector
registers, then those for the next tile. Threads share the tiles where that pays.

An element goes through the same operations in the same order as in the sequential loop, so results
are the same to the last bit, whatever the width of a tile.
"""

from __future__ import annotations

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.shapes import is_static
from ..ir.graph import Node, Value, elements_of
from . import cost_model
from .cost_model import Chunks, Target, formula_length, functions_in, nest_cost
from .program import LibraryCall, Loop, Nest, Program

IN_STEPS = {"digamma", "log_add_exp"}  # functions that compute an element with branches


class RegisterTiling(NamedTuple):
    """The schedule of such a loop.

    arrays       that are carried, come from outside, or are constants of the body
    width        elements of a tile, a power of two
    chunks       in elements, where threads share the tiles
    stops_early  a tile whose elements do not change any more is done
    """

    arrays: tuple[Value, ...]
    width: int
    chunks: Chunks | None
    stops_early: bool


def register_tiling(step: Loop, target: Target) -> RegisterTiling | None:
    """The schedule of a loop that treats each element alike; None for other loops."""
    if not target.vector_registers or not _is_elementwise(step):
        return None
    arrays = _arrays_of(step)
    width = _tile_width(step, arrays, target)
    if not _scalars_are_few(step, width, arrays, target):
        return None
    return RegisterTiling(arrays, width, _chunks(step, arrays, width), _stops_changing(step))


def array_nodes(program: Program) -> list[Node]:
    """The nodes that make arrays."""
    nests = [step for step in program.steps if isinstance(step, Nest) and step.space.shape]
    return [node for nest in nests for node in nest.nodes]


def _arrays_of(step: Loop) -> tuple[Value, ...]:
    node, carried = step.node, step.node.attrs["carried"]
    constants = [inner.node.output for inner in step.body.steps if isinstance(inner, LibraryCall)]
    values = dict.fromkeys([*node.outputs, *node.inputs[carried:], *constants])
    return tuple(value for value in values if value.shape)


def _chunks(step: Loop, arrays: tuple[Value, ...], width: int) -> Chunks | None:
    """How threads share the tiles, if the loop does so much that this pays."""
    total = sum(elements_of(value) * value.dtype.size for value in arrays)
    nests = [inner for inner in step.body.steps if isinstance(inner, Nest) and inner.space.shape]
    cost = cost_model.ASSUMED_TRIP_COUNT * nest_cost(nests)
    if total < 2 * thresholds.TILE_CHUNK_BYTES or cost < thresholds.PARALLEL_FROM:
        return None
    item_bytes, size = sum(value.dtype.size for value in arrays), elements_of(arrays[0])
    length = max(1, thresholds.TILE_CHUNK_BYTES // item_bytes // width) * width
    return Chunks(length, -(-size // length))


def _widest(step: Loop, arrays: tuple[Value, ...]) -> int:
    """The bytes of an element of the widest array."""
    computed = [node.output for node in array_nodes(step.body)]
    return max(value.dtype.size for value in (*arrays, *computed))


def _tile_width(step: Loop, arrays: tuple[Value, ...], target: Target) -> int:
    """How many elements a tile has: a power of two, so that their values fit in registers."""
    size, number = target.vector_bytes, target.vector_registers
    widest = _widest(step, arrays)
    registers = number - thresholds.TEMPORARY_REGISTERS
    fitting = size * registers // sum(value.dtype.size for value in arrays)
    formulas = sum(formula_length(node) > 0 for node in array_nodes(step.body))
    is_short = formulas <= thresholds.FEW_SCALARS
    most = thresholds.MOST_VECTORS // (1 if is_short else 2)  # long bodies take LLVM too long
    width = min(max(fitting, size // widest), most * size // widest)
    enough = 1 << (elements_of(arrays[0]) - 1).bit_length()
    return min(1 << (width.bit_length() - 1), enough)


def _scalars_are_few(step: Loop, width: int, arrays: tuple[Value, ...], target: Target) -> bool:
    """Whether the scalar work of an iteration, which is repeated for each tile, is little beside
    what it does to the elements of a tile.
    """
    programs = (step.test, step.body)
    nests = [inner for each in programs for inner in each.steps if isinstance(inner, Nest)]
    scalars = sum(len(inner.nodes) for inner in nests if not inner.space.shape)
    vectors = max(1, width * _widest(step, arrays) // target.vector_bytes)
    return scalars <= max(thresholds.FEW_SCALARS, vectors * len(array_nodes(step.body)))


def _is_elementwise(step: Loop) -> bool:
    """Whether each element of the carried arrays goes its own way, the same number of
    iterations.
    """
    carried = step.node.attrs["carried"]
    shapes = {value.shape for value in step.node.inputs if value.shape != ()}
    arrays = [value for value in step.node.outputs if value.shape]
    if len(shapes) != 1 or not arrays or not is_static(arrays[0].shape):
        return False
    (shape,) = shapes
    computed = {node.output for node in array_nodes(step.body)}
    if elements_of(arrays[0]) < 2 or carried != len(step.node.outputs) or not computed:
        return False
    results = (*step.node.outputs, *step.body.outputs)
    if any(value.shape not in ((), shape) for value in results):
        return False
    held = computed | set(step.body.inputs)
    return (
        _is_plain(step.test, ())
        and _is_plain(step.body, shape)
        and all(not value.shape or value in held for value in step.body.outputs)
    )


def _is_plain(program: Program, shape) -> bool:
    """Whether there are only constants, and elementwise operations of vectors that cannot fail."""
    constants = [each for each in program.steps if isinstance(each, LibraryCall)]
    nests = [each for each in program.steps if isinstance(each, Nest)]
    nodes = [*(step.node for step in constants), *(node for nest in nests for node in nest.nodes)]
    values = (value for node in nodes for value in (*node.inputs, *node.outputs))
    return (
        len(constants) + len(nests) == len(program.steps)
        and all(step.node.op.is_constant for step in constants)
        and all(_is_of_vectors(node) for nest in nests for node in nest.nodes)
        and all(value.shape in ((), shape) for value in values)
    )


def _is_of_vectors(node: Node) -> bool:
    """Whether the native form takes vectors, whose elements may not differ in a branch."""
    if not node.op.scalar or node.op.reduce or node.op.slow_path_beyond or node.may_raise:
        return False
    branching = IN_STEPS if node.output.dtype.is_floating else {*IN_STEPS, "power"}
    return branching.isdisjoint(functions_in(node.op.scalar))


def _stops_changing(step: Loop) -> bool:
    """Whether elements may stop changing: each iteration selects a new one or the old one, and
    nothing but the elements themselves decides.
    """
    carried, body = step.node.attrs["carried"], step.body
    nodes = [node for nest in body.steps if isinstance(nest, Nest) for node in nest.nodes]
    changing = {value for value in body.inputs[:carried] if not value.shape}
    for node in nodes:
        if changing.intersection(node.inputs):
            if node.output.shape:
                return False
            changing.add(node.output)
    producers = {node.output: node for node in nodes}
    for value, result in zip(body.inputs[:carried], body.outputs, strict=False):
        choice = producers.get(result)
        if choice is None or choice.op.name != "select":
            continue
        if value.shape and value in choice.inputs[1:]:
            return True
    return False
