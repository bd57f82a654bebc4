"""Tuples among the state of staged statements: their parts are state of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograph.operators.undefined import UndefinedReturnValue
from ...runtime.tensors.graph_builder import Builder
from .refusal import TupleStateError

Sizes = Sequence[int | None]  # of the tuple that a name holds; None for anything else


def without_tuples(names, one: tuple, other: tuple) -> tuple[Sizes, list, tuple, tuple]:
    """The sizes of tuples, and names and values with their parts in place of the tuples.

    A name is a tuple where both values are, or one and the other is no result yet.
    """
    sizes = [_size(*pair) for pair in zip(one, other, strict=True)]
    return sizes, named(sizes, names), spread(sizes, one), spread(sizes, other)


def _size(one, other) -> int | None:
    tuples = [value for value in (one, other) if type(value) is tuple]
    others = [value for value in (one, other) if type(value) is not tuple]
    if not tuples or not all(isinstance(value, UndefinedReturnValue) for value in others):
        return None
    return len(tuples[0]) if len(tuples[0]) == len(tuples[-1]) else None


def named(sizes: Sizes, names) -> list:
    """A name for each part."""
    return [part for size, name in zip(sizes, names, strict=True)
            for part in ([name] if size is None else [name] * size)]  # fmt: skip


def spread(sizes: Sizes, values) -> tuple:
    """The values with the parts of tuples in their place."""
    result: list = []
    for size, value in zip(sizes, values, strict=True):
        if size is None:
            result.append(value)
        else:
            result += value if type(value) is tuple else [value] * size
    return tuple(result)


def with_tuples(sizes: Sizes, values) -> tuple:
    """The values with tuples in place of their parts."""
    rest = iter(values)
    return tuple(
        next(rest) if size is None else _made([next(rest) for _ in range(size)]) for size in sizes
    )


def _made(parts: list) -> Any:
    """A tuple; while there is no result yet, that."""
    first = parts[0] if parts else None
    return first if isinstance(first, UndefinedReturnValue) else tuple(parts)


def body_of_parts(builder: Builder, sizes: list, body: Callable) -> Callable:
    """A loop body whose state has the parts of tuples.

    Raises TupleStateError, for `builder`, if the result of a function becomes a tuple.
    """

    def call(*values):
        count = len(values) - len(spread(sizes, [None] * len(sizes)))
        before = with_tuples(sizes, values[count:])
        after = body(*values[:count], *before)
        for at, (size, old, new) in enumerate(zip(sizes, before, after[count:], strict=True)):
            if size is None and _size(old, new) is not None and old is not new:
                raise TupleStateError(builder, at, len(new))
        return (*after[:count], *spread(sizes, after[count:]))

    return call
