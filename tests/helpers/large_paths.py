"""Arrays of a few elements on the paths of large ones: other thresholds, and other threads."""

import contextlib
import random

import allograph as ag
from allograph.runtime.core import thresholds


def chosen(kind: str, seed: int) -> dict:
    """The thresholds of a program: those measured, all at their smallest, or some of them."""
    if kind == "measured":
        return {}
    if kind == "1":
        return thresholds.SMALLEST
    draw, others = random.Random(seed), thresholds.SMALLEST | thresholds.FEWEST
    return {name: one for name, one in others.items() if draw.random() < 0.5}


@contextlib.contextmanager
def large_paths(kind: str = "1", threads: int = 0, seed: int = 0):
    """What is compiled inside has these thresholds, and is shared by so many threads."""
    set_threads = ag.config.threading.set_intra_op_parallelism_threads
    before = ag.config.threading.get_intra_op_parallelism_threads()
    set_threads(threads)
    try:
        with thresholds.set_to(chosen(kind, seed)):
            yield
    finally:
        set_threads(before)
