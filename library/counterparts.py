"""Functions of TensorFlow that others here serve, or that are a line of others."""

from __future__ import annotations

import time

import numpy as np

from ..runtime.core.dtypes import float64
from ..runtime.core.public_names import expose, public
from ..runtime.ir.op import WRITES, Spec
from ..runtime.ops.array.joining import stack
from ..runtime.ops.array.segments import UnsortedSegmentSum
from ..runtime.ops.array.shape_ops import reshape
from ..runtime.ops.array.sorting import top_k
from ..runtime.ops.math.casting import cast
from ..runtime.ops.math.reductions import reduce_sum
from ..runtime.tensors.apply import convert_to_tensor
from ..runtime.tensors.operation import op, ops
from ..tracing.differentiation.custom_gradient import custom_gradient
from ..tracing.structures import nest


@public("math.polyval")
def polyval(coeffs, x, name=None):
    """The polynomial with these coefficients, the highest power first, at `x`.

    >>> ag.math.polyval([1.0, 2.0, 3.0], [2.0, 3.0]).numpy()
    array([11., 18.], dtype=float32)
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval: the coefficients are a list, not {type(coeffs).__name__}")
    x = convert_to_tensor(x)
    total = x * 0
    for one in coeffs:
        total = total * x + one
    return total


@public("math.lbeta")
def lbeta(x, name=None):
    """The logarithm of the beta function of the vectors along the last axis.

    >>> ag.math.lbeta([[1.0, 1.0], [2.0, 1.0]]).numpy().round(4)
    array([ 0.    , -0.6931], dtype=float32)
    """
    x = convert_to_tensor(x)
    return reduce_sum(ops.lgamma(x), -1) - ops.lgamma(reduce_sum(x, -1))


@public("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Sums of the slices with the same segment id, divided by the root of their number.

    >>> ag.math.unsorted_segment_sqrt_n([1.0, 3.0, 3.0, 1.0], [0, 0, 0, 0], 1).numpy()
    array([4.], dtype=float32)
    """
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    sums = UnsortedSegmentSum(data, ids, num_segments)
    counts = UnsortedSegmentSum(cast(ids * 0 + 1, data.dtype), ids, num_segments)
    roots = ops.maximum(counts, 1) ** 0.5
    return sums / reshape(roots, [-1] + [1] * (sums.ndim - 1))


@public("math.approx_max_k", "approx_top_k")
def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, **options):
    """The `k` largest elements along the last axis and their indices, exactly.

    >>> ag.math.approx_max_k([1.0, 5.0, 2.0], 2)[0].numpy()
    array([5., 2.], dtype=float32)
    """
    x = convert_to_tensor(operand)
    if reduction_dimension not in (-1, x.ndim - 1):
        raise ValueError("approx_max_k: the axis is the last one; use ag.transpose")
    return top_k(x, k)


@public("math.approx_min_k")
def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, **options):
    """The `k` smallest elements along the last axis and their indices, exactly.

    >>> ag.math.approx_min_k([1.0, 5.0, 2.0], 2)[0].numpy()
    array([1., 2.], dtype=float32)
    """
    values, indices = approx_max_k(-convert_to_tensor(operand), k, reduction_dimension)
    return -values, indices


@public("identity_n", "tuple")
def identity_n(input, name=None):
    """The tensors of a list, as they are.

    >>> [int(one) for one in ag.identity_n([1, 2])]
    [1, 2]
    """
    return [convert_to_tensor(one) for one in nest.flatten(input)]


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


expose(stack, "parallel_stack")
