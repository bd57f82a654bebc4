"""Schedules and plans: what the native emitter writes down.

The schedule of a step says how its loops run. It depends on the step and the target alone. The plan
of a step has its schedule, and what depends on the steps before it, such as the buffers that are
free (`kernel_plan.py`).
"""

from __future__ import annotations

import itertools
from dataclasses import field

from ..core.classes import NamedTuple, record
from ..ir.graph import Node, Value
from ..ir.trip_counts import InductionVariable
from .buffer_assignment import Location, PlannedBuffer
from .cost_model import HALVED_FROM, Chunks
from .elementwise_loops import RegisterTiling, register_tiling
from .independent_iterations import ParallelIterations, parallel_iterations
from .matmul_schedule import (
    LibraryBlocks,
    Tiling,
    VectorProduct,
    is_by_loops,
    is_with_itself,
    product_blocks,
    product_sizes,
)
from .nest_schedule import NestSchedule
from .program import Loop, Step
from .target import Target


class ProductSchedule(NamedTuple):
    """How a matrix product runs: in loops, by BLAS, in tiles, or as that of a matrix and a vector;
    `blocks` say how it is divided. `transposed` are the operands that are read as the transpose of
    what lies in memory.
    """

    form: str
    blocks: Tiling | VectorProduct | LibraryBlocks | None
    transposed: tuple[Value, ...]

    def on_one_thread(self) -> ProductSchedule:
        """The schedule inside of a parallel region, where nothing is divided any more."""
        return self._replace(blocks=self.blocks and self.blocks.on_one_thread())


FORMS = {Tiling: "tiles", VectorProduct: "vector"}

Schedule = NestSchedule | RegisterTiling | ParallelIterations | ProductSchedule


# ---- plans -------------------------------------------------------------------------------------


class NotMade(NamedTuple):
    """A transposed matrix that only products read: they read `source` instead."""

    source: Value


@record()
class StepPlan:
    """How one step runs: its schedule, where the arrays that it makes live, and the plans of the
    programs inside it: "then", "orelse", "test", "body", "program", and "parallel", the body of a
    loop as threads run it. `counter` is that of a loop over a range.
    """

    step: Step
    schedule: Schedule | None = None
    memory: dict[Value, Location] = field(default_factory=dict)
    inner: dict[str, BlockPlan] = field(default_factory=dict)
    counter: InductionVariable | None = None


class RowLoop(NamedTuple):
    """Steps that share the loop over the first axis of their nests.

    scalars      values with one element in each row, which are kept in registers
    temporaries  those among them that are not stored, since nothing reads them afterwards
    """

    steps: tuple[StepPlan, ...]
    trip_count: int
    chunks: Chunks | None
    scalars: tuple[Value, ...]
    temporaries: frozenset[Value]


class BlockPlan(NamedTuple):
    """The plans of the steps of a program.

    items     what is emitted, in order
    by_step   the plan of each step
    results   the values that it gives to the program around it, and where it leaves each
    """

    items: tuple[StepPlan | RowLoop, ...]
    by_step: dict[Step, StepPlan | NotMade]
    results: dict[Value, Location]

    def with_results(self, results: dict[Value, Location]) -> BlockPlan:
        return self._replace(results=results)


class KernelPlan(NamedTuple):
    """The plan of a program as one kernel. `buffers` have numbers; `stacks` need none, since they
    grow. The results of `block` are outputs that have to be copied: rows of another array.
    `arguments` are the buffers that are donated inputs.
    """

    block: BlockPlan
    buffers: dict[int, PlannedBuffer]
    stacks: set[Value]
    arguments: dict[int, Value]


# ---- schedules ---------------------------------------------------------------------------------


def loop_schedule(
    step: Loop, producers: dict[Value, Node], target: Target
) -> RegisterTiling | ParallelIterations | None:
    """The schedule of a loop; None where its iterations run one after another."""
    return register_tiling(step, target) or parallel_iterations(step, producers)


def product_schedule(node: Node, target: Target) -> ProductSchedule:
    """The schedule of a `matmul` of known shapes."""
    sizes = product_sizes(node)
    transposed = tuple(itertools.compress(node.inputs, sizes.transposed))
    if is_by_loops(sizes):
        return ProductSchedule("loops", None, transposed)
    is_by_half = is_with_itself(node) and sizes.rows > HALVED_FROM
    blocks = None if is_by_half else product_blocks(sizes, target)
    return ProductSchedule(FORMS.get(type(blocks), "BLAS"), blocks, transposed)
