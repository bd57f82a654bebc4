"""Error messages for branches, or loop iterations, whose types do not match."""

from __future__ import annotations

import numpy as np

from ...autograph.operators.forwarding_lists import LIST_CLASSES
from ...autograph.operators.opaque_content import content_of
from ...autograph.stager import BRANCHES, OPERAND
from ...runtime.core.source_locations import user_location
from ..structures.leaves import described
from .assignment_lines import assignment_lines

RESULT = "retval_"  # the name that holds what a function returns


def differs(name: str, left, right) -> str:
    if name == OPERAND:
        return f"one operand of `and` or `or` is {described(left)}, the other {described(right)}"
    if name == BRANCHES:
        return f"one function returns {described(left)}, another {described(right)}"
    if name == RESULT:
        paths = f"{described(left)} on one path but {described(right)} on another"
        return f"the function returns {paths}"
    label = f"'{name}'" if " " not in name else name
    return (
        f"{label} is {described(left)} after the `if` but {described(right)} after the `else`"
        f"{assignment_lines(name)}"
    )


def changes(name: str, before, after) -> str:
    """The change by a loop of a variable that is `one` before it and `other` after an iteration."""
    return (
        f"'{name}' enters the loop as {before} but is {after} after one iteration"
        f"{assignment_lines(name)}"
    )


def cure_of_objects(name: str, left, right) -> str:
    if left is None or right is None:
        if name == RESULT:
            return (
                "Return a value on every path: where a function ends without `return`, or returns "
                "None, there is no tensor."
            )
        if name == BRANCHES:
            return "Return a tensor from each function, or None from all."
        if name == OPERAND:
            return "Make the operand that is None a bool, for example with bool(flag) or False."
        return "None is no tensor: give both sides a value, and keep a boolean that says which."
    return cure_of_content(left) or (
        "What differs between the sides of an `if` on a tensor has to be a tensor."
    )


def cure_of_content(value) -> str:
    """The cure where a tensor would decide what a set, a deque or the like holds."""
    if isinstance(value, np.ndarray) or content_of(value) is None:
        return ""
    return (
        f"No tensor decides what a {type(value).__name__} holds: keep it in tensors, or in a list "
        "or a dictionary."
    )


def one_sided(side: str) -> str:
    """Why a name has no value after an `if`: the side and the line that assign it."""
    where = user_location()
    line = f" in line {where.line} of {where.file_name}" if where else ""
    holds = "holds" if side == "then" else "does not hold"
    return (
        f"the `if` on a tensor{line} sets it only where its test {holds}. Give it a value on both "
        "sides, or before"
    )


def cure_of_structure(name, value, final) -> str:
    if type(value) in LIST_CLASSES and type(final) in LIST_CLASSES:
        return (
            "A list grows in a loop on tensors when it is a variable of that very function: "
            f"copy one that was passed in, rows = list({name}), and keep tensors of one type in it."
        )
    return "Keep its structure the same in every iteration."
