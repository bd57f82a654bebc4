"""A choice between two operands that a tensor makes: of `and`, `or` and conditional expressions.

Each operand is a block of its own: what it assigns (`:=`), and what the functions that it calls
change in containers, is state.
"""

from __future__ import annotations

from ..stager import CURRENT
from .shared_containers import COPIES, Shared
from .statement_state import State, check_when_read

NOTHING = (lambda: (), lambda values: None, ())


def staged_choice(test, then, orelse, name: str, assigned=None):
    """`then()` if `test` else `orelse()`.

    `assigned` gives the variables that the operands assign: functions that get and set them, and
    their names. The reads of one that only one operand assigns are checked when the graph runs:
    where `a and (n := b)` is true, it is set.
    """
    get_state, set_state, names = assigned or NOTHING
    state, value = State(get_state, set_state, names), None
    shared: list[Shared] = []  # what the values of the operands share

    def side(operand) -> tuple:
        chosen = None

        def block():
            nonlocal chosen
            chosen = operand()
            shared.append(Shared(state.names, state.before, state.contents, state.watch))
            shared[-1].note((None,), (chosen,), COPIES.get())

        after = state.run(block)
        return (chosen, *after)

    def staged() -> tuple:
        nonlocal value
        value, *after = CURRENT.stager.cond(
            test,
            lambda: side(then),
            lambda: side(orelse),
            (name, *state.names),
            1 + len(state.names),
        )
        return tuple(after)

    state.replace(staged)
    for one in shared:
        one.check((name,), (value,))
    check_when_read(get_state, set_state)
    return value
