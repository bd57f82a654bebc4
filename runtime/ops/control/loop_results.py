"""What loops need beside `While`: a check that a name got its value."""

from __future__ import annotations

from ...core.dtypes import ANY, BOOLS
from ...core.errors import InvalidArgumentError
from ...ir.op import Spec
from ...tensors.operation import op


class UnsetError(InvalidArgumentError, UnboundLocalError):
    """A name is read that only the body of a loop sets, and the loop never ran.

    Wrong::

        for x in xs:
            last = x
        return last

    Right: give it a value before the loop, `last = 0`.
    """


def unset_text(variable: str, reason: str) -> str:
    return f"cannot access local variable '{variable}': {reason}"


ONLY_BY_THE_BODY = "only the body of a loop sets it, and the loop did not run"


@op
class SetByLoop:
    """The value that a loop gave a name; an error, with the reason, when it gave none."""

    accepts = {"x": ANY, "ran": BOOLS}
    hidden = True

    def kernel(x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        if not ran:
            raise UnsetError(
                unset_text(variable, reason),
                f"Give '{variable}' a value before the loop.",
            )
        return x

    def result(x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, ran, *, variable, reason=ONLY_BY_THE_BODY):
        return dy, None
