"""A graph that runs: the NumPy plan at once, native code when it is ready."""

from __future__ import annotations

import time

import numpy as np

from .emit_numpy import Plan, emit_numpy
from .errors import Error, InvalidArgumentError
from .graph import Graph
from .lower import lower
from .program import Program

BUSY_SECONDS = 0.02  # time spent in a plan after which native code is worth compiling
BUSY_CALLS = 50


class Executable:
    """Runs a graph on NumPy arrays: `executable(*arrays)` gives a tuple of arrays.

    mode   "plan": NumPy only. "native": native code, compiled before the first result;
           InvalidArgumentError names what cannot be compiled. "auto": the plan, until native code,
           compiled in the background once the plan has cost enough, takes over.
    """

    def __init__(self, graph: Graph, mode: str = "auto"):
        from .passes.pipeline import optimize

        self.mode = mode
        self.graph = optimize(graph)
        self.program: Program = lower(self.graph)
        self.plan: Plan = emit_numpy(self.program)
        self.native = None
        self.why_not_native: str | None = None
        self._native = None  # the function that takes over from the plan
        self._waiting = mode == "auto"
        self._spent = 0.0
        self._calls = 0
        if mode == "native":
            self.compile()

    def __call__(self, *arrays):
        native = self._native
        if native is not None:
            try:
                return native(*arrays)
            except Exception as error:
                self._fail(error, arrays)
        if self._waiting:
            return self._measured(arrays)
        return self.run_plan(*arrays)

    def run_plan(self, *arrays):
        """Run on NumPy, whatever native code there is."""
        try:
            with np.errstate(all="ignore"):
                return self.plan.function(*arrays)
        except Exception as error:
            self._fail(error, arrays)

    def _measured(self, arrays):
        """Run the plan and count what it costs, to tell when compiling pays."""
        start = time.perf_counter()
        result = self.run_plan(*arrays)
        self._calls += 1
        self._spent += time.perf_counter() - start
        if self._spent > BUSY_SECONDS or self._calls > BUSY_CALLS:
            self._waiting = False
            from .native import compile_in_background

            compile_in_background(self)
        return result

    def compile(self) -> None:
        """Compile what has a native form, and let it take over; in mode "native" all has to."""
        from .native import NotNativeError, compile_program

        try:
            self.native = compile_program(self.program, whole=self.mode == "native")
        except ImportError as error:
            self.why_not_native = f"native code needs Numba: {error}"
            if self.mode == "native":
                raise InvalidArgumentError(
                    f"jit_compile=True: {self.why_not_native}", "pip install allograph[native]"
                ) from None
            return
        except NotNativeError as error:
            self.why_not_native = str(error)
            if self.mode == "native":
                raise InvalidArgumentError(
                    f"jit_compile=True: {error}", "Leave jit_compile out to run this part on NumPy."
                ).at(error.where) from None
            return
        self._native = self.native.function

    @property
    def plan_text(self) -> str:
        """The NumPy plan as Python source."""
        return self.plan.text

    def kernels(self) -> list:
        """The native kernels in use: each has `.text`, its source."""
        return [] if self.native is None else list(self.native.kernels)

    def _fail(self, error: Exception, arrays):
        """Raise what the NumPy plan says, at the user's line."""
        if self.plan.node_at(error.__traceback__) is None and self._native is not None:
            try:
                with np.errstate(all="ignore"):
                    self.plan.function(*arrays)
            except Exception as plain:
                error = plain
        node = self.plan.node_at(error.__traceback__)
        where = None if node is None else node.where
        if isinstance(error, Error):
            raise error.at(where).with_traceback(None) from None
        if node is None or node.op.name == "py_function":
            raise error
        kind = {MemoryError: MemoryError}.get(type(error), InvalidArgumentError)
        raise kind(f"{node.op.name}: {error}").at(where) from error
