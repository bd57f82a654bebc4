"""Shape inference: the dtypes and shapes of outputs, from a trace without execution."""

from __future__ import annotations

from .... import DType, TensorShape, TensorSpec
from ....extend import nest
from ....extend.graphs import BUILDER
from ....extend.specs import as_shape
from ....extend.tracing import FuncGraph, creating_variables


class Placeholder:
    """Base class of objects with a shape and a dtype but no value."""

    _shape: tuple | None
    dtype: DType


def result_for(function, *args, **kwargs):
    """The specs of a function's results, for arguments that contain placeholders and specs."""
    graph = FuncGraph("result", outer=BUILDER.get())

    def placeholder(leaf):
        if isinstance(leaf, (Placeholder, TensorSpec)):
            return graph.input(leaf.dtype, leaf.dims)
        return leaf

    with creating_variables(True), graph:
        args, kwargs = nest.map_structure(placeholder, (args, kwargs))
        outputs = function(*args, **kwargs)
        specs = nest.map_structure(lambda leaf: TensorSpec(leaf.dims, leaf.dtype), outputs)
    graph.close()
    return specs


def result_for_shape(layer, input_shape):
    """The specs of a layer's outputs for inputs of a shape or a list of shapes."""
    several = isinstance(input_shape, (list, tuple)) and any(
        isinstance(size, (list, tuple, TensorShape)) for size in input_shape
    )
    shapes = [as_shape(size) for size in (input_shape if several else [input_shape])]
    specs = [TensorSpec(shape, layer.input_dtype) for shape in shapes]
    return result_for(layer, specs if several else specs[0])


def cure_of_rank(sizes, rank: int) -> str:
    """What gives inputs of one axis too few the axes that a layer takes."""
    if sizes is None or len(sizes) != rank - 1:
        return ""
    return "The first axis is that of the samples: x[None] is a batch of one sample."
