"""Linear operators: matrices by their structure, with products, solutions and determinants."""

from . import blocks, circulant, diagonal, operator, reflections, triangular, updates
