"""Kernels with every number at run time that may be: what shapes share, without the shapes."""

import contextlib
from unittest import mock

from allograph.runtime.executors import shared_kernels
from allograph.runtime.executors.kernel_numbers import numbers_of


def _general(kernels, code, types, results, last):
    """The kernel of one and of another one in which every number is another."""
    if any(None in getattr(one, "shape", ()) for one in (*types, *results)):
        return None
    numbers = numbers_of(code)
    sizes = shared_kernels._sizes(types) + shared_kernels._sizes(results)
    vector = (*numbers.numbers, *sizes)
    count = {one: at for at, one in enumerate(dict.fromkeys((type(one), one) for one in vector))}
    other = tuple(one + (1 + count[type(one), one]) ** 2 for one in vector)
    if not vector:
        return None
    examples = [vector, other]
    return shared_kernels._General(numbers, types, results, last, examples), vector


@contextlib.contextmanager
def every_number_at_run_time():
    """What `jit` compiles inside takes all numbers as arguments that it can."""
    with mock.patch.object(shared_kernels, "general", _general):
        yield
