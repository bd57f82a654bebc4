"""The shape of values of which it is known that no dimension is missing."""

from __future__ import annotations

import math
from typing import cast

from ..ir.graph import Value


def dims(value: Value) -> tuple[int, ...]:
    """The dimensions of a value of static shape."""
    return cast("tuple[int, ...]", value.shape)


def elements_of(value: Value) -> int:
    """How many elements a value of static shape has."""
    return math.prod(dims(value))
