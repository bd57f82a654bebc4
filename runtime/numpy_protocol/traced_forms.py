"""NumPy functions on tensors, with every traced form registered."""

from . import (  # noqa: F401 - they register forms
    joining_functions,
    products,
    reducing,
    shape_functions,
    sorting_and_selection,
)
from .registry import apply_form, apply_function

__all__ = ["apply_form", "apply_function"]
