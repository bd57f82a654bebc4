"""Recursions of solvers and models, against TensorFlow's graphs of the same programs."""

from collections.abc import Iterator

from harness import Workload
from problems import problem

NAMES = ("dormand_prince", "riccati", "crf_gradient")


def workloads() -> Iterator[Workload]:
    for name in NAMES:
        yield problem(name, ("allograph", "tensorflow"), reference="tensorflow", limit=1.0)
