"""User functions given to library code: converted, so that tensors may drive their control flow."""

from __future__ import annotations

from collections.abc import Callable

from ...autograph.api import convert
from ...autograph.operators.scopes import FEATURES
from ...runtime.tensors.apply import BUILDER


def converted(function: Callable) -> Callable:
    """`function`, whose Python control flow is staged when tensors drive it."""
    features = tuple(FEATURES.get()) or None  # those of the function that is being traced
    return convert(recursive=True, optional_features=features)(function)


def call_user_code(function: Callable, *args, **kwargs):
    """`function(*args, **kwargs)`; while a graph is built, its control flow may be staged."""
    run = function if BUILDER.get() is None else converted(function)
    return run(*args, **kwargs)
