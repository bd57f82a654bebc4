"""Regularizers: penalties on weights that are added to the losses of a layer."""

from __future__ import annotations

from .... import convert_to_tensor, eye, matmul, reduce_sum, transpose
from ...nn.functional import l2_normalize
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


@keras_class("regularizers", "orthogonal_regularizer")
class OrthogonalRegularizer(Regularizer):
    """`factor` times the mean absolute cosine of the angles between rows, or columns.

    >>> float(ag.keras.regularizers.OrthogonalRegularizer(1.0)([[1.0, 0.0], [3.0, 4.0]]))
    0.6...
    """

    def __init__(self, factor=0.01, mode="rows"):
        if mode not in ("rows", "columns"):
            raise ValueError(f"OrthogonalRegularizer: 'rows' or 'columns', not {mode!r}")
        self.factor, self.mode = factor, mode

    def __call__(self, x):
        x = convert_to_tensor(x)
        if x.ndim != 2:
            raise ValueError(f"OrthogonalRegularizer takes a matrix, not {x.ndim} axes")
        rows = l2_normalize(x if self.mode == "rows" else transpose(x), 1)
        count = rows.dims[0]
        cosines = abs(matmul(rows, rows, transpose_b=True)) * (1 - eye(count, dtype=x.dtype))
        pairs = count * (count - 1) / 2
        return self.factor * 0.5 * reduce_sum(cosines) / pairs


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
