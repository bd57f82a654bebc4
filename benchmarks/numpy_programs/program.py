"""What a program of the suite is: a function of NumPy, its inputs, and a port to Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

PROGRAMS: dict[str, Program] = {}


class Program(NamedTuple):
    """A function as a user of NumPy writes it.

    inputs        takes a generator of random numbers and a size, and gives the arguments
    small, large  the sizes for tests and for measurements
    port          a function for `numba.njit`, with loops written by hand; without one, Numba
                  compiles the function itself
    """

    function: Callable
    inputs: Callable
    small: tuple[int, ...]
    large: tuple[int, ...]
    port: Callable | None

    def arguments(self, size: tuple[int, ...]) -> tuple[Any, ...]:
        """The arguments of this size, the same in each call."""
        return self.inputs(np.random.default_rng(0), *size)


def program(inputs: Callable, small, large, port: Callable | None = None) -> Callable:
    """A decorator that adds a function to the suite, and gives the function itself."""

    def added(function: Callable) -> Callable:
        sizes = [size if isinstance(size, tuple) else (size,) for size in (small, large)]
        PROGRAMS[function.__name__] = Program(function, inputs, *sizes, port)
        return function

    return added


def copied(arguments: tuple) -> tuple:
    """The arguments with new arrays, for functions that change them."""
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in arguments)
