"""Loops that become native while they run: the plan begins them, native code ends them.

At the head of a loop its carried values are all that there is to know. So a loop of a plan that
has cost enough is compiled in the background as a function of these values, and the plan leaves the
rest to it as soon as it is there. A first call that would take minutes on NumPy takes seconds.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..core.floating_point_state import quietly
from ..ir.graph import Graph, Node, Value
from ..ir.node_properties import is_static_graph
from ..ir.op import TABLE
from ..ir.trip_counts import counting_of
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import specialise_shapes
from .background_compiler import compile_in_background
from .compile_pipeline import native_form, numpy_program

BUSY_SECONDS = 0.01  # time spent in a loop after which its native code is worth compiling
# About what compiling takes: a loop that ends sooner than that stays on the plan.
COMPILE_SECONDS, COMPILE_SECONDS_EACH = 0.05, 0.005  # in all, and for each operation of a turn
MOST_SHAPES = 16  # of one loop that are compiled: others stay on the plan
MOST_TURNS = 1024  # between two looks at the clock
LOOK_EACH = 0.001  # seconds between two looks at the clock, about
# The compiler often lets go of the interpreter's lock, and would wait for it 5 ms each time. So the
# plan stops now and then: the longer it waits for native code, the larger the compiler's share.
PATIENCE = 0.01  # seconds after which both have about the same share
LARGEST_SHARE = 8.0  # of the compiler, relative to the plan's


class RunningLoop:
    """One loop of a plan, which asks at every turn whether there is native code for the rest.

    node    the `While`
    outer   the loop around it: that one is compiled first, this one only where a turn of the
            outer one takes long, or has no native form

        for _ in loop.turns(*state, *invariants): ...; break when the test fails
        else: state = loop.rest(*state, *invariants)

    Where the graph leaves shapes open, each set of shapes has code of its own.
    """

    def __init__(self, node: Node, outer: RunningLoop | None = None):
        self.node = node
        self.outer = outer
        self.is_static = is_static_graph(rest_of(node))
        self.counting = None if outer else counting_of(node, {})
        operations = sum(1 for _ in node.attrs["body"].walk())
        self.compile_seconds = COMPILE_SECONDS + COMPILE_SECONDS_EACH * operations
        self.rests: dict[tuple, _Rest] = {}

    def turns(self, *operands) -> Iterator[None]:
        """Something for each turn to be made on the plan; it ends when `rest` can go on."""
        rest = self.at(self.shapes_of(operands))
        if rest is None:
            return itertools.repeat(None)
        return itertools.chain.from_iterable(rest.runs(self.count(operands)))

    def count(self, operands: tuple) -> float:
        """How many turns there will be at most; infinity where nobody knows."""
        if self.counting is None:
            return math.inf
        start, limit, inputs = operands[self.counting.place], self.counting.limit, self.node.inputs
        if not isinstance(limit, int):
            limit = int(operands[inputs.index(limit)])
        count = self.counting._replace(start=int(start), limit=limit).count
        return math.inf if count is None else count

    def rest(self, *operands) -> tuple:
        """The state after all the turns that are left."""
        rest = self.rests.get(self.shapes_of(operands))
        if rest is None or rest.function is None:  # other shapes than those that entered
            return quietly(numpy_program(rest_of(self.node)).function, *operands)
        return rest.function(*operands)

    def shapes_of(self, operands: tuple) -> tuple:
        """The shapes that code is for; of no interest where the graph says them. The lists that
        gradients push to have none.
        """
        return () if self.is_static else tuple([getattr(one, "shape", ()) for one in operands])

    def at(self, shapes: tuple) -> _Rest | None:
        """The rest for these shapes; None where there are too many already."""
        rest = self.rests.get(shapes)
        if rest is None and len(self.rests) < MOST_SHAPES:
            rest = self.rests.setdefault(shapes, _Rest(self, shapes))
        return rest


class _Rest:
    """Native code for the rest of a loop at one set of shapes, and what the loop cost so far."""

    def __init__(self, loop: RunningLoop, shapes: tuple):
        self.loop = loop
        self.shapes = shapes
        self.function: Callable | None = None
        self.why_not_native: str | None = None
        self.settled = threading.Event()  # whether `function` is there, or will never be
        self.asked_at = 0.0
        self.saw_outer = False
        self.spent = 0.0
        self.owed = 0.0  # seconds that the compiler should have alone

    def runs(self, turns: float) -> Iterator[Iterator[None]]:
        """Runs of turns, `turns` in all, with a look at the clock after each."""
        count, done, start = 1, 0, time.perf_counter()
        began = start
        while self.function is None:
            if self.settled.is_set() and self.function is None:
                yield itertools.repeat(None)  # there is no native code for it
            yield itertools.repeat(None, count)
            now = time.perf_counter()
            spent = now - start
            self.spent += spent
            done += count
            left = (turns - done) * (now - began) / done  # seconds on the plan
            count = min(2 * count, MOST_TURNS) if spent < LOOK_EACH else max(count // 2, 1)
            if self.spent > BUSY_SECONDS and left > self.loop.compile_seconds:
                awaited = self.asked()
                if awaited is not None:
                    self.share_time(awaited, now, spent)
                    now = time.perf_counter()
            start = now

    def asked(self) -> _Rest | None:
        """Have this loop compiled, or those around it first; gives the one that is waited for."""
        outer = self.loop.outer
        around = outer.at(()) if outer is not None and outer.is_static else None
        if around is not None and not around.settled.is_set():
            return around.asked()
        if around is not None and around.function is not None and not self.saw_outer:
            self.saw_outer, self.spent = True, 0.0  # the outer loop is about to take over
            return None
        if not self.asked_at:
            self.asked_at = time.perf_counter()
            compile_in_background(self)
        return self

    def share_time(self, awaited: _Rest, now: float, spent: float) -> None:
        """Let the compiler work alone for a while, after `spent` seconds on the plan."""
        self.owed += spent * min((now - awaited.asked_at) / PATIENCE, LARGEST_SHARE)
        if self.owed > LOOK_EACH:
            awaited.settled.wait(self.owed)
            self.owed = 0.0

    def compile(self) -> None:
        """Compile what of the loop has a native form, and let it take over."""
        from .native_program import (  # loads the code generator: 20 ms
            compile_program,
            with_fallback,
        )
        from .shape_specialization import deciding_inputs

        try:
            graph = rest_of(self.loop.node)
            if not self.loop.is_static:
                graph = specialise_shapes(graph, self.shapes)
            form = native_form(optimize(graph))
            if any(deciding_inputs(form.graph)):
                return  # each value of them has native code of its own
            native = compile_program(form.program)
            plan = numpy_program(graph)
            self.function = with_fallback(form.bind_variables(native.function), lambda: plan)
        except (ImportError, NotNativeError) as error:
            self.why_not_native = str(error)
        finally:
            self.settled.set()


def running_loop(node: Node, outer: RunningLoop | None) -> RunningLoop | None:
    """The running loop of a `While`; None where it stays on NumPy."""
    return RunningLoop(node, outer) if may_hand_over(node) else None


def may_hand_over(node: Node) -> bool:
    """Whether a loop may go on elsewhere: not one that keeps values for a gradient on stacks, which
    grow where they are.
    """
    inner = (each for graph in node.subgraphs.values() for each in graph.walk())
    return not any(each.op.saves_for_backward for each in inner)


def rest_of(node: Node) -> Graph:
    """A graph that goes on with a loop: it takes the state at any turn, and what does not change.

    Scalars that are known are part of it.
    """
    carried = node.attrs["carried"]
    body = node.attrs["body"].inputs
    state = [Value(one.dtype, one.shape, one.name) for one in body[:carried]]
    fixed = [replace(one) for one in node.inputs[carried:]]
    constants, operands = [], [*state]
    for value in fixed:
        if value.known is not None and value.shape == () and value.known.dtype != object:
            inner = Value(value.dtype, (), f"{value.name}_", value.known)
            constants.append(Node(TABLE["const"], (), {"value": value.known}, (inner,)))
            operands.append(inner)
        else:
            operands.append(value)
    outputs = tuple(Value(one.dtype, one.shape, one.name) for one in node.outputs)
    loop = replace(node, inputs=tuple(operands), outputs=outputs)
    return Graph("rest of a loop", (*state, *fixed), (*constants, loop), outputs)
