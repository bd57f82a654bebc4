"""Loops written in another form than turn after turn: those that treat each element alike, whose
elements stay in registers (`register_loops.py`), and those whose turns do not depend on each other,
which threads share (`turn_parts.py`).

Either way an element goes through the same operations in the same order as in the loop as it
stands, so the results are the same to the last bit, and do not depend on the number of threads.
"""

from __future__ import annotations

from ...lowering.elementwise_loops import RegisterTiling
from ...lowering.program import Loop
from ...lowering.schedule import loop_schedule
from .host_target import host_target
from .parallel_iterations import ParallelIterationWriter
from .register_tiling import RegisterTilingWriter


class LoopWriter(RegisterTilingWriter, ParallelIterationWriter):
    """The part of the writer of native text that finds these forms."""

    def loop_in_another_form(self, step: Loop, first_state, sequential, depth: int) -> bool:
        """Write a loop whose elements, or whose turns, do not depend on each other.

        `first_state()` writes the lines that put the state before the loop into the values of its
        outputs, `in_turn(depth)` those of the loop as it stands.
        """
        schedule = loop_schedule(step, self.scalar_constants, host_target())
        if isinstance(schedule, RegisterTiling):
            first_state()
            self.register_tiles(step, schedule, depth)
            return True
        if schedule is None or self.in_region:
            return False
        self.parallel_loop(step, schedule, first_state, sequential, depth)
        return True
