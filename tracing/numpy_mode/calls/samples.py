"""Samples of the arrays and numbers of NumPy mode. A call is recorded only where its result is what
NumPy gives for them, and shares memory with an argument where that does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ....runtime.numpy_protocol import samples
from ....runtime.numpy_protocol.samples import sample_array
from ..refusal import RefusedError, noun
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar

NUMBERS = (1, 0, 3, 30)


def sample_number(value: TracedScalar, number):
    return value.numpy_dtype.type(number) if value.python is None else value.python(number)


class _Samples(samples.Samples):
    """Samples whose numbers are `number`, and the arrays that they are of.

    changing  the positions and keywords of the arguments that change
    """

    def __init__(self, args: tuple, kwargs: dict, changing: tuple, limit: float, number: int):
        self.number = number
        self.pairs: list[tuple[TracedArray, np.ndarray]] = []
        super().__init__(args, kwargs, limit)
        for name in changing:
            changed = self.kwargs.get(name) if isinstance(name, str) else self.args[name:][:1]
            for array in changed if type(changed) is tuple else (changed,):
                if any(array is copied for _, copied in self.pairs):
                    array.flags.writeable = True

    def shape_of(self, value):
        if type(value) is not TracedArray:
            return None
        sizes = enumerate(value.template.shape)
        return tuple(None if axis in value.computed else size for axis, size in sizes)

    def of(self, value):
        if type(value) is TracedScalar and value.none is None:
            self.has_numbers = True
            if value.others and self.number % 2 == 0:
                return value.types[-1](self.number)
            return sample_number(value, self.number)
        is_other = getattr(type(value), "is_graph_value", False) and type(value) is not TracedArray
        if is_other or hasattr(type(value), "to_array"):
            raise RefusedError(f"{noun(value)} among the arguments of a function of NumPy's")
        return super().of(value)

    def array_like(self, value: TracedArray, shape: tuple[int, ...]) -> np.ndarray:
        sample = in_layout(sample_array(value.dtype, shape), value.template)
        self.pairs.append((value, sample))
        return sample

    def is_alike(self, result, expected) -> bool:
        if isinstance(expected, (tuple, list)):
            is_same = type(result) is type(expected) and len(result) == len(expected)
            return is_same and all(map(self.is_alike, result, expected))
        if type(result) is TracedScalar:
            cls = result.python or result.numpy_dtype.type
            return type(expected) is cls or bool(result.others)
        if type(result) is not TracedArray or type(expected) is not np.ndarray:
            return type(result) is type(expected)
        is_same = result.dtype == expected.dtype and self.has_shape(self.shape_of(result), expected)
        return is_same and self._shares_alike(result, expected)

    def _shares_alike(self, result: TracedArray, expected: np.ndarray) -> bool:
        """Whether a result shares memory with an argument where NumPy's does, or may do so."""
        shares = any(
            expected is array or np.may_share_memory(expected, array) for _, array in self.pairs
        )
        if any(array.storage is result.storage for array, _ in self.pairs):
            return shares or not expected.size
        roots = {root for array, _ in self.pairs for root in array.storage.roots()}
        return not shares or not roots.isdisjoint(result.storage.roots())


def in_layout(array: np.ndarray, template: np.ndarray) -> np.ndarray:
    """The array with the order of axes in memory of another one, and with gaps."""
    if template.flags.c_contiguous:
        return array
    order = sorted(range(array.ndim), key=lambda axis: -abs(template.strides[axis]))
    gap = 1 if template.flags.f_contiguous else 2
    room = np.zeros([gap * array.shape[axis] for axis in order], array.dtype)
    steps = [slice(None, None, gap if template.strides[axis] >= 0 else -gap) for axis in order]
    view = room[tuple(steps)].transpose(np.argsort(order))
    view[...] = array
    view.flags.writeable = False
    return view


def as_numpy(function, form: Callable, args: tuple, kwargs: dict, changing: tuple = ("out",)):
    """`form()`, which has to be alike to `function(*args, **kwargs)` of samples.

    Raises what NumPy raises for samples, or RefusedError where it depends on computed numbers.
    """

    def of_numbers(limit: float) -> list[_Samples]:
        sampled = partial(_Samples, args, kwargs, changing, limit)
        first = sampled(NUMBERS[0])
        return [first, *map(sampled, NUMBERS[1:])] if first.has_numbers else [first]

    def refused(reason: str) -> RefusedError:
        return RefusedError(f"np.{function.__name__}: {reason}")

    return samples.as_numpy(function, form, of_numbers, refused)
