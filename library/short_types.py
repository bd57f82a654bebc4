"""Types of functions in few words: `float32[2,?]` for tensors, with the brackets of structures."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from .. import TensorSpec
from ..extend.specs import Container, Literal, dimensions
from ..extend.tracing import ConcreteFunction


def short_type(type_: Any) -> str:
    """A type as graphs print it, where it is one of tensors or of structures of them.

    >>> import allograph as ag
    >>> short_type(ag.TensorSpec([2, None], ag.float32))
    'float32[2,?]'
    """
    if isinstance(type_, TensorSpec):
        return f"{type_.dtype.name}[{dimensions(type_.dims)}]"
    if not isinstance(type_, Container):
        return repr(type_)
    parts = list(map(short_type, type_.components))
    if issubclass(type_.family, Mapping):
        return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(type_.keys, parts, strict=True)) + "}"
    opening, closing = "[]" if issubclass(type_.family, list) else "()"
    return opening + ", ".join(parts) + closing


def parameters_of(concrete: ConcreteFunction) -> str:
    """The parameters of a trace: `(x: float32[2,?], n=3)`."""
    return "(" + ", ".join(map(_parameter, concrete.function_type.parameters.values())) + ")"


def _parameter(row: inspect.Parameter) -> str:
    if isinstance(row.annotation, Literal):
        return f"{row.name}={row.annotation.value!r}"
    return f"{row.name}: {short_type(row.annotation)}"


def signature_in_short(concrete: ConcreteFunction) -> str:
    """The parameters and the result of a trace.

    >>> import allograph as ag
    >>> double = ag.function(lambda x: {"twice": x + x})
    >>> signature_in_short(double.get_concrete_function(ag.TensorSpec([3])))
    "(x: float32[3]) -> {'twice': float32[3]}"
    """
    return f"{parameters_of(concrete)} -> {short_type(concrete.function_type.output)}"
