"""Reverse accumulation, and the derivative of a graph: a graph that also saves, and one that goes
back.
"""

from . import control_flow_gradients, recursive_gradients  # noqa: F401 - they register
