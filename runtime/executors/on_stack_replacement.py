"""On-stack replacement: a loop starts in a NumPy program, and native code continues it.

At the head of a loop its carried values are its whole state. The remaining iterations are a graph
of these values, the *continuation* of the loop. Once the loop has cost enough, its continuation is
compiled in the background, and takes over between two iterations. A first call that would take
minutes on NumPy takes seconds.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ..codegen.numpy.emit_numpy import emit_numpy
from ..codegen.numpy.numpy_plan import Plan
from ..core.floating_point_state import call_in_errstate
from ..core.locks import Event
from ..ir.graph import Graph, Node, Value
from ..ir.node_properties import is_static_graph
from ..ir.op import TABLE
from ..ir.trip_counts import induction_variable_of
from ..jit.backends import backend, compiling_with
from ..lowering.buffer_assignment import may_grow
from ..lowering.fuse_loop_nests import lower
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import specialise_shapes
from .kernel_calls import with_fallback
from .tiering import LOOPS, compile_in_background


class ReplaceableLoop:
    """One loop of a NumPy program, which asks at each iteration whether its continuation is ready.

    node    the `While`
    outer   the loop around it. That one is compiled first, and this one only where an iteration of
            the outer one takes long, or has no native form.

        for _ in loop.iterations(*state, *invariants): ...; break when the test fails
        else: state = loop.continuation(*state, *invariants)

    Where the graph has unknown dimensions, each set of shapes has a continuation of its own.
    """

    def __init__(
        self, node: Node, outer: ReplaceableLoop | None = None, compiler: str | None = None
    ):
        self.node = node
        self.compiler = compiler
        self.outer = outer
        self.is_static = is_static_graph(continuation_of(node))
        self.growing = growing_state(node)
        self.induction = None if outer else induction_variable_of(node, {})
        operations = sum(1 for _ in node.attrs["body"].walk())
        self.compile_seconds = LOOPS.compile_seconds + LOOPS.compile_seconds_each * operations
        self.continuations: dict[tuple, _Continuation] = {}

    def iterations(self, *operands) -> Iterator[None]:
        """An item for each iteration on NumPy. It ends when `continuation` can take over."""
        continuation = self.at(self.shapes_of(operands))
        if continuation is None:
            return itertools.repeat(None)
        runs = continuation.runs(self.trip_count(operands))
        return itertools.chain.from_iterable(runs)

    def trip_count(self, operands: tuple) -> float:
        """An upper bound of the number of iterations; infinity where it is unknown."""
        if self.induction is None:
            return math.inf
        start, limit, inputs = (
            operands[self.induction.position],
            self.induction.limit,
            self.node.inputs,
        )
        if not isinstance(limit, int):
            limit = int(operands[inputs.index(limit)])
        count = self.induction._replace(start=int(start), limit=limit).trip_count
        return math.inf if count is None else count

    def continuation(self, *operands) -> tuple:
        """The state after all remaining iterations."""
        continuation = self.continuations.get(self.shapes_of(operands))
        if continuation is None or continuation.function is None:  # the shapes have changed since
            return call_in_errstate(numpy_program(continuation_of(self.node)).function, *operands)
        return continuation.function(*operands)

    def shapes_of(self, operands: tuple) -> tuple:
        """The key of a continuation: the shapes, but for the number of rows of arrays that grow.
        The lists on which gradients save values have no shapes.
        """
        if self.is_static:
            return ()
        shapes = [getattr(operand, "shape", ()) for operand in operands]
        for position in self.growing:
            shapes[position] = (None, *shapes[position][1:])
        return tuple(shapes)

    def at(self, shapes: tuple) -> _Continuation | None:
        """The continuation for these shapes; None where there are too many already."""
        continuation = self.continuations.get(shapes)
        if continuation is None and len(self.continuations) < LOOPS.most_shapes:
            continuation = self.continuations.setdefault(shapes, _Continuation(self, shapes))
        return continuation


class _Continuation:
    """Native code for the remaining iterations at one set of shapes, and the cost so far."""

    def __init__(self, loop: ReplaceableLoop, shapes: tuple):
        self.loop = loop
        self.shapes = shapes
        self.function: Callable | None = None
        self.why_not_native: str | None = None
        self.settled = Event()  # set once `function` is there, or will never be
        self.queued_at, self.cpu_before = 0.0, 0.0  # the times when it was queued
        self.saw_outer = False
        self.seconds = 0.0
        self.owed = 0.0  # seconds of CPU time that the compiler thread is to get
        self.entered, self.done, self.trip_count = 0.0, 0, math.inf  # of the current run

    def runs(self, trip_count: float) -> Iterator[Iterator[None]]:
        """Runs of iterations, with a look at the clock after each."""
        size, start = 1, time.perf_counter()
        self.entered, self.done, self.trip_count = start, 0, trip_count
        while self.function is None:
            if self.settled.is_set() and self.function is None:
                yield itertools.repeat(None)  # there is no native code for it
            yield itertools.repeat(None, size)
            now = time.perf_counter()
            spent = now - start
            self.seconds += spent
            self.done += size
            is_short = spent < LOOPS.check_seconds
            size = min(2 * size, LOOPS.most_iterations) if is_short else max(size // 2, 1)
            if self.seconds > LOOPS.hot_seconds:
                self.replace(now, spent)
                now = time.perf_counter()
            start = now

    def replace(self, now: float, spent: float) -> None:
        """Have this loop or one around it compiled if that pays, and wait for it."""
        chosen = self.to_compile()
        if chosen is None:
            return
        remaining = chosen.remaining(now)
        known, estimate = remaining < math.inf, chosen.loop.compile_seconds
        if remaining <= estimate or not (known or self.seconds > LOOPS.unknown_seconds):
            return
        if not chosen.queued_at:
            chosen.queued_at, chosen.cpu_before = now, time.process_time()
            compile_in_background(chosen)
        wait = min(remaining, LOOPS.longest_wait * estimate) - chosen.compiling(now)
        if wait > 0:
            self.wait_for(chosen, wait)
            return
        self.owed += spent * LOOPS.largest_share
        if self.owed > LOOPS.check_seconds:
            self.wait_for(chosen, self.owed)
            self.owed = 0.0

    def compiling(self, now: float) -> float:
        """The seconds of CPU time that compiling can have had: other processes may take the cores.
        A compiler that waits for something takes none, so a share of the time counts anyway.
        """
        passed, used = now - self.queued_at, time.process_time() - self.cpu_before
        return max(min(passed, used), passed / LOOPS.largest_share)

    def wait_for(self, chosen: _Continuation, seconds: float) -> None:
        """Wait for native code. That time is none of the runs around it: see `remaining`."""
        start = time.perf_counter()
        chosen.settled.wait(seconds)
        waited = time.perf_counter() - start
        around: _Continuation | None = self
        while around is not None:
            around.entered += waited
            around = around.outer()

    def outer(self) -> _Continuation | None:
        """The continuation of the loop around this one."""
        outer = self.loop.outer
        return outer.at(()) if outer is not None and outer.is_static else None

    def remaining(self, now: float) -> float:
        """The seconds that the rest of the current run takes on NumPy; infinity where unknown."""
        return (self.trip_count - self.done) * (now - self.entered) / max(self.done, 1)

    def to_compile(self) -> _Continuation | None:
        """The outermost loop that is not settled; None where that around this one takes over."""
        around = self.outer()
        if around is not None and not around.settled.is_set():
            return around.to_compile()
        if around is not None and around.function is not None and not self.saw_outer:
            self.saw_outer, self.seconds = True, 0.0  # the outer loop is about to take over
            return None
        return self

    def compile(self) -> None:
        """Compile what has a native form, and let it take over."""
        # These load the code generator and its passes: 25 ms.
        from .compile_pipeline import native_form
        from .native_program import compile_program
        from .shape_specialization import deciding_inputs

        try:
            with compiling_with(self.loop.compiler):
                backend().prepare()
                graph = continuation_of(self.loop.node)
                if not self.loop.is_static:
                    graph = specialise_shapes(graph, self.shapes)
                form = native_form(optimize(graph))
                by_shape, by_value = deciding_inputs(form.graph)
                if by_value or not set(by_shape) <= set(self.loop.growing):
                    return  # each value of them would need native code of its own
                native = compile_program(form.program)
            plan = numpy_program(graph)
            self.function = partial(
                with_fallback, form.bind_variables(native.function), lambda: plan
            )
        except (ImportError, NotNativeError) as error:
            self.why_not_native = str(error)
        finally:
            self.settled.set()


def replaceable_loop(
    node: Node, outer: ReplaceableLoop | None, compiler: str | None = None
) -> ReplaceableLoop | None:
    """The object through which a `While` is replaced; None where it stays on NumPy."""
    return ReplaceableLoop(node, outer, compiler) if is_replaceable(node) else None


def is_replaceable(node: Node) -> bool:
    """Whether native code can continue a loop. A loop that saves values for a gradient stays where
    the stacks of these values grow.
    """
    inner = (each for graph in node.subgraphs.values() for each in graph.walk())
    return not any(each.op.saves_for_backward for each in inner)


def growing_state(node: Node) -> tuple[int, ...]:
    """The positions of the arrays that a loop carries and extends by rows."""
    body = node.attrs["body"]
    values = enumerate(body.inputs[: node.attrs["carried"]])
    return tuple(at for at, value in values if may_grow(value) and _is_extended(body, value))


def _is_extended(graph: Graph, value: Value) -> bool:
    """Whether rows are appended to a value, or to what results from setting its items."""
    versions = {value}
    for node in graph.nodes:
        if versions.isdisjoint(node.inputs):
            continue
        if node.op is TABLE["ensure_length"]:
            return True
        if node.op.native_result == "overwrites" and node.inputs[0] in versions:
            versions.add(node.output)
        for key, inner in node.subgraphs.items():
            operands = zip(inner.inputs, node.op.operands_of(node, key), strict=True)
            if any(_is_extended(inner, own) for own, outer in operands if outer in versions):
                return True
    return False


def continuation_of(node: Node) -> Graph:
    """The graph of the remaining iterations of a loop: its inputs are the state at any iteration,
    and the invariants. Scalar constants are a part of the graph.
    """
    carried = node.attrs["carried"]
    body = node.attrs["body"].inputs
    state = [Value(old.dtype, old.shape, old.name) for old in body[:carried]]
    invariants = [replace(old) for old in node.inputs[carried:]]
    constants, operands = [], [*state]
    for value in invariants:
        if value.constant is not None and value.shape == () and value.constant.dtype != object:
            inner = Value(value.dtype, (), f"{value.name}_", value.constant)
            constants.append(Node(TABLE["const"], (), {"value": value.constant}, (inner,)))
            operands.append(inner)
        else:
            operands.append(value)
    outputs = tuple(Value(old.dtype, old.shape, old.name) for old in node.outputs)
    loop = replace(node, inputs=tuple(operands), outputs=outputs)
    return Graph("rest of a loop", (*state, *invariants), (*constants, loop), outputs)


def numpy_program(graph: Graph) -> Plan:
    """The graph, optimized and lowered, as Python source that calls NumPy."""
    return emit_numpy(lower(optimize(graph)))
