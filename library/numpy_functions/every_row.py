"""Every file of this folder: each registers the rows of its functions."""

from . import (  # noqa: F401 - they register implementations
    joining_functions,
    products,
    reducing,
    shape_functions,
    sorting_and_selection,
)
