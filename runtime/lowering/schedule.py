"""Schedules and plans: what the native emitter writes down.

The schedule of a step says how its loops run. It depends on the step and the target alone. The plan
of a step has its schedule, and what depends on the steps before it, such as the buffers that are
free (`kernel_plan.py`).
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..core.classes import NamedTuple, record
from ..ir.graph import Node, Value
from ..ir.trip_counts import InductionVariable
from .buffer_assignment import Location, PlannedBuffer
from .cost_model import Chunks, Target
from .elementwise_loops import RegisterTiling, register_tiling
from .independent_iterations import ParallelIterations, parallel_iterations
from .program import Loop, Step

if TYPE_CHECKING:  # loops over scalars have no nests and no products
    from .matmul_schedule import ProductSchedule
    from .nest_schedule import NestSchedule

    Schedule = NestSchedule | RegisterTiling | ParallelIterations | ProductSchedule


# ---- plans -------------------------------------------------------------------------------------


class Elided(NamedTuple):
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
    by_step: dict[Step, StepPlan | Elided]
    results: dict[Value, Location]


class KernelPlan(NamedTuple):
    """The plan of a program as one kernel. `buffers` have numbers; `stacks` need none, since they
    grow. The results of `block` are outputs that have to be copied: rows of another array.
    `arguments` are the buffers that are donated inputs; a kernel that may fail after it has changed
    one keeps undo logs of those that are `logged`.
    """

    block: BlockPlan
    buffers: dict[int, PlannedBuffer]
    stacks: set[Value]
    arguments: dict[int, Value]
    logged: frozenset[Value]


# ---- schedules ---------------------------------------------------------------------------------


def loop_schedule(
    step: Loop, producers: dict[Value, Node], target: Target
) -> RegisterTiling | ParallelIterations | None:
    """The schedule of a loop; None where its iterations run one after another."""
    return register_tiling(step, target) or parallel_iterations(step, producers, target.shares_all)


def on_one_thread(schedule: Any) -> Any:
    """A schedule, or the blocks of one, in a parallel region, where nothing is divided any more."""
    undivided = {"chunks": None, "chunked_axis": None, "is_partial": False}
    own = undivided.keys() & set(schedule._fields)
    return schedule._replace(**{key: undivided[key] for key in own})
