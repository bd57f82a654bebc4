"""The stager protocol: turns control flow on staged values into something else, such as a graph.

autograph does not depend on graphs. Its operators ask the stager of the trace whether a value is
staged, and pass it control flow as pure functions of state. A *state* is a tuple of Python values,
one for each name; an unbound name has the value `Undefined`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import Any, Protocol

OPERAND = "the result"  # the name of what `and` and `or` give
BRANCHES = "the branches"  # the name of what the functions of `ag.cond` return
EXIT_FLAGS = ("do_return", "break_", "continue_")  # how names of flags that note an exit begin


class Stager(Protocol):
    """What the operators need; `tracing` implements it for graphs."""

    def is_staged(self, value) -> bool:
        """Whether `value` is known only later: a symbolic tensor, or something that iterates over
        one.
        """

    def is_tensor(self, value) -> bool:
        """Whether `value` is a tensor, staged or not, which cannot be changed in place."""

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

    def logical_not(self, a) -> Any: ...

    def truth(self, value) -> Any:
        """What may stand for a staged operand of `and` or `or` in a test."""

    def contains(self, container, item) -> Any:
        """`item in container`, one of which is staged."""

    def compare_sequences(self, sign: str, left, right) -> Any:
        """`left < right` and the like of two tuples or lists, whose items may be staged."""

    def is_none(self, value) -> Any:
        """Whether a value that is not None stands for None, which a staged one may after a loop."""

    def is_same(self, left, right) -> Any:
        """`left is right`, neither of which is None; one may stand for a bool of Python's."""

    def is_truth(self, value, truth: bool) -> Any:
        """`value is truth`; a staged bool is compared."""

    def subject(self, value) -> Any:
        """A value that Python itself matches with a pattern."""

    def assert_(self, test, message: Callable) -> None: ...

    def set_item(self, target, key, value) -> Any:
        """`target` with the item replaced."""

    def get_item(self, target, key) -> Any:
        """The item of a list, tuple or array at a staged index."""

    def rows(self, value, pattern: tuple) -> Any:
        """The items of a staged value that is unpacked to names, with a pattern as `unpack` has
        it.
        """

    def collect(self, items, build: Callable) -> Any:
        """The list `build(items)`, for a comprehension `build` over staged items."""

    def collect_each(self, items, build: Callable, taken: list, first) -> Any:
        """The same over plain items, where a test of the comprehension is staged. Before them come
        those `taken`, and `first.value()` if `first.test` holds.
        """

    def add_when(self, items, test, value: Callable) -> bool:
        """Inside `collect`: append `value()` where the test holds, and say so; else do nothing."""

    def escaped_list(self, name: str) -> Any:
        """The replacement of a list after a staged loop whose body changes it."""

    def as_tensor(self, value) -> Any:
        """The tensor that a value is, or None."""

    def checked_when_read(self, variable) -> Any:
        """A conditionally assigned variable, each read of which is checked when the graph runs."""

    def refusal_of_construct(self, message: str, cure: str) -> Exception:
        """The error for a construct that staged values cannot drive."""

    def check_at_end(self, check: Callable, of_function: bool = False) -> None:
        """Call `check()` when the present block, or the outermost function, has been recorded."""

    def is_current(self, value) -> bool:
        """Whether a staged value belongs to the present recording, not to an earlier one."""

    def is_local(self, value) -> bool:
        """Whether a staged value was recorded in the block that is being traced."""

    def require(self, variable) -> None:
        """Raise, when the graph runs, if a conditionally assigned variable has no value."""

    def stack(self, items, element_dtype) -> Any:
        """The items of a list as one value."""

    def builtin(self, function) -> Callable | None:
        """The form of a Python builtin for staged arguments, or None."""

    def function(self, function) -> Callable | None:
        """The form of a library's function that accepts staged values, or None."""

    def foreign(self, function) -> Callable | None:
        """The form of something that is neither a Python function nor a builtin, or None."""

    def tensor_for(self, array, *operands) -> Any:
        """The tensor that replaces an array if a key or item in `operands` is staged, or None."""

    def loop_items(self, items, body) -> Any:
        """What a loop over `items` with this body goes over: something staged, or the items."""

    def note_unrolled(self, items, body, checkpoint) -> None:
        """Note the end of a Python loop over `items` that began at `checkpoint`."""

    def enter_loop(self, body, get_state, set_state, names, options) -> None:
        """Before a loop with this body: the stager may replace its state."""

    def note_iteration(self, body, count: int, checkpoint) -> None:
        """Note iteration number `count` of a Python `while` that began at `checkpoint`."""

    def depth(self) -> int:
        """The nesting depth of staged statements that are being traced."""

    def may_raise_before(self) -> bool:
        """Whether code staged so far may raise, so that later exceptions have to be staged too."""

    def may_raise_since(self, checkpoint) -> bool:
        """Whether code staged since `checkpoint` may raise an exception of the program."""

    def effects_since(self, checkpoint, checks: bool = True) -> list:
        """Where code staged since `checkpoint` changes variables, writes or raises; or, with
        `checks`, checks.
        """

    def deferred(self, make: Callable) -> tuple:
        """`make()`, with references to staged values in its strings, and these values."""

    def display(self, value, directive: str) -> str:
        """`directive % value` for a staged value; inside `deferred`, a reference to it."""

    def shown(self, value) -> Any:
        """What an f-string formats in the place of a value, so that `text` knows what it shows."""

    def string(self, made: str) -> str:
        """A string that was formatted: one that shows staged values, or itself."""

    def formatted(self, function: Callable, *args, **kwargs) -> str:
        """The string that a function, such as `str.format`, makes of staged values."""

    def fail(self, error: BaseException, values) -> None:
        """Raise an exception, made by `deferred`, when the graph runs."""

    def lists_of(self, items) -> tuple:
        """The lists from which a staged loop takes its items."""

    def memory_of(self, tensor) -> list:
        """What a tensor is in its graph, and what it is a view of in NumPy, as `x[1:]` of `x`."""

    def is_computed_from(self, tensor, arrays: Collection[int], others: dict[int, tuple]) -> bool:
        """Whether a tensor is computed from any of `arrays`, which `memory_of` has given, by
        identity. `others` remembers what is not.
        """

    def refusal(self, message: str, cure: str, where=None) -> Exception:
        """The error for what cannot be staged; it names the line `where`, or the present one."""

    def is_refusal(self, error: BaseException) -> bool:
        """Whether an error says that something cannot be staged."""

    def refusal_of(self, error: Exception) -> Exception:
        """The error for an exception of a block that a handler outside would catch."""

    def checkpoint(self) -> Any:
        """The present state of the recording, for `rollback`.

        None if nothing is being recorded.
        """

    def rollback(self, checkpoint) -> None: ...


class PythonStager:
    """Nothing is staged: converted code is plain Python."""

    def _never(self, *values) -> bool:
        return False

    def _nothing(self, *values) -> None:
        return None

    def _same(self, value):
        return value

    is_staged = is_current = is_none = is_refusal = is_computed_from = _never
    may_raise_before = add_when = _never
    builtin = function = foreign = tensor_for = checkpoint = rollback = _nothing
    note_unrolled = enter_loop = note_iteration = _nothing
    subject = shown = string = _same

    def is_tensor(self, value) -> bool:
        return hasattr(type(value), "__with_item__")

    def set_item(self, target, key, value):
        return target.__with_item__(key, value)

    def stack(self, items, element_dtype=None):
        return sys.modules[__name__.partition(".")[0]].stack(items)  # of tensors and numbers

    def loop_items(self, items, body):
        return items

    def is_same(self, left, right) -> bool:
        return left is right

    is_truth = is_same

    def memory_of(self, tensor) -> list:
        return []

    def depth(self) -> int:
        return 0
