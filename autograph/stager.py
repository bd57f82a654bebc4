"""The stager protocol: turns control flow on staged values into something else, such as a graph.

autograph does not depend on graphs. Its operators ask the stager of the trace whether a value is
staged, and pass it control flow as pure functions of state. A *state* is a tuple of Python values,
one for each name; an unbound name has the value `Undefined`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

OPERAND = "the result"  # the name of what `and` and `or` give
BRANCHES = "the branches"  # the name of what the functions of `ag.cond` return
EXIT_FLAGS = ("do_return", "break_", "continue_")  # how names of flags that note an exit begin


ENDED, OUTER, LOCAL = range(3)  # scopes of values


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

    def at_end(self, check: Callable, of_function: bool = False) -> None:
        """Call `check()` when the present block, or the outermost function, has been recorded."""

    def scope_of(self, value) -> int:
        """Where a value was recorded: in the present block (LOCAL), around it (OUTER), or in a
        recording that has ended.
        """
        return ENDED

    def form(self, function) -> Callable | None:
        """What is called in place of a function where values may be staged; None: the function.

        It is asked of functions of libraries whenever converted code calls them, and of builtins,
        of `operator.not_` and the like and of those of `forms.py` where a value may be staged.
        """
        return None

    def constant(self, value, *operands) -> Any:
        """What replaces a value an item of which is assigned, where `operands`, the key and the
        item, are staged: a staged value that has the items of a NumPy array. None: nothing does.
        """
        return None

    def enter_loop(self, items, body, get_state, set_state, names, options) -> tuple:
        """Before a loop, whose state it may replace: what the loop goes over (`items`, None for a
        `while`, or something staged in their place), and a function or None. Where Python runs the
        loop, this is called with the number of each iteration of a `while`, and after a `for`.
        """
        return items, None

    def depth(self) -> int:
        """The nesting depth of staged statements that are being traced."""
        return 0

    def effects_since(self, checkpoint) -> Iterable[Effect]:
        """What code recorded since `checkpoint` does; None: since the present block began."""
        return ()

    def deferred(self, make: Callable) -> tuple:
        """`make()`, with references to staged values in its strings, and these values."""

    def refusal(self, message: str, cure: str, where=None, of_handler=False) -> Exception:
        """The error for what cannot be staged; it names the line `where`, or the present one.
        `of_handler` says that it could be but for a handler of exceptions around it.
        """
        return NotImplementedError(f"{message}. {cure}")

    def checkpoint(self) -> Any:
        """The present state of the recording, for `rollback`.

        None if nothing is being recorded.
        """
        return None

    def rollback(self, checkpoint) -> None: ...
