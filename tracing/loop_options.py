"""What a staged loop does beside its body: an upper bound."""

from __future__ import annotations

from collections.abc import Callable

from ..runtime.apply import convert_to_tensor
from ..runtime.dtypes import int32
from .control_flow import cond, while_loop
from .leaves import Missing


def loop(test: Callable, body: Callable, state, names, missing: Missing, options: dict) -> tuple:
    """`while_loop` with the options of autograph.

    maximum_iterations   stop after so many
    """
    limit = options.get("maximum_iterations")
    if limit is None:
        return while_loop(test, body, state, names, missing, options)
    limit = convert_to_tensor(limit, int32)

    def bounded(count, *values):
        inside = count < limit
        sides = (lambda: (test(*values),), lambda: (inside,))
        return cond(inside, *sides, ("the test of the loop",), missing)[0]

    _, *after = while_loop(
        bounded,
        lambda count, *values: (count + 1, *body(*values)),
        (convert_to_tensor(0, int32), *state),
        ("iterations", *names),
        missing,
        options,
    )
    return tuple(after)
