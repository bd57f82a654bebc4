"""Pooling layers whose windows follow from the size of their outputs."""

from __future__ import annotations

import numpy as np

from .... import concat, gather, reduce_max, reduce_mean
from .base_layer import Layer, layer


def pooled(reduce, x, sizes, channels_first: bool):
    """`x` with its spatial axes reduced to `sizes`, window by window; windows may overlap."""
    for place, wanted in enumerate(sizes):
        axis = place + (2 if channels_first else 1)
        size = x.dims[axis]
        bounds = [
            (number * size // wanted, -(-(number + 1) * size // wanted)) for number in range(wanted)
        ]
        parts = [gather(x, np.arange(*pair), axis=axis) for pair in bounds]
        x = concat([reduce(part, axis, True) for part in parts], axis)
    return x


class AdaptivePooling(Layer):
    """Base class of pooling to `output_size`: a number, or one for each axis of space."""

    rank = 2
    reduce = staticmethod(reduce_mean)

    def __init__(self, output_size, data_format=None, **kwargs):
        super().__init__(**kwargs)
        sizes = [output_size] * self.rank if isinstance(output_size, int) else list(output_size)
        if len(sizes) != self.rank:
            raise ValueError(f"output_size is a number or {self.rank} of them, not {output_size}")
        self.output_size, self.data_format = sizes, data_format

    def call(self, inputs):
        return pooled(self.reduce, inputs, self.output_size, self.data_format == "channels_first")


for _name, _reduce, _what in (
    ("Average", reduce_mean, "means"), ("Max", reduce_max, "largest elements"),
):  # fmt: skip
    for _rank in (1, 2, 3):
        _body = {
            "rank": _rank, "reduce": staticmethod(_reduce), "__module__": __name__,
            "__doc__": f"The {_what} of windows over {_rank} axes of space, to `output_size`.",
        }  # fmt: skip
        layer(type(f"Adaptive{_name}Pooling{_rank}D", (AdaptivePooling,), _body))
