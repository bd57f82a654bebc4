"""NumPy functions on tensors, with every traced implementation registered."""

from . import (  # noqa: F401 - they register implementations
    joining_functions,
    products,
    reducing,
    shape_functions,
    sorting_and_selection,
)
from .registry import apply_function, apply_implementation

__all__ = ["apply_function", "apply_implementation"]
