"""A graph that runs: the NumPy plan at once, native code when it is ready."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..codegen.numpy.emit_numpy import Plan, emit_numpy, node_at
from ..core.debug_output import show
from ..core.errors import Error, InvalidArgumentError, RecursionLimitError
from ..core.floating_point_state import quieten, quietly, restore
from ..ir.graph import Graph
from ..lowering.fuse_loop_nests import lower
from ..lowering.not_native import NotNativeError
from ..lowering.numpy_cost import plan_seconds
from ..lowering.program import Program
from ..passes.pipeline import optimize
from ..tensors.op_hooks import OBSERVERS, notify_run
from .background_compiler import compile_in_background
from .compile_pipeline import native_form
from .observed_plan import observed_plan
from .on_stack_replacement import running_loop
from .tiering import HotCounter

if TYPE_CHECKING:
    from .shape_specialization import Specialisations

SLOW_SECONDS = 0.15  # a plan that takes as long as this takes longer than compiling


class Executable:
    """Runs a graph on NumPy arrays: `executable(*arrays)` gives a tuple of arrays.

    mode   "plan": NumPy only. "native": native code, compiled before the first result;
           InvalidArgumentError names what cannot be compiled. "hybrid": what can be compiled is,
           before the first result. "auto": the plan, until native code, compiled in the background
           once the plan has cost enough, takes over; native code at once where the plan is slow.
    """

    def __init__(self, graph: Graph, mode: str = "auto"):
        self.mode = mode
        self.source = graph
        self.graph = optimize(graph)
        self.program: Program = lower(self.graph)
        show("program", graph.name, self.program)
        self.plan: Plan = self._plan_of(self.program)
        self.native = None
        self.why_not_native: str | None = None
        self._native = None  # the function that takes over from the plan
        self._shapes: Specialisations | None = None
        self._watched: Plan | None = None
        self._cost = HotCounter(mode == "auto")
        if mode in ("native", "hybrid"):
            self.compile()

    def __call__(self, *arrays):
        if OBSERVERS:
            return self._observed(arrays)
        native = self._native
        if native is not None:
            try:
                return native(*arrays)
            except Exception as error:
                self._fail(error, arrays)
        if self._cost.counting:
            return self._measured(arrays)
        return self.run_plan(*arrays)

    def run_plan(self, *arrays):
        """Run on NumPy, whatever native code there is."""
        token = quieten()
        try:
            return self.plan.function(*arrays)
        except Exception as error:
            self._fail(error, arrays)
        finally:
            restore(token)

    def _observed(self, arrays):
        """Run on a plan of which the active observers see every operation."""
        if self._watched is None:
            self._watched = observed_plan(self.source)
        notify_run(self.source)
        try:
            return quietly(self._watched.function, *arrays)
        except Exception as error:
            self._raise(error)

    def _measured(self, arrays):
        """Run the plan and count what it costs, to tell when compiling pays."""
        if not self._cost.calls and plan_seconds(self.program) > SLOW_SECONDS:
            self._cost.counting = False
            self.compile()
            return self(*arrays)
        return self._cost.run(self.run_plan, arrays, lambda: compile_in_background(self))

    def compile(self) -> None:
        """Compile what has a native form, and let it take over; in mode "native" all has to."""
        from .native_program import compile_program, refused  # loads the code generator: 20 ms
        from .shape_specialization import Specialisations

        form = native_form(self.graph, self.program)
        shapes = Specialisations(form.graph, self._generic(form.program), self.mode == "native")
        if shapes.is_useful:
            self._shapes, self._native = shapes, form.bind_variables(shapes)
            if self.mode == "native":  # its calls say what cannot be compiled
                return
        try:
            self.native = compile_program(form.program, whole=self.mode == "native")
        except (ImportError, NotNativeError) as error:
            self.why_not_native = str(error)
            if self.mode == "native":
                raise refused(error) from None
            return
        if self._shapes is None:
            self._native = form.bind_variables(self.native.function)

    def _plan_of(self, program: Program) -> Plan:
        return emit_numpy(program, running_loop=running_loop if self.mode == "auto" else None)

    def _generic(self, program: Program):
        """What runs for shapes that have no native code of their own."""
        plan = self.plan if program is self.program else self._plan_of(program)

        def generic(*arrays):
            if self.native is not None:
                return self.native.function(*arrays)
            return quietly(plan.function, *arrays)

        return generic

    @property
    def plan_text(self) -> str:
        """The NumPy plan as Python source."""
        return self.plan.text

    def kernels(self) -> list:
        """The native kernels in use: each has `.text`, its source."""
        programs = [self.native, *(self._shapes.natives() if self._shapes else ())]
        return [kernel for native in programs if native is not None for kernel in native.kernels]

    def _fail(self, error: Exception, arrays):
        """Raise what the NumPy plan says, at the user's line."""
        node = node_at(error.__traceback__)
        if node is None and self._native is not None and not isinstance(error, Error):
            try:  # a kernel changes nothing before it fails
                quietly(self.plan.function, *arrays)
            except Exception as plain:
                error = plain
        self._raise(error)

    def _raise(self, error: Exception):
        """Raise an error of a plan at the user's line."""
        node = node_at(error.__traceback__)
        where = None if node is None else node.where
        if isinstance(error, Error):
            where = None if error.placed else where  # a graph inside, as that of a `map`, knows it
            raise error.at(where).with_traceback(None) from None
        if node is None or node.op.runs_python:
            if where is not None and node.op.always_raises:
                error.add_note(f"in user code:\n\n{where.excerpt()}")
                raise error.with_traceback(None)
            raise error
        if isinstance(error, RecursionError):
            raise RecursionLimitError(
                f"a function calls itself deeper than Python's recursion limit, "
                f"{sys.getrecursionlimit()}, allows",
                "Raise it with sys.setrecursionlimit, or write a loop.",
                where,
            ) from None
        kind = {MemoryError: MemoryError}.get(type(error), InvalidArgumentError)
        raise kind(f"{node.op.name}: {error}").at(where) from error
