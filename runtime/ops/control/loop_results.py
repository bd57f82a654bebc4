"""The check that a variable assigned in a loop has a value after it."""

from __future__ import annotations

from ...core.dtypes import ANY, BOOLS
from ...core.errors import InvalidArgumentError
from ...core.public_names import public
from ...ir.op import PURE, WRITES, Spec
from ...tensors.operation import hidden_op


@public("errors.UnsetError")
class UnsetError(InvalidArgumentError, UnboundLocalError):
    """A variable that only the body of a loop assigns is read, and the loop ran zero iterations.

    Wrong::

        for x in xs:
            last = x
        return last

    Right: assign it before the loop, `last = 0`.
    """


def unset_message(variable: str, reason: str) -> str:
    """The message of Python's UnboundLocalError, with a reason; `variable` may be `a.b` too."""
    if not variable.isidentifier():
        return f"cannot read {variable}, which is missing: {reason}"
    return f"cannot access local variable '{variable}': {reason}"


def cure_of(variable: str, reason: str) -> str:
    """The cure of an UnsetError: a value for the variable, or a question whether it is None."""
    is_name = variable.isidentifier()
    if reason != NONE_ON_A_SIDE:
        return f"Give {repr(variable) if is_name else variable} a value before the loop."
    return f"Ask {f'`if {variable} is not None:`' if is_name else 'for None'} before it is used."


ONLY_BY_THE_BODY = "only the body of a loop sets it, and the loop did not run"
NONE_BEFORE = "it is None before the loop, and the loop did not run"
NONE_ON_A_SIDE = "it is None on the side of the `if` on a tensor that ran"


@hidden_op
class SetByLoop:
    """The value that a loop assigned to a variable. Raises UnsetError if it assigned none.

    Reading a variable is checked even if nothing uses the value. One that is None may be read.
    """

    accepts = {"x": ANY, "ran": BOOLS}
    is_check = True

    def effect(attrs):
        return PURE if attrs.get("reason") in (NONE_BEFORE, NONE_ON_A_SIDE) else WRITES

    native_result = "view"

    def kernel(x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        if not ran:
            raise UnsetError(unset_message(variable, reason), cure_of(variable, reason))
        return x

    def result(x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        return dy, None
