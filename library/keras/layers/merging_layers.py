"""Layers that merge several inputs into one output."""

from __future__ import annotations

import numpy as np

from .... import cast, concat, convert_to_tensor
from ....extend.operations import ops
from ....extend.registration import expose
from .base_layer import Layer, layer


def in_one_dtype(inputs) -> list:
    """The inputs in their common dtype: integers beside floats become such floats."""
    tensors = list(map(convert_to_tensor, inputs))
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) < 2 or not all(dtype.is_numeric for dtype in dtypes):
        return tensors
    floats = [dtype.numpy_dtype for dtype in dtypes if not dtype.is_integer]
    common = np.result_type(*(floats or [dtype.numpy_dtype for dtype in dtypes]))
    return [cast(tensor, common) for tensor in tensors]


class Merge(Layer):
    """Base class of layers that combine a list of inputs pairwise, from left to right."""

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 1:
            raise ValueError(f"{self.name}: a list of inputs is needed")
        total, *rest = in_one_dtype(inputs)
        for one in rest:
            total = self.combine(total, one)
        return self.finish(total, len(inputs))

    def finish(self, total, count: int):
        """The output for the combination of `count` inputs."""
        return total


def _merging(name: str, combine, doc: str, **body):
    body = {"combine": staticmethod(combine), "__doc__": doc, "__module__": __name__, **body}
    return layer(type(name, (Merge,), body))


Add = _merging("Add", lambda a, b: a + b, "The elementwise sum of its inputs.")
Subtract = _merging("Subtract", lambda a, b: a - b, "The elementwise difference of its two inputs.")
Multiply = _merging("Multiply", lambda a, b: a * b, "The elementwise product of its inputs.")
Maximum = _merging("Maximum", ops.maximum, "The elementwise maximum of its inputs.")
Minimum = _merging("Minimum", ops.minimum, "The elementwise minimum of its inputs.")
Average = _merging(
    "Average",
    lambda a, b: a + b,
    "The elementwise mean of its inputs.",
    finish=lambda self, total, count: total / count,
)


@layer
class Concatenate(Layer):
    """Its inputs concatenated along `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return concat(in_one_dtype(inputs), self.axis)


def _function_of(name: str, cls) -> None:
    def call(inputs, **kwargs):
        return cls(**kwargs)(inputs)

    call.__name__, call.__doc__ = name, f"A call of a new layer `{cls.__name__}`."
    expose(call, f"keras.layers.{name}")


for _class in (Add, Subtract, Multiply, Maximum, Minimum, Average, Concatenate):
    _function_of(_class.__name__.lower(), _class)
