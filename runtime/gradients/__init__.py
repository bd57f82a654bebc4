"""Reverse-mode differentiation of recorded operations, and of a graph into two graphs: one that
also returns what the backward pass needs, and the backward pass itself.
"""

from . import control_flow_gradients  # noqa: F401 - it registers
