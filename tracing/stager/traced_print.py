"""Python's `print` in converted code: a tensor is printed while tracing, and never again."""

from __future__ import annotations

import warnings

from ...runtime.core.source_locations import user_location
from ...runtime.core.user_source import in_users_words
from ...runtime.tensors.apply import is_symbolic_tensor, tensor_of

_WARNED: set[str] = set()  # the lines that were warned about


def traced_print(*items, **options) -> None:
    """`print`, with a warning, once for each line, where it prints a tensor without a value."""
    print(*items, **options)
    where = user_location()
    has_tensor = any(is_symbolic_tensor(tensor_of(item)) for item in items)
    if has_tensor and where is not None and str(where) not in _WARNED:
        _WARNED.add(str(where))
        message = in_users_words(
            "this print runs only while the function is traced, when a tensor has no value yet. "
            "Use ag.print to print in every call"
        )
        warnings.warn_explicit(message, UserWarning, where.file, where.line)
