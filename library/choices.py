"""Choices among several functions, and operations that do nothing."""

from __future__ import annotations

from .. import cast, cond, convert_to_tensor, debugging, int32, reduce_sum, stack
from ..extend.registration import public
from ..extend.tensors import as_test


@public("case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate holds, else of `default`.

    Raises InvalidArgumentError, when the program runs, where no predicate holds and there is no
    `default`, or where several hold and `exclusive` is set.

    >>> import allograph as ag
    >>> x = ag.constant(5)
    >>> int(ag.case([(x > 7, lambda: 1), (x > 3, lambda: 2)], default=lambda: 3))
    2
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if exclusive and len(pairs) > 1:
        holding = cast(stack([as_test(pred) for pred, _ in pairs]), int32)
        count = reduce_sum(holding)
        debugging.Assert(count <= 1, ["case: exclusive=True, but several predicates hold:", count])
    if default is None:
        default = _certainly(*pairs.pop())
    if not pairs:
        return default()
    (pred, function), *rest = pairs
    return cond(pred, function, lambda: case(rest, default))


def _certainly(pred, function):
    """The function, which fails where its predicate does not hold."""

    def choose():
        debugging.Assert(as_test(pred), ["case: no predicate holds, and there is no default"])
        return function()

    return choose


@public("switch_case")
def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The result of the branch with this index; out of range means `default`, else the last branch.

    >>> import allograph as ag
    >>> int(ag.switch_case(ag.constant(1), [lambda: 10, lambda: 20]))
    20
    """
    branches = list(branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns))
    branches = [pair if isinstance(pair[1], tuple) is False else pair[1] for pair in branches]
    last = default or branches[-1][1]
    index = convert_to_tensor(branch_index)
    return case([(index == key, function) for key, function in branches], default=last)


@public("group")
def group(*inputs, name=None) -> None:
    """An operation after all `inputs`: they have run, since program order is kept."""


@public("no_op")
def no_op(name=None) -> None:
    """Nothing."""
