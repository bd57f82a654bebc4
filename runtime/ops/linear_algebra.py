"""Products of matrices."""

from __future__ import annotations

import numpy as np

from ..apply import convert_to_tensor
from ..dtypes import NUMBERS
from ..errors import ShapeError
from ..op import Spec, op
from ..shapes import broadcast, show
from ..vocabulary import public


@op
class Matmul:
    """The product of matrices in the last two axes; leading axes are batches, and broadcast.

    >>> import allograph as ag
    >>> ag.matmul([[1, 2], [3, 4]], [[1], [1]]).numpy()
    array([[3],
           [7]], dtype=int32)

    Raises ShapeError where the inner dimensions differ.
    """

    accepts = NUMBERS
    hidden = True
    native = "np.dot({a}, {b})"
    operator = ("__matmul__", "__rmatmul__")

    def kernel(a, b):
        return np.matmul(a, b)

    def result(a, b):
        if a.shape is None or b.shape is None:
            return Spec(a.dtype, None)
        if len(a.shape) < 2 or len(b.shape) < 2:
            raise ShapeError(
                f"matmul: shapes {show(a.shape)} and {show(b.shape)}; both need at least 2 axes"
            )
        if None not in (a.shape[-1], b.shape[-2]) and a.shape[-1] != b.shape[-2]:
            raise ShapeError(
                f"matmul: the inner dimensions of {show(a.shape)} and {show(b.shape)} differ",
                "Transpose one side: transpose_a=True or transpose_b=True.",
            )
        try:
            batch = broadcast(a.shape[:-2], b.shape[:-2])
        except ValueError as error:
            raise ShapeError(f"matmul: {error}") from None
        return Spec(a.dtype, (*batch, a.shape[-2], b.shape[-1]))


@public("matmul", "linalg.matmul")
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The product of matrices in the last two axes; leading axes are batches, and broadcast.

    >>> matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True).numpy()
    array([[11.]], dtype=float32)

    Raises ShapeError where the inner dimensions differ.
    """
    from .casting import Conj
    from .shaping import matrix_transpose

    sides = []
    for side, turned, adjoint in ((a, transpose_a, adjoint_a), (b, transpose_b, adjoint_b)):
        if turned or adjoint:
            side = matrix_transpose(convert_to_tensor(side))
        sides.append(Conj(side) if adjoint and side.dtype.is_complex else side)
    return Matmul(*sides)


@public("linalg.matvec")
def matvec(a, b, transpose_a=False, name=None):
    """The product of a matrix and a vector."""
    from .shaping import expand_dims, squeeze

    return squeeze(matmul(a, expand_dims(b, -1), transpose_a=transpose_a), -1)


@op
class Tensordot:
    """The sum of products over pairs of axes."""

    accepts = NUMBERS
    hidden = True

    def kernel(a, b, *, axes):
        return np.tensordot(a, b, axes)

    def result(a, b, *, axes):
        if a.shape is None or b.shape is None:
            return Spec(a.dtype, None)
        left, right = (_axes(x.shape, one) for x, one in zip((a, b), axes, strict=True))
        for i, j in zip(left, right, strict=True):
            if None not in (a.shape[i], b.shape[j]) and a.shape[i] != b.shape[j]:
                raise ShapeError(
                    f"tensordot: axis {i} of {show(a.shape)} and axis {j} of {show(b.shape)} differ"
                )
        kept = [size for place, size in enumerate(a.shape) if place not in left]
        kept += [size for place, size in enumerate(b.shape) if place not in right]
        return Spec(a.dtype, tuple(kept))


def _axes(shape, axes):
    return [axis % len(shape) for axis in axes]


@public("tensordot", "linalg.tensordot")
def tensordot(a, b, axes, name=None):
    """The sum of products over the last `axes` axes of `a` and the first of `b`, or over listed
    ones.

    >>> tensordot([1, 2], [3, 4], 1)
    <tf.Tensor: shape=(), dtype=int32, numpy=11>
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    if isinstance(axes, int):
        axes = (tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    pair = tuple((one,) if isinstance(one, int) else tuple(one) for one in axes)
    return Tensordot(a, b, axes=pair)


@op
class Einsum:
    """Sums of products in Einstein's notation."""

    accepts = NUMBERS
    hidden = True

    def kernel(*operands, equation):
        return np.einsum(equation, *operands, optimize=True)

    def result(*operands, equation):
        sizes: dict[str, int | None] = {}
        terms, _, out = equation.replace(" ", "").partition("->")
        for term, operand in zip(terms.split(","), operands, strict=True):
            if operand.shape is None or "." in term:
                return Spec(operands[0].dtype, None)
            if len(term) != len(operand.shape):
                raise ShapeError(f"einsum: '{term}' does not fit the shape {show(operand.shape)}")
            for letter, size in zip(term, operand.shape, strict=True):
                if None not in (sizes.get(letter), size) and sizes[letter] != size:
                    raise ShapeError(f"einsum: '{letter}' is {sizes[letter]} and {size}")
                sizes[letter] = sizes.get(letter) or size
        if "->" not in equation:
            letters = terms.replace(",", "")
            out = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
        return Spec(operands[0].dtype, tuple(sizes[letter] for letter in out))


@public("einsum", "linalg.einsum")
def einsum(equation, *inputs, name=None, **options):
    """Sums of products in Einstein's notation.

    >>> einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    return Einsum(*inputs, equation=equation)
