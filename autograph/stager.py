"""The stager protocol: turns control flow on staged values into something else, such as a graph.

autograph does not depend on graphs. Its operators ask the stager of the trace whether a value is
staged, and pass it control flow as pure functions of state. A *state* is a tuple of Python values,
one for each name; an unbound name has the value `Undefined`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

OPERAND = "the result"  # the name of what `and` and `or` give
BRANCHES = "the branches"  # the name of what the functions of `ag.cond` return
EXIT_FLAGS = ("do_return", "break_", "continue_")  # how names of flags that note an exit begin


class Effect(NamedTuple):
    """What recorded code at a line does besides computing its results."""

    where: Any
    writes: bool  # it changes variables, prints, checks or raises
    may_raise: bool  # it may raise an exception of the program
    acts: bool  # it does more than compute and check


class Stager:
    """What the operators ask. This stager stages nothing: converted code is plain Python. `tracing`
    has those that record graphs.
    """

    # Errors that say that something cannot be staged: no handler of the traced code may catch them.
    refusals: tuple[type[BaseException], ...] = ()

    def is_staged(self, value) -> bool:
        """Whether `value` is known only later: a symbolic tensor, or something that iterates over
        one.
        """
        return False

    def is_tensor(self, value) -> bool:
        """Whether `value` is a tensor, staged or not, which cannot be changed in place."""
        return hasattr(type(value), "__with_item__")

    def cond(
        self, test, then: Callable[[], tuple], orelse: Callable[[], tuple], names, live: int
    ) -> tuple:
        """The state after a choice; `live` leading names are read afterwards."""

    def while_loop(
        self, test: Callable, body: Callable, state: tuple, names, options: dict
    ) -> tuple:
        """The state after a loop: `test(*state)` goes on, `body(*state)` gives the next state."""

    def for_each(
        self, items, body: Callable, extra_test: Callable | None, state: tuple, names, options: dict
    ) -> tuple:
        """The state after `body(item, *state)` for each item, as long as `extra_test(*state)`
        holds.
        """

    def assert_(self, test, message: Callable) -> None: ...

    def collect(self, items, build: Callable) -> Any:
        """The list `build(items)`, for a comprehension `build` over staged items."""

    def collect_each(self, items, build: Callable, taken: list, first) -> Any:
        """The same over plain items, where a test of the comprehension is staged. Before them come
        those `taken`, and `first.value()` if `first.test` holds.
        """

    def escaped_list(self, name: str) -> Any:
        """The replacement of a list after a staged loop whose body changes it."""

    def checked_when_read(self, variable) -> Any:
        """A conditionally assigned variable, each read of which is checked when the graph runs."""

    def refusal_of_construct(self, message: str, cure: str) -> Exception:
        """The error for a construct that staged values cannot drive."""

    def check_at_end(self, check: Callable, of_function: bool = False) -> None:
        """Call `check()` when the present block, or the outermost function, has been recorded."""

    def is_current(self, value) -> bool:
        """Whether a staged value belongs to the present recording, not to an earlier one."""
        return False

    def is_local(self, value) -> bool:
        """Whether a staged value was recorded in the block that is being traced."""

    def require(self, variable) -> None:
        """Raise, when the graph runs, if a conditionally assigned variable has no value."""

    def form(self, function) -> Callable | None:
        """What is called in place of a function where values may be staged; None: the function.

        It is asked of functions of libraries whenever converted code calls them, and of builtins,
        of `operator.not_` and the like and of those of `forms.py` where a value may be staged.
        """
        return None

    def tensor_for(self, array, *operands) -> Any:
        """The tensor that replaces an array if a key or item in `operands` is staged, or None."""
        return None

    def loop_items(self, items, body) -> Any:
        """What a loop over `items` with this body goes over: something staged, or the items."""
        return items

    def note_unrolled(self, items, body, checkpoint) -> None:
        """Note the end of a Python loop over `items` that began at `checkpoint`."""

    def enter_loop(self, body, get_state, set_state, names, options) -> None:
        """Before a loop with this body: the stager may replace its state."""

    def note_iteration(self, body, count: int, checkpoint) -> None:
        """Note iteration number `count` of a Python `while` that began at `checkpoint`."""

    def depth(self) -> int:
        """The nesting depth of staged statements that are being traced."""
        return 0

    def effects_since(self, checkpoint) -> Iterable[Effect]:
        """What code recorded since `checkpoint` does; None: since the present block began."""
        return ()

    def deferred(self, make: Callable) -> tuple:
        """`make()`, with references to staged values in its strings, and these values."""

    def memory_of(self, tensor) -> list:
        """What a tensor is in its graph, and what it is a view of in NumPy, as `x[1:]` of `x`."""
        return []

    def is_computed_from(self, tensor, arrays: Collection[int], others: dict[int, tuple]) -> bool:
        """Whether a tensor is computed from any of `arrays`, which `memory_of` has given, by
        identity. `others` remembers what is not.
        """
        return False

    def refusal(self, message: str, cure: str, where=None) -> Exception:
        """The error for what cannot be staged; it names the line `where`, or the present one."""

    def checkpoint(self) -> Any:
        """The present state of the recording, for `rollback`.

        None if nothing is being recorded.
        """
        return None

    def rollback(self, checkpoint) -> None: ...
