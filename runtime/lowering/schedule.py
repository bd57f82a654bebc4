"""The schedule of a step: what the native emitter writes down, decided before it writes anything.

A schedule is data, found from the program and the target alone. `program_text` prints it. What
depends on the buffers that are free at a point of the kernel is decided with `buffer_assignment.py`
while it is written: which nests share a row loop, and which results take over an operand's memory.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.numpy_dtypes import is_real
from ..core.shapes import is_static
from ..ir.graph import Node, Value
from .elementwise_loops import RegisterTiling, register_tiling
from .independent_iterations import ParallelIterations, parallel_iterations
from .matmul_schedule import Tiling, is_by_loops, is_tiled, product_sizes, tiling
from .nest_schedule import NestSchedule, nest_schedule
from .not_native import NotNativeError
from .program import LibraryCall, Loop, Nest, Program, Step, nodes_of, producers_of
from .target import Target
from .transposed_operands import with_transposed_operands


class ProductSchedule(NamedTuple):
    """How a matrix product runs: in loops, by BLAS, or in tiles; `transposed` are the operands that
    are read as the transpose of what lies in memory.
    """

    form: str
    tiling: Tiling | None
    transposed: tuple[Value, ...]


class NotMade(NamedTuple):
    """A transposed matrix that only products read: they read `source` instead."""

    source: Value


Schedule = NestSchedule | RegisterTiling | ParallelIterations | ProductSchedule | NotMade


def loop_schedule(
    step: Loop, producers: dict[Value, Node], target: Target
) -> RegisterTiling | ParallelIterations | None:
    """The schedule of a loop; None where its iterations run one after another."""
    return register_tiling(step, target) or parallel_iterations(step, producers)


def product_schedule(node: Node, target: Target) -> ProductSchedule:
    """The schedule of a `matmul` of known shapes."""
    sizes = product_sizes(node)
    pairs = zip(node.inputs, sizes.turned, strict=True)
    transposed = tuple(value for value, is_turned in pairs if is_turned)
    if is_by_loops(sizes):
        return ProductSchedule("loops", None, transposed)
    if is_tiled(sizes, target):
        return ProductSchedule("tiles", tiling(sizes, target), transposed)
    return ProductSchedule("BLAS", None, transposed)


def schedules_of(program: Program, target: Target) -> dict[Step, Schedule]:
    """The schedules of the steps of a program, but for those of unknown shape, which are not
    native, and those that run as they stand.
    """
    producers = producers_of(program)
    steps = list(with_transposed_operands(program))
    products = {
        step.node.output: step.node
        for step in steps
        if isinstance(step, LibraryCall) and step.node.op.name == "matmul"
    }
    kept = {step for step in steps if isinstance(step, Nest)}
    found: dict[Step, Schedule] = {}
    for step in program.steps:
        if not all(map(_is_numeric, _values_of(step))):
            continue
        schedule: Schedule | None = None
        if isinstance(step, Nest) and step not in kept:
            schedule = NotMade(step.nodes[0].inputs[0])
        elif isinstance(step, Nest):
            schedule = _nest_schedule(step)
        elif isinstance(step, Loop):
            schedule = loop_schedule(step, producers, target)
        elif isinstance(step, LibraryCall) and step.node.op.name == "matmul":
            schedule = product_schedule(products[step.node.output], target)
        if schedule is not None:
            found[step] = schedule
    return found


def _nest_schedule(nest: Nest) -> NestSchedule | None:
    """The schedule of a nest; None for scalars, and for what has no native form."""
    try:
        return nest_schedule(nest) if nest.space.shape else None
    except NotNativeError:
        return None


def _values_of(step: Step):
    for node in nodes_of(step):
        yield from (*node.inputs, *node.outputs)


def _is_numeric(value: Value) -> bool:
    return is_static(value.shape) and is_real(value.dtype.numpy_dtype)
