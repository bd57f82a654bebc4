"""Samples of arrays that a graph computes, on which NumPy itself says what a call gives.

A call is recorded only where its result has the class, the data type and the shape that NumPy gives
for samples of the arguments. What NumPy raises for samples, it raises for the arguments too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.classes import class_of
from ..core.errors import SymbolicValueError, UnimplementedError
from ..core.numpy_dtypes import is_bool, is_integer

_REFUSALS = (SymbolicValueError, UnimplementedError)
FEW = 16  # longer axes of samples are shortened: equal ones alike, and in their order
OF_COMPUTED_SIZE = 3
OF_ANY_SIZE = TypeError, np.exceptions.AxisError  # what NumPy raises whatever sizes arrays have


def sample_array(dtype: np.dtype, shape: tuple[int, ...], number=1, repeats=False) -> np.ndarray:
    """A read-only array of increasing elements, or of few different ones; integers are below
    `number`. Matrices have an inverse.
    """
    places = np.arange(math.prod(shape))
    if is_bool(dtype):
        elements = places % number == 0
    elif is_integer(dtype):
        elements = places % number
    else:
        elements = 0.25 + places % 2 / 4 if repeats else np.linspace(0.1, 0.9, len(places))
    array = elements.reshape(shape)
    if array.dtype == np.float64 and len(shape) > 1:
        array += sum(shape) * np.eye(shape[-2], shape[-1])
    array = array.astype(dtype)
    array.flags.writeable = False
    return array


def without_warnings(function, args, kwargs):
    """The result of a call; a warning is raised, unless it is about floating-point errors."""
    with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    if told:
        raise Warning(told[0].message)
    return result


class UnknownSampleError(Exception):
    """There is no sample of an argument."""


class Samples:
    """Arguments of a call, with samples in place of what a graph computes.

    limit         the length of axes up to which they are not shortened
    sizes         the length of those that are
    has_numbers   whether a number is a sample, on which errors may depend
    has_computed  the same of a size
    expected      what NumPy gives for the samples
    error         what it raises
    """

    def __init__(self, args: tuple, kwargs: dict, limit: float):
        self.has_numbers = self.has_computed = False
        long = sorted(size for size in self._sizes((args, kwargs)) if size > limit)
        self.sizes = {size: FEW + 1 + at for at, size in enumerate(long)}
        self.args = tuple(map(self.of, args))
        self.kwargs = {name: self.of(value) for name, value in kwargs.items()}
        self.expected: Any = None
        self.error: Exception | None = None

    def shape_of(self, value) -> tuple[int | None, ...] | None:
        """The shape of an array of the graph; None for anything else."""
        raise NotImplementedError

    def array_like(self, value, shape: tuple[int, ...]) -> np.ndarray:
        return sample_array(value.dtype, shape)

    def is_alike(self, result, expected) -> bool:
        """Whether a result of the graph is like what NumPy gives for the samples."""
        raise NotImplementedError

    def of(self, value):
        if class_of(value) in (list, tuple):
            return class_of(value)(map(self.of, value))
        shape = self.shape_of(value)
        if shape is None:
            return value
        self.has_computed = self.has_computed or None in shape
        sizes = (OF_COMPUTED_SIZE if size is None else self.sizes.get(size, size) for size in shape)
        return self.array_like(value, tuple(sizes))

    def call(self, function) -> Samples:
        try:
            self.expected = self.compute(function)
        except Exception as error:
            self.error = error
        return self

    def compute(self, function):
        return without_warnings(function, self.args, self.kwargs)

    def has_shape(self, dims, expected: np.ndarray) -> bool:
        """Whether sizes, of which some may be None, are those of a result for samples."""
        pairs = zip(dims, np.shape(expected), strict=False)
        return len(dims) == np.ndim(expected) and all(
            size is None or self.sizes.get(size, size) == other for size, other in pairs
        )

    def _sizes(self, value) -> set[int]:
        """The sizes of the axes of all arrays of the graph."""
        if class_of(value) in (list, tuple, dict):
            parts = value.values() if type(value) is dict else value
            return set().union(*map(self._sizes, parts))
        return {size for size in self.shape_of(value) or () if size is not None}


def as_numpy(function, form: Callable, samples: Callable[[float], list], refused: Callable):
    """`form()`, which has to be alike to what `function` gives for samples.

    `samples(limit)` gives some that differ in their numbers. Raises what NumPy raises for them all,
    or `refused(reason)` where that depends on more than is known.
    """

    def called(limit: float) -> list[Samples]:
        calls = [sample.call(function) for sample in samples(limit)]
        return [sample for sample in calls if sample.error is None] or calls[:1]

    def are_alike() -> bool:
        return all(call.error is None and call.is_alike(result, call.expected) for call in known)

    try:
        known = called(FEW)
    except UnknownSampleError:
        return form()
    if known[0].error is not None and known[0].sizes:
        known = called(math.inf)
    first = known[0]
    if first.error is not None and not (first.has_numbers or first.has_computed):
        if isinstance(first.error, Warning) or "read-only" in str(first.error):
            raise refused(str(first.error))
        raise first.error
    try:
        result = form()
    except Exception as error:  # that NumPy does not raise
        if first.error is not None or first.has_computed or isinstance(error, _REFUSALS):
            raise
        message = str(error).partition("\n")[0]
        raise refused(message) from None
    if not are_alike() and first.sizes:
        known = called(math.inf)
    depends_on_size = known[0].has_computed and not isinstance(known[0].error, OF_ANY_SIZE)
    if not are_alike() and (known[0].error is None or not depends_on_size):
        raise refused("NumPy gives something else for these arguments")
    return result
