"""Regularizers: penalties on weights that are added to the losses of a layer."""

from __future__ import annotations

from ....runtime.ops.math.reductions import reduce_sum
from ....runtime.tensors.apply import convert_to_tensor
from ..registry import Configured, finder, keras_class

regularizer = keras_class("regularizers")


class Regularizer(Configured):
    """Base class of regularizers: `regularizer(x)` returns a scalar."""

    def __call__(self, x):
        raise NotImplementedError(f"{type(self).__name__} does not define `__call__`")


regularizer(Regularizer)


@regularizer
class L1L2(Regularizer):
    """`l1 * sum(abs(x)) + l2 * sum(x ** 2)`.

    >>> float(ag.keras.regularizers.L1L2(1.0, 0.5)([2.0, -2.0]))
    8.0
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = l1, l2

    def __call__(self, x):
        x = convert_to_tensor(x)
        terms = []
        if self.l1:
            terms.append(self.l1 * reduce_sum(abs(x)))
        if self.l2:
            terms.append(self.l2 * reduce_sum(x * x))
        return sum(terms[1:], terms[0]) if terms else convert_to_tensor(0.0, x.dtype)


@regularizer
class L1(L1L2):
    """`l1 * sum(abs(x))`."""

    def __init__(self, l1=0.01):
        super().__init__(l1=l1)


@regularizer
class L2(L1L2):
    """`l2 * sum(x ** 2)`."""

    def __init__(self, l2=0.01):
        super().__init__(l2=l2)


@keras_class("regularizers")
def l1(l1=0.01):
    """`L1(l1)`."""
    return L1(l1)


@keras_class("regularizers")
def l2(l2=0.01):
    """`L2(l2)`."""
    return L2(l2)


@keras_class("regularizers")
def l1_l2(l1=0.01, l2=0.01):
    """`L1L2(l1, l2)`."""
    return L1L2(l1, l2)


get = finder("regularizers")
