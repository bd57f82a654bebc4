"""NumPy functions on tensors, with every traced form registered."""

from . import arranging, joining, products, reducing, selecting  # noqa: F401 - they register forms
from .registry import apply_form, apply_function

__all__ = ["apply_form", "apply_function"]
