"""Functions of TensorFlow that others here serve, or that are a line of others."""

from __future__ import annotations

import time

import numpy as np

from ..runtime.core.dtypes import float64
from ..runtime.core.public_names import expose, public
from ..runtime.ir.op import WRITES, Spec
from ..runtime.ops.array.joining import stack
from ..runtime.tensors.apply import convert_to_tensor
from ..runtime.tensors.operation import op
from ..tracing.differentiation.custom_gradient import custom_gradient
from ..tracing.structures import nest


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
