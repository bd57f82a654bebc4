"""Loops that become native while they run: the plan begins them, native code ends them.

At the head of a loop its carried values are all that there is to know. So a loop of a plan that
has cost enough is compiled in the background as a function of these values, and the plan leaves the
rest to it as soon as it is there. A first call that would take minutes on NumPy takes seconds.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from .graph import Graph, Node, Value
from .op import TABLE
from .passes.specialise_shapes import is_static_graph, specialise_shapes
from .quiet import quietly

BUSY_SECONDS = 0.02  # time spent in a loop after which its native code is worth compiling
MOST_TURNS = 1024  # between two looks at the clock
LOOK_EACH = 0.001  # seconds between two looks at the clock, about
# The compiler often lets go of the interpreter's lock, and would wait for it 5 ms each time. So the
# plan stops now and then: the longer it waits for native code, the larger the compiler's share.
PATIENCE = 0.1  # seconds after which both have about the same share
LARGEST_SHARE = 8.0  # of the compiler, relative to the plan's


class RunningLoop:
    """The native code of one loop of a plan, which the plan asks for at every turn.

    node    the `While`
    outer   the loop around it: that one is compiled first, this one only where a turn of the
            outer one takes long, or has no native form

        for _ in loop.turns(): ...; break when the test fails
        else: state = loop.rest(*state, *invariants)
    """

    def __init__(self, node: Node, outer: RunningLoop | None = None):
        self.node = node
        self.outer = outer
        self.function: Callable | None = None
        self.why_not_native: str | None = None
        self.is_static = is_static_graph(rest_of(node))
        self._shapes: list | None = (
            None  # that the code is made for, where the graph leaves them open
        )
        self._spent = 0.0
        self._asked_at = 0.0
        self._owed = 0.0  # seconds that the compiler should have alone
        self._settled = threading.Event()  # whether `function` is there, or will never be
        self._saw_outer = False

    def turns(self, *operands) -> Iterator[None]:
        """Something for each turn to be made on the plan; it ends when `rest` is there.

        operands  what enters the loop, needed where its shapes are not known.
        """
        return itertools.chain.from_iterable(self._batches([array.shape for array in operands]))

    def _batches(self, shapes: list) -> Iterator[Iterator[None]]:
        """Runs of turns, with a look at the clock after each."""
        count, start = 1, time.perf_counter()
        while self.function is None or shapes != (self._shapes or []):
            if self._settled.is_set():
                yield itertools.repeat(None)  # there is no native code for it
            yield itertools.repeat(None, count)
            now = time.perf_counter()
            spent = now - start
            self._spent += spent
            count = min(2 * count, MOST_TURNS) if spent < LOOK_EACH else max(count // 2, 1)
            if self._spent > BUSY_SECONDS:
                compiled = self._asked(shapes)
                if compiled is not None:
                    self._share_time(compiled, now, spent)
                    now = time.perf_counter()
            start = now

    def _asked(self, shapes: list) -> RunningLoop | None:
        """Have this loop compiled, or those around it first; gives the one that is waited for."""
        outer = self.outer
        if outer is not None and outer.is_static and not outer._settled.is_set():
            return outer._asked([])
        if outer is not None and outer.function is not None and not self._saw_outer:
            self._saw_outer, self._spent = True, 0.0  # the outer loop is about to take over
            return None
        if not self._asked_at:
            from .native import compile_in_background

            self._asked_at, self._shapes = time.perf_counter(), shapes
            compile_in_background(self)
        return self

    def _share_time(self, compiled: RunningLoop, now: float, spent: float) -> None:
        """Let the compiler work alone for a while, after `spent` seconds on the plan."""
        share = min((now - compiled._asked_at) / PATIENCE, LARGEST_SHARE)
        self._owed += spent * share
        if self._owed > LOOK_EACH:
            compiled._settled.wait(self._owed)
            self._owed = 0.0

    def compile(self) -> None:
        """Compile what of the loop has a native form, and let it take over."""
        from .executable import Executable

        try:
            graph = rest_of(self.node)
            if not self.is_static:
                graph = specialise_shapes(graph, self._shapes)
            rest = Executable(graph, "plan")
            rest.compile()
            self.why_not_native = rest.why_not_native
            plan, native = rest.plan.function, rest.native_function
            if native is not None:

                def function(*arrays):
                    try:
                        return native(*arrays)
                    except Exception:  # it has changed nothing; the plan says what is wrong
                        return quietly(plan, *arrays)

                self.function = function
        finally:
            self._settled.set()

    def rest(self, *operands) -> tuple:
        """The state after all the turns that are left."""
        return self.function(*operands)


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
