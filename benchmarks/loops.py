"""Loops over scalars, against the same loops written for Numba by hand."""

from collections.abc import Iterator

from harness import Workload
from problems import problem

NAMES = ("collatz", "newton", "mandelbrot_scalar", "branching")


def workloads() -> Iterator[Workload]:
    for name in NAMES:
        yield problem(name, ("allograph_jit", "numba"), reference="numba", limit=1.3)
