"""What converted code asks of a backend: the protocol that turns Python's control flow on values
which are known only later into something else, such as a graph.

autograph does not depend on graphs. Its operators, which stand in converted code for Python's
syntax, ask the stager of the present trace. For this function

    def f(x):           x is a value that the stager knows
        y = 0
        if x > 0:       is_staged(x > 0) -> True
            y = x       cond(x > 0, then, orelse, ('y',), 1) -> ('the new y',)
        return y

`then()` gives `(x,)` and `orelse()` gives `(0,)`: the *state* after each block, a tuple of the
values of some names. A name without a value has an `Undefined`. Blocks are pure functions of the
state. What they change in Python's containers is undone after they have run, and is state too.

`autograph.staged_by(stager)` makes a stager that of a trace. `docs/how_to_add.md` has a whole one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from .errors import NotStagedError

OPERAND = "the result"  # the name of what `and` and `or` give
BRANCHES = "the branches"  # the name of what the functions of `ag.cond` return
EXIT_FLAGS = ("do_return", "break_", "continue_")  # how names of flags that note an exit begin
ENDED, OUTER, LOCAL = range(3)  # scopes of values


class Effect(NamedTuple):
    """An effect of recorded code at a line, besides its results."""

    where: Any
    writes: bool  # it changes variables, prints, checks or raises
    may_raise: bool  # it may raise an exception of the program
    acts: bool  # it does more than compute and check


class Stager(Protocol):
    """The protocol that a backend implements, as a class below this one. Defaults stage nothing.

    It needs `is_staged`, `cond` and `while_loop`, and forms of the functions that its values need.
    The other methods have defaults, with which the backend supports less of Python.
    """

    # Errors that say that something cannot be staged: no handler of the traced code may catch them.
    refusals: tuple[type[BaseException], ...] = (NotStagedError,)
    forms: Mapping[Callable, Callable] = {}  # by the functions in whose place they are called
    stand_ins: tuple[str, ...] = ()  # names of classes for which Python has no error of its own
    # Whether an exception in a block of a statement is one of tracing, not of the program.
    raises_while_tracing: bool = False

    # ---- values ------------------------------------------------------------------------------

    def is_staged(self, value) -> bool:
        """Whether a value is known only later, or goes over items that are. Asked of each test, of
        what a loop goes over, of keys and arguments: it has to be fast.
        """
        return False

    def is_tensor(self, value) -> bool:
        """Whether a value is one of the backend's, staged or not, which is never changed in place:
        `x[0] = 1` gives the name `x` what `forms.with_item(x, 0, 1)` returns. What it has as
        attributes, such as a recording that grows, is not looked at.
        """
        return hasattr(type(value), "__with_item__")

    def scope_of(self, value) -> int:
        """Where a value was recorded: in the present block (LOCAL), around it (OUTER), or in a
        trace that has ended. Asked of the flags of conditionally assigned variables.
        """
        return ENDED

    def form(self, function: Callable) -> Callable | None:
        """The callable that takes the place of a function, with its arguments, where values may be
        staged: that of `forms`. None: the function itself.

        Converted code asks for the forms of functions of libraries whenever it calls them, and for
        those of builtins, of functions of `operator` that stand for syntax (`not_`, `truth`, `is_`,
        `contains`, `getitem`), and of those of `forms.py` where a value may be staged. With
        `{operator.not_: jnp.logical_not}` as `forms`, `not x` is a logical operation.
        """
        with contextlib.suppress(TypeError):  # it may have no hash
            return self.forms.get(function)
        return None

    # ---- statements --------------------------------------------------------------------------

    def cond(
        self, test, then: Callable[[], tuple], orelse: Callable[[], tuple], names, live: int
    ) -> tuple:
        """The state after `then()` if the staged `test` holds, else `orelse()`: for each of `names`
        one value. The first `live` names are read afterwards; of the others it does not matter.

        Both blocks have to be run, in this order, and may be run again. A name that one side leaves
        Undefined must not be read as if it had a value: give back a `MaybeSet`, or refuse. What a
        function has not returned (`UndefinedReturnValue`) is never read.
        """
        raise self.refusal("an `if` on a value that is known later", "Use a Python value.")

    def while_loop(
        self, test: Callable, body: Callable, state: tuple, names, options: dict
    ) -> tuple:
        """The state after `while test(*state): state = body(*state)`.

        `test` and `body` are run with values that stand for the state of an iteration, which may be
        staged where `state` is not: after `n = 0`, an `n` that each iteration increases. They may
        be run again, with values of other types. `options` has notes about the names.
        """
        raise self.refusal("a `while` on a value that is known later", "Use a Python value.")

    def enter_loop(self, items, body, get_state, set_state, names, options) -> tuple:
        """Before a loop, whose state it may replace: what the loop goes over (`items`, None for a
        `while`, or something staged in their place), and a function or None. Where Python runs the
        loop, this is called after each iteration, with its number if it is one of a `while`.
        """
        return items, None

    # ---- the recording -----------------------------------------------------------------------

    def checkpoint(self) -> Any:
        """How much is recorded, for `rollback`; None where nothing is being recorded.

        A test of `while` is run before it is known that the loop is staged, and a block is run
        again when it has changed what is not in its state: what was recorded is dropped then.
        """
        return None

    def rollback(self, checkpoint) -> None:
        """Drop what was recorded since a checkpoint. Without it, that is computed and not read."""
        return

    def effects_since(self, checkpoint) -> Iterable[Effect]:
        """The effects of code recorded since `checkpoint`; None: since the present block began."""
        return ()

    # ---- errors ------------------------------------------------------------------------------

    def refusal(self, message: str, cure: str, where=None, of_handler=False) -> Exception:
        """The error for what cannot be staged; it names the line `where`, or the present one.
        `of_handler` says that it could be but for a handler of exceptions around it.
        """
        return NotStagedError(f"{message}. {cure}")
