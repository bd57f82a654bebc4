"""What a staged loop does beside its body: an upper bound, and names that need an iteration."""

from __future__ import annotations

from collections.abc import Callable

from ..runtime.apply import convert_to_tensor, tensor_of
from ..runtime.dtypes import int32
from ..runtime.ops.loops import SetByLoop
from . import nest
from .control_flow import cond, while_loop
from .leaves import Missing


def loop(test: Callable, body: Callable, state, names, missing: Missing, options: dict) -> tuple:
    """`while_loop` with the options of autograph.

    maximum_iterations   stop after so many
    read_after           names that are read after the loop, though they may be unset before it
    """
    limit = options.get("maximum_iterations")
    wanted = options.get("read_after", ())
    unset = [
        name in wanted and missing.is_missing(value) and not missing.is_result(value)
        for name, value in zip(names, state, strict=True)
    ]
    if limit is None and not any(unset):
        return while_loop(test, body, state, names, missing, options)
    limit = None if limit is None else convert_to_tensor(limit, int32)

    def bounded(count, *values):
        if limit is None:
            return test(*values)
        inside = count < limit
        sides = (lambda: (test(*values),), lambda: (inside,))
        return cond(inside, *sides, ("the test of the loop",), missing)[0]

    count, *after = while_loop(
        bounded,
        lambda count, *values: (count + 1, *body(*values)),
        (convert_to_tensor(0, int32), *state),
        ("iterations", *names),
        missing,
        options,
    )
    rows = zip(unset, names, after, strict=True)
    return tuple(_checked(value, count, name) if late else value for late, name, value in rows)


def _checked(value, count, name: str):
    def check(leaf):
        if tensor_of(leaf) is None:
            return leaf
        return SetByLoop(leaf, count > 0, variable=name)

    return nest.map_structure(check, value)
