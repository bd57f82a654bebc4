"""Linear operators: matrices by their structure, with products, solutions and determinants."""

from . import (
    block_operators,
    circulant,
    derived,
    diagonal,
    operator,
    reflections,
    triangular,
    updates,
)
