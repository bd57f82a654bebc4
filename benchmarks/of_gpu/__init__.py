"""The programs of `benchmarks/gpu.py`: ours, and those of each peer, by the same names.

Each engine is a module with a function `rows(sizes)`. It gives, by name, a function that makes what
is called; this gives a result, which `wait` waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

ENGINES = {"allograph": "own", "hand": "by_hand", "jax": "in_jax", "torch": "in_torch"}


class Sizes(NamedTuple):
    """How much each program computes."""

    side: int = 4096  # of pictures
    starts: int = 10_000_000
    roots: int = 10_000_000
    tanh: tuple[int, ...] = (1_000, 1_000_000, 10_000_000)
    sines: int = 100_000
    quadratic: int = 1_000_000
    steps: int = 1_000
    batch: int = 32
    hidden: int = 256
    gelu: int = 100_000_000
    product: int = 8192
    points: int = 100_000_000
    small: int = 1_000
    repeated: int = 1_000  # calls of the small function


SMALL = Sizes(4, 19, 8, (6,), 20, 20, 3, 2, 4, 20, 6, 1_000, 4, 3)


class Work(NamedTuple):
    """What is timed: `call` gives a result. `repeated` says how many calls a time is divided by."""

    call: Callable[[], object]
    wait: Callable[[object], object]
    repeated: int = 1


def names(sizes: Sizes) -> list[str]:
    """The names of all programs."""
    return [
        "mandelbrot", "collatz", "newton", *(f"tanh loop of {size:,}" for size in sizes.tanh),
        "sines of one number", "quadratic map", "heat", "tanh RNN", "gelu", "matrix product",
        "monte carlo", "small call",
    ]  # fmt: skip
