"""The stager: what turns control flow on staged values into something else, such as a graph.

autograph knows no graph. Its operators ask the installed stager whether a value is staged, and hand
it control flow as pure functions of state. A *state* is a tuple of Python values, one for each
name; an entry may be an `Undefined`, for a name without a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Stager(Protocol):
    """What the operators need; `tracing` implements it for graphs."""

    def is_staged(self, value) -> bool:
        """Whether `value` is known only later: a symbolic tensor, or something that iterates over
        one.
        """

    def is_tensor(self, value) -> bool:
        """Whether `value` is a tensor, known or not: its items are replaced, never changed."""

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

    def logical_and(self, a, b: Callable) -> Any:
        """`a and b()`, `b` evaluated only when `a` holds; `logical_or` likewise."""

    def logical_or(self, a, b: Callable) -> Any: ...

    def logical_not(self, a) -> Any: ...

    def contains(self, container, item) -> Any:
        """`item in container`, one of which is staged."""

    def is_truth(self, value, truth: bool) -> Any:
        """Whether a staged value is the boolean `truth`."""

    def assert_(self, test, message: Callable) -> None: ...

    def set_item(self, target, key, value) -> Any:
        """`target` with the item replaced."""

    def get_item(self, target, key) -> Any:
        """The item of a list, tuple or array at a staged index."""

    def rows(self, value, count: int, starred: bool) -> Any:
        """The items of a staged value that is unpacked to `count` names, one of them `starred`."""

    def collect(self, items, build: Callable) -> Any:
        """The list `build(items)`, for a comprehension `build` over staged items."""

    def collect_each(self, items, build: Callable) -> Any:
        """The same over plain items, where a test of the comprehension is staged."""

    def add_when(self, items, test, value: Callable) -> bool:
        """Inside `collect`: append `value()` where the test holds, and say so; else do nothing."""

    def escaped_list(self, name: str, items: list) -> Any:
        """What a list is after a loop that put staged values of its body into it."""

    def stack(self, items, element_dtype) -> Any:
        """The items of a list as one value."""

    def builtin(self, function) -> Callable | None:
        """What a Python builtin means when an argument is staged, or None."""

    def function(self, function) -> Callable | None:
        """What is called in place of a library's function that knows no staged values, or None."""

    def tensor_for(self, array, *operands) -> Any:
        """The tensor that an array becomes where a staged key or item is put into it, or None."""

    def note_unrolled(self, items, checkpoint) -> None:
        """Be told of a Python loop over `items` that ends, and began at `checkpoint`."""

    def depth(self) -> int:
        """How many parts of staged statements are being traced, one inside the other."""

    def may_raise_before(self) -> bool:
        """Whether what was staged so far raises, perhaps: what follows must not be raised first."""

    def quoted(self, make: Callable) -> tuple:
        """`make()`, with marks for staged values in the texts that it makes, and their values."""

    def display(self, value, show: Callable) -> str:
        """`show(value)` for a staged value; inside `quoted`, a mark for it."""

    def fail(self, error: BaseException, values) -> None:
        """Raise an exception, made by `quoted`, when the graph runs."""

    def refusal(self, message: str, cure: str) -> Exception:
        """The error for what cannot be staged."""

    def checkpoint(self) -> Any:
        """Remember the present point, so that `rollback` can undo what a probing test recorded.

        None where nothing is recorded.
        """

    def rollback(self, checkpoint) -> None: ...


class PythonStager:
    """Nothing is staged: converted code is plain Python."""

    def is_staged(self, value) -> bool:
        return False

    def is_tensor(self, value) -> bool:
        return False

    def builtin(self, function):
        return None

    def function(self, function):
        return None

    def tensor_for(self, array, *operands):
        return None

    def note_unrolled(self, items, checkpoint):
        pass

    def depth(self) -> int:
        return 0

    def may_raise_before(self) -> bool:
        return False

    def checkpoint(self):
        return None

    def rollback(self, checkpoint) -> None:
        return None

    def add_when(self, items, test, value) -> bool:
        return False


class _Current:
    stager: Any = PythonStager()


CURRENT = _Current()


def set_stager(stager) -> None:
    """Install the stager that converted code uses from now on."""
    CURRENT.stager = stager
