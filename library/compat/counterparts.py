"""Functions of TensorFlow that others here serve, or that are a line of others."""

from __future__ import annotations

import math
import time
import warnings

import numpy as np

from ... import convert_to_tensor, custom_gradient, float32, float64, gradients, nn, reshape, stack
from ...extend import nest
from ...extend.errors import ShapeError
from ...extend.operations import WRITES, NumpyNamespace, Spec, op, scipy_module
from ...extend.registration import expose, public
from ...extend.specs import show

NUMPY = NumpyNamespace(np)


@public("identity_n", "tuple")
def identity_n(input, name=None):
    """The tensors of a list, as they are.

    >>> [int(one) for one in ag.identity_n([1, 2])]
    [1, 2]
    """
    return [convert_to_tensor(leaf) for leaf in nest.flatten(input)]


@public("realdiv")
def realdiv(x, y, name=None):
    """`x / y` for each element of floats or complex numbers.

    >>> ag.realdiv([1.0, 4.0], 2.0).numpy()
    array([0.5, 2. ], dtype=float32)
    """
    return convert_to_tensor(x) / y


@public("grad_pass_through")
def grad_pass_through(f):
    """A function whose gradient is that of the identity, as for rounding.

    >>> x = ag.Variable(1.7)
    >>> with ag.GradientTape() as tape:
    ...     y = ag.grad_pass_through(ag.round)(x * 2.0)
    >>> float(y), float(tape.gradient(y, x))
    (3.0, 2.0)
    """

    @custom_gradient
    def through(x, *args, **kwargs):
        return f(x, *args, **kwargs), lambda *dy: dy if len(dy) > 1 else dy[0]

    return through


@op
class Timestamp:
    """The seconds since 1970, as float64, when it runs.

    >>> bool(ag.timestamp() > 1e9)
    True
    """

    public = ("timestamp",)
    effect = WRITES  # each call has a time of its own

    def kernel():
        return np.float64(time.time())

    def result():
        return Spec(float64, ())


@public("hessians")
def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """The second derivatives of the sum of `ys` with respect to each of `xs`, inside a graph: a
    list of tensors of twice the axes.

    >>> f = ag.function(lambda x: ag.hessians(ag.reduce_sum(x ** 3), x)[0])
    >>> f(ag.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    Raises RuntimeError outside a graph, ShapeError for an unknown shape.
    """
    return [_second_derivatives(ys, x) for x in nest.flatten(xs)]


def _second_derivatives(ys, x):
    (slope,) = gradients(ys, x)
    dims = x.dims
    if dims is None or None in dims:
        raise ShapeError(f"hessians: the shape {show(dims)} has to be known")
    flat = reshape(slope, [-1])
    rows = [
        gradients(flat[place], x, unconnected_gradients="zero")[0]
        for place in range(math.prod(dims))
    ]
    return reshape(stack(rows), [*dims, *dims])


@public("nn.approx_max_k")
def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, **options):
    """The k largest elements along an axis, and their indices: the exact ones.

    >>> [one.numpy().tolist() for one in ag.nn.approx_max_k([1.0, 3.0, 2.0], 2)]
    [[3.0, 2.0], [1, 2]]
    """
    return _largest(convert_to_tensor(operand), k, reduction_dimension)


@public("nn.approx_min_k")
def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, **options):
    """The k smallest elements along an axis, and their indices: the exact ones."""
    values, indices = _largest(-convert_to_tensor(operand), k, reduction_dimension)
    return -values, indices


@public("approx_top_k")
def approx_top_k(input, k, reduction_dimension=-1, is_max_k=True, **options):
    """`nn.approx_max_k`, or `nn.approx_min_k` unless `is_max_k`."""
    return (approx_max_k if is_max_k else approx_min_k)(input, k, reduction_dimension)


def _largest(x, k, axis):
    moved = NUMPY.moveaxis(x, axis, -1)
    return tuple(NUMPY.moveaxis(one, -1, axis) for one in nn.top_k(moved, k))


@public("math.sobol_sample")
def sobol_sample(dim, num_results, skip=0, dtype=float32, name=None):
    """Points of the Sobol sequence, [num_results, dim], which fill the unit cube evenly.

    >>> ag.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]

    Raises UnimplementedError without the package SciPy.
    """
    points = scipy_module("stats.qmc", "math.sobol_sample").Sobol(int(dim), scramble=False)
    points.fast_forward(int(skip) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # any number of points is fine
        found = points.random(int(num_results))
    return convert_to_tensor(found.astype(dtype.numpy_dtype))


expose(stack, "parallel_stack")
