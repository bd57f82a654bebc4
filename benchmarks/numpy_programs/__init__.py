"""NumPy programs as users write them, one module for each class of problems.

`python benchmarks/numpy_programs/run.py` compares `ag.jit` with NumPy and Numba on them, and
tests/tracing/numpy_mode/test_program_suite.py holds that `ag.jit` does what NumPy does.
"""

from importlib import import_module

from .program import PROGRAMS as PROGRAMS
from .program import copied as copied

CLASSES = (
    "stencils",
    "linear_algebra",
    "dynamic_programming",
    "physics",
    "images",
    "neural_networks",
    "data_analysis",
    "integers",
    "monte_carlo",
    "graphs",
    "signals",
    "views",
    "in_place",
)
for _name in CLASSES:
    import_module(f".{_name}", __name__)
