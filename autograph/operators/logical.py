"""`and`, `or`, `not`, comparisons and conditional expressions: lazy, and Python's own on plain
values.

A tensor chooses between two operands that are blocks of their own: what one assigns (`:=`), and
what the functions that it calls change in containers, is state.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Iterator

from ..current_trace import TRACE, UNTRACED, unsupported
from ..forms import asserted, compared, form_of, matched
from ..stager import OPERAND
from .calls import is_user_code, special_method
from .checked_values import certain, is_staged_truth, required, unless_none, whether_in
from .comprehensions import until, walked
from .containers import Snapshot, is_container
from .forwarding_lists import LIST_CLASSES, check_advance
from .noted_changes import COPY, note_read, role_of
from .raising import raised, refuse_if_caught
from .shared_containers import SharedAfterMerge
from .statement_state import State, check_when_read, without_effects


def in_(item, container):
    """`item in container`; staged operands are compared item by item."""
    stager = TRACE.get().stager
    if isinstance(container, dict):
        answer = whether_in(container, item)
        if answer is not None:
            return answer
    if isinstance(container, Iterator) and stager.checkpoint() is not None:
        check_advance(container)
        container = until(lambda element: element is item or element == item, container)
    if isinstance(container, (str, bytes, bytearray)):
        return item in container  # Python's own error, if the item is staged
    contains = getattr(type(container), "__contains__", None)
    if type(contains) is types.FunctionType and is_user_code(contains):
        answer = special_method(container, "__contains__")(item)
        return answer if is_staged_truth(answer) else bool(answer)
    container = walked(certain(container))
    if TRACE.get() is UNTRACED:
        return item in container
    is_sequence = type(container) in (*LIST_CLASSES, tuple)
    has_none = is_sequence and any(element is None for element in container)
    if has_none and is_(item, None) is not False:
        asked = equals_none(item, "==")
        others = [element for element in container if element is not None]
        return or_(held(asked), lambda: in_(item, others)) if others else asked
    if any(map(stager.is_staged, (item, container, *(container if is_sequence else ())))):
        return form_of(operator.contains)(container, item)
    return item in container


def is_(left, right):
    """`left is right`: a staged value may stand for None, or for one of Python's bools."""
    if left is right or TRACE.get() is UNTRACED:
        return left is right
    if is_container(left) and is_container(right) and COPY in (role_of(left), role_of(right)):
        raise unsupported(
            "`is` compares an item of a list: in a graph, what is read from there is a copy",
            "Compare what the items hold, with `==`, or their indices.",
        )
    return form_of(operator.is_)(left, right)


NOTHING = (lambda: (), lambda values: None, ())
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": is_,
    "is not": lambda a, b: not_(is_(a, b)),
    "in": in_,
    "not in": lambda a, b: not_(in_(a, b)),
}
ORDER = ("<", "<=", ">", ">=", "==", "!=")


def held(value):
    """A function that returns an operand already evaluated."""
    return lambda: value


def and_(left, right, assigned=None):
    """`left() and right()`; `assigned` as for `staged_choice`."""
    value = left()
    if value is False:
        return value
    if value is not True and is_staged_truth(value):
        return staged_choice(value, right, held(value), OPERAND, assigned)
    return value and right()


def or_(left, right, assigned=None):
    """`left() or right()`; `assigned` as for `staged_choice`."""
    value = left()
    if value is True:
        return value
    if value is not False and is_staged_truth(value):
        return staged_choice(value, held(unless_none(value)), right, OPERAND, assigned)
    return value or right()


def not_(value):
    """`not value`."""
    if value is True or value is False:
        return not value
    if is_staged_truth(value):
        return form_of(operator.not_)(value)
    return not value


def truth(value):
    """The truth of an operand of `and` or `or`, where a test asks for no more."""
    if value is True or value is False:
        return value
    return form_of(operator.truth)(value) if is_staged_truth(value) else bool(value)


def compare(left, row, *rows, assigned=None):
    """`left < b < c ...`: each operand is evaluated once, and only when it is reached."""
    sign, right = row
    right = right()
    result = _compared(sign, left, right)
    if not rows:
        return result
    return and_(lambda: result, lambda: compare(right, *rows, assigned=assigned), assigned)


def _compared(sign: str, left, right):
    classes = {type(left), type(right)}
    are_alike = classes == {tuple} or classes <= {*LIST_CLASSES}
    if sign in ORDER and are_alike and TRACE.get().stager.checkpoint() is not None:
        return form_of(compared)(COMPARISONS[sign], left, right)
    if dict in classes and sign in ORDER:
        required(left), required(right)
    return COMPARISONS[sign](left, right)


def subject(value, nested: bool = False, reached=True):
    """A value that Python itself matches with a pattern of a sequence, a mapping or a class; what
    is in it too, if such patterns are `nested`. None where the pattern is not `reached`.
    """
    if reached is not False and nested and isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            subject(part, nested)
    return None if reached is False else form_of(matched)(required(value))


def equals_none(value, sign: str):
    """`value == None`, or `!=`, of a value that may be None."""
    if is_(value, None) is False:
        return COMPARISONS[sign](value, None)
    return form_of(compared)(COMPARISONS[sign], value, None)


def if_exp(test, body, orelse, source: str, assigned=None):
    """`body() if test else orelse()`; `assigned` as for `staged_choice`."""
    if test is not True and test is not False and is_staged_truth(test):
        name = f"the value of `... if {source} else ...`"
        return staged_choice(test, body, orelse, name, assigned)
    return body() if test else orelse()


def chosen(test, body, orelse, source: str, assigned=None):
    """The operand of an `if` expression, which compiled code then calls directly."""
    if test is True or test is False or not is_staged_truth(test):
        return body if test else orelse
    return functools.partial(if_exp, test, body, orelse, source, assigned)


def unassigned(value, source: str):
    """A test in Python's own hands: it stands where an assignment in `source` cannot be staged."""
    if is_staged_truth(value):
        raise unsupported(
            f"`{source}` assigns a name where only a tensor decides whether it is evaluated, in a "
            "lambda or a comprehension",
            "Assign the name in a statement of its own, and use a loop or a named function.",
        )
    return value


def assert_stmt(test, message) -> None:
    """`assert test, message()`."""
    if not __debug__:
        return
    if is_staged_truth(test):
        refuse_if_caught(AssertionError())
        message = message or (lambda: "assertion failed")
        form_of(asserted)(test, lambda: without_effects(message))
    elif not test:
        raise raised(lambda: AssertionError(message()) if message is not None else AssertionError)


def staged_choice(test, then, orelse, name: str, assigned=None):
    """`then()` if `test` else `orelse()`.

    `assigned` gives the variables that the operands assign: functions that get and set them, and
    their names. The reads of one that only one operand assigns are checked when the graph runs:
    where `a and (n := b)` is true, it is set.
    """
    get_state, set_state, names = assigned or NOTHING
    state, value = State(get_state, set_state, names), None
    shared: list[SharedAfterMerge] = []  # what the values of the operands share
    copies: list = []  # of items of lists, in the values of the operands

    def side(operand) -> tuple:
        chosen = None

        def block():
            nonlocal chosen
            chosen = operand()
            parts = Snapshot([chosen], arrays=False).rows
            copies.extend(part for part, _ in parts if role_of(part) == COPY)
            shared.append(SharedAfterMerge(state.names, state.before, state.contents, state.watch))
            shared[-1].note((None,), (chosen,), TRACE.get().copies)

        after = state.block(block)
        return (chosen, *after)

    def staged() -> tuple:
        nonlocal value
        value, *after = TRACE.get().stager.cond(
            test,
            lambda: side(then),
            lambda: side(orelse),
            (name, *state.names),
            1 + len(state.names),
        )
        return tuple(after)

    state.replace(staged)
    for merge in shared:
        merge.check((name,), (value,))
    check_when_read(get_state, set_state)
    return note_read(value) if copies else value
