"""Gradients: reverse accumulation over records, and graphs made of graphs.

records.py     what was done, and the walk back over it
derivative.py  a graph -> the graph that also saves, and the graph that goes back
control.py     the same for `If`, `While` and `Call` inside a graph that is being built
calls.py       the same for a graph that is called eagerly
recursion.py   the same for functions that call themselves
"""

from . import control, recursion  # noqa: F401 - they enter how their nodes are recorded
