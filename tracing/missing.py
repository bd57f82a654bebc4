"""How control flow tells a name without a value."""

from __future__ import annotations

from ..autograph.operators.undefined import Undefined, UndefinedReturnValue
from .leaves import Missing

MISSING = Missing(
    is_missing=lambda value: isinstance(value, Undefined),
    is_result=lambda value: isinstance(value, UndefinedReturnValue),
    unset=Undefined,
)
