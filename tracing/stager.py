"""autograph's stager: Python control flow on symbolic tensors goes into the graph being built."""

from __future__ import annotations

from collections.abc import Callable

from ..autograph.operators.undefined import Undefined, UndefinedReturnValue
from ..autograph.stager import set_stager
from ..runtime.apply import BUILDER, convert_to_tensor, tensor_of
from ..runtime.op import TABLE
from ..runtime.tensor import SymbolicTensor, Tensor
from . import control_flow, staged_builtins
from .control_flow import Missing, as_test
from .staged_iterables import StagedIterable, iterable_of

MISSING = Missing(
    is_missing=lambda value: isinstance(value, Undefined),
    is_result=lambda value: isinstance(value, UndefinedReturnValue),
    unset=Undefined,
)


class GraphStager:
    """Implements autograph's protocol with the graph operations `If` and `While`."""

    def is_staged(self, value) -> bool:
        """Symbolic tensors, and, while a graph is built, every tensor and what iterates over
        one.
        """
        if isinstance(value, (SymbolicTensor, StagedIterable)):
            return True
        return BUILDER.get() is not None and tensor_of(value) is not None

    def is_tensor(self, value) -> bool:
        return isinstance(value, Tensor)

    def cond(self, test, then: Callable, orelse: Callable, names, live: int) -> tuple:
        return control_flow.cond(test, then, orelse, names, MISSING, live)

    def while_loop(self, test: Callable, body: Callable, state, names, options) -> tuple:
        return control_flow.while_loop(test, body, state, names, MISSING, options)

    def for_each(
        self, items, body: Callable, extra_test: Callable | None, state, names, options
    ) -> tuple:
        """A `While` that counts: the item is computed from the counter, never stored."""
        source = iterable_of(items)
        count = source.length()
        start = convert_to_tensor(0, count.dtype)

        def test(index, *state):
            inside = index < count
            if extra_test is None:
                return inside
            return self.logical_and(inside, lambda: extra_test(*state))

        def step(index, *state):
            return (index + 1, *body(source.at(index), *state))

        names = ("loop counter", *names)
        after = control_flow.while_loop(test, step, (start, *state), names, MISSING, options)
        return after[1:]

    def logical_and(self, a, b: Callable):
        """`a and b()`, where `b` is evaluated only when `a` holds."""
        return self._choose(a, b, lambda: a)

    def logical_or(self, a, b: Callable):
        return self._choose(a, lambda: a, b)

    def _choose(self, test, then: Callable, orelse: Callable):
        names = ("the result",)
        (value,) = control_flow.cond(test, lambda: (then(),), lambda: (orelse(),), names, MISSING)
        return value

    def logical_not(self, a):
        return TABLE["logical_not"](as_test(a))

    def assert_(self, test, message: Callable) -> None:
        from ..runtime.ops.effects import assert_

        assert_(as_test(test), [message()])

    def set_item(self, target, key, value):
        from ..runtime.ops.slicing import set_item

        return set_item(target, key, value)

    def builtin(self, function):
        """What a builtin means when an argument is staged, or None."""
        return staged_builtins.TABLE.get(function)

    def mark(self):
        """How much has been recorded; `rollback` forgets what came after."""
        builder = BUILDER.get()
        return None if builder is None else len(builder.nodes)

    def rollback(self, mark) -> None:
        del BUILDER.get().nodes[mark:]


set_stager(GraphStager())  # as soon as there can be tensors
