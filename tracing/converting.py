"""User functions given to library code, such as the one that a dataset maps over its elements."""

from __future__ import annotations

from collections.abc import Callable

from ..autograph.api import convert
from . import stager as stager  # from here on, control flow on tensors is staged


def converted(function: Callable) -> Callable:
    """`function`, whose Python control flow is staged when tensors drive it."""
    return convert(recursive=True)(function)
