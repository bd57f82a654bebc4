"""Matrix products, tensordot and einsum."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import NUMBERS
from ...core.errors import InvalidArgumentError, ShapeError
from ...core.public_names import public
from ...core.shapes import Shape, broadcast, normal_axes, show
from ...core.user_source import users_operands, users_options
from ...ir.indexing import broadcast_axes
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import hidden_op, ops
from ..array.shape_ops import expand_dims, matrix_transpose, squeeze
from ..gradient_helpers import einsum_gradient, implied_output, paired_axes, tensordot_equation
from ..math.reductions import static_axis


@hidden_op
class Matmul:
    """The matrix product over the last two axes; leading axes are batches and broadcast."""

    accepts = NUMBERS
    operator = ("__matmul__", "__rmatmul__")
    may_raise = False
    parallel_safe = True

    def kernel(a, b):
        if a.ndim < 2 or b.ndim < 2:
            _matmul_shape(np.shape(a), np.shape(b))
        return np.matmul(a, b).astype(a.dtype, copy=False)  # bfloat16 gives float32

    def result(a, b):
        return Spec(a.dtype, _matmul_shape(a.shape, b.shape))

    def flops(result, a, b):
        return 2 * math.prod(result) * a[-1]

    def kept_axes(result, a, b):
        of_left, of_right = (
            {at: to for at, to in broadcast_axes(side, result).items() if at < len(side) - 2}
            for side in (a, b)
        )
        rank = len(result)
        return of_left | {len(a) - 2: rank - 2}, of_right | {len(b) - 1: rank - 1}

    def gradient(dy, y, a, b):
        return ops.matmul(dy, matrix_transpose(b)), ops.matmul(matrix_transpose(a), dy)


def _matmul_shape(a, b):
    """The shape of the product. Raises ShapeError if the operands do not fit."""
    for side in (a, b):
        if side is not None and len(side) < 2:
            raise ShapeError(
                f"matmul: shapes {show(a)} and {show(b)}; both need at least 2 axes",
                "Use ag.linalg.matvec for a vector, ag.tensordot for two.",
            )
    if a is None or b is None:
        return None
    if None not in (a[-1], b[-2]) and a[-1] != b[-2]:
        raise ShapeError(
            f"matmul: the inner dimensions of {show(a)} and {show(b)} differ", _cure_of_inner(a, b)
        )
    try:
        return (*broadcast(a[:-2], b[:-2]), a[-2], b[-1])
    except ValueError as error:
        raise ShapeError(f"matmul: the batches of {show(a)} and {show(b)}: {error}") from None


def _cure_of_inner(a, b) -> str:
    """The transposition with which the product exists, if there is one."""
    names, options = users_operands(2) or ["a", "b"], users_options()
    for option, size, other_size in (("transpose_b", a[-1], b[-1]), ("transpose_a", a[-2], b[-2])):
        if size == other_size and not options & {"adjoint_a", "adjoint_b"}:
            advice = f"Leave {option} out" if option in options else "Transpose one side"
            changed = sorted((options & {"transpose_a", "transpose_b"}) ^ {option})
            return (
                f"{advice}: ag.matmul({', '.join([*names, *(f'{key}=True' for key in changed)])})"
            )
    return "The last axis of the first has to be as long as the last but one of the second."


@public("matmul", "linalg.matmul")
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The matrix product of `a`, [..., m, k], and `b`, [..., k, n], of shape [..., m, n].

    Leading axes are batches and broadcast. `transpose_a` and `transpose_b` exchange the last two
    axes of an operand first, `adjoint_a` and `adjoint_b` also conjugate it.

    >>> ag.matmul([[1, 2], [3, 4]], [[1], [1]]).numpy()
    array([[3],
           [7]], dtype=int32)
    >>> ag.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True).numpy()
    array([[11.]], dtype=float32)

    Raises ShapeError if the inner dimensions differ or an operand has fewer than two axes.
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    return Matmul(
        _transposed(a, transpose_a, adjoint_a), _transposed(b, transpose_b, adjoint_b), name=name
    )


def _transposed(matrix, transposed: bool, adjoint: bool):
    if transposed and adjoint:
        raise ValueError("matmul: a matrix is transposed or adjoint, not both")
    if not (transposed or adjoint):
        return matrix
    transposed_matrix = matrix_transpose(matrix)
    return ops.conj(transposed_matrix) if adjoint and matrix.dtype.is_complex else transposed_matrix


@public("linalg.adjoint")
def adjoint(matrix, name=None):
    """`matrix` with its last two axes exchanged and complex numbers conjugated.

    >>> ag.linalg.adjoint([[1j, 2.0]]).numpy()
    array([[0.-1.j],
           [2.-0.j]])
    """
    return _transposed(convert_to_tensor(matrix), False, True)


@public("linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, name=None):
    """The product of matrices `a`, [..., m, k], and vectors `b`, [..., k], of shape [..., m].

    Leading axes are batches and broadcast.

    >>> ag.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)
    """
    a = convert_to_tensor(a)
    column = expand_dims(convert_to_tensor(b, dtype_hint=a.dtype), -1)
    return squeeze(matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a), -1)


# ---- pairs of axes ---------------------------------------------------------------------------


@hidden_op
class Tensordot:
    """The sum of products over pairs of axes."""

    accepts = NUMBERS

    def kernel(a, b, *, axes):
        _tensordot_shape(np.shape(a), np.shape(b), axes)
        return np.tensordot(a, b, axes)

    def result(a, b, *, axes):
        return Spec(a.dtype, _tensordot_shape(a.shape, b.shape, axes))

    def gradient(dy, y, a, b, *, axes):
        left, right = paired_axes(len(a.dims), len(b.dims), axes)
        equation = tensordot_equation(len(a.dims), len(b.dims), left, right)
        return Einsum.gradient(dy, y, a, b, equation=equation)


def _tensordot_shape(a, b, axes):
    """The shape: remaining axes of `a`, then of `b`. Raises ShapeError if paired axes differ."""
    if a is None or b is None:
        return None
    if isinstance(axes, int):
        if not 0 <= axes <= min(len(a), len(b)):
            raise ShapeError(f"tensordot: {show(a)} and {show(b)} do not both have {axes} axes")
        axes = (tuple(range(len(a) - axes, len(a))), tuple(range(axes)))
    left, right = normal_axes(axes[0], len(a)), normal_axes(axes[1], len(b))
    if len(left) != len(right):
        raise ShapeError(f"tensordot: {len(left)} axes of one side, {len(right)} of the other")
    for i, j in zip(left, right, strict=True):
        if None not in (a[i], b[j]) and a[i] != b[j]:
            raise ShapeError(f"tensordot: axis {i} of {show(a)} and axis {j} of {show(b)} differ")
    kept = [size for axis, size in enumerate(a) if axis not in left]
    return (*kept, *(size for axis, size in enumerate(b) if axis not in right))


@public("tensordot", "linalg.tensordot")
def tensordot(a, b, axes, name=None):
    """The sum of products over pairs of axes of `a` and `b`.

    `axes` is a number n, for the last n axes of `a` and the first n of `b`, or a pair of lists of
    axes. The shape of the result is that of the remaining axes of `a`, then those of `b`.

    >>> int(ag.tensordot([1, 2], [3, 4], 1))
    11
    >>> ag.tensordot([[1, 2], [3, 4]], [1, 10], axes=[[0], [0]]).numpy()
    array([31, 42], dtype=int32)

    Raises ShapeError if paired axes differ in size.
    """
    axes = static_axis(axes)
    if isinstance(axes, tuple):
        axes = tuple((axis,) if isinstance(axis, int) else axis for axis in axes)
        if len(axes) != 2:
            raise ValueError(f"tensordot: axes is a number or a pair of lists, not {axes}")
    return Tensordot(a, b, axes=axes, name=name)


@hidden_op
class Einsum:
    """Sums of products in Einstein summation notation."""

    accepts = NUMBERS

    def kernel(*operands, equation):
        _einsum_shape(equation, [np.shape(operand) for operand in operands])
        dtype = operands[0].dtype
        if dtype.kind == "V":  # bfloat16, of which NumPy takes no sums here
            operands = tuple(operand.astype(np.float32) for operand in operands)
        result = np.einsum(equation, *operands, optimize=len(operands) > 1)
        return result.astype(dtype, copy=False)

    def result(*operands, equation):
        return Spec(operands[0].dtype, _einsum_shape(equation, [value.shape for value in operands]))

    def gradient(dy, y, *operands, equation):
        return einsum_gradient(dy, operands, equation)


def _einsum_shape(equation: str, shapes):
    """The shape of the result. Raises ShapeError if a letter stands for two sizes."""
    inputs, arrow, out = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise ShapeError(f"einsum: '{equation}' takes {len(terms)} tensors, {len(shapes)} given")
    if any(shape is None for shape in shapes):
        return None
    sizes: dict[str, int | None] = {}
    batch: Shape = ()
    for term, shape in zip(terms, shapes, strict=True):
        batch = broadcast(batch, _einsum_sizes(term, shape, sizes))
    out = out if arrow else implied_output(inputs)
    head, _, tail = out.partition("...")
    unknown = set(head + tail) - set(sizes)
    if unknown:
        raise InvalidArgumentError(f"einsum: '{unknown.pop()}' stands right of '->' only")
    return (*(sizes[name] for name in head), *(batch or ()), *(sizes[name] for name in tail))


def _einsum_sizes(term: str, shape: tuple, sizes: dict) -> tuple:
    """Record the size of each letter of a term; returns the sizes of the axes in `...`."""
    head, dots, tail = term.partition("...")
    named = len(head) + len(tail)
    if len(shape) < named or (len(shape) > named and not dots):
        raise ShapeError(f"einsum: '{term}' does not fit the shape {show(shape)}")
    end = len(shape) - len(tail)
    for letter, size in zip(head + tail, shape[: len(head)] + shape[end:], strict=True):
        noted = sizes.setdefault(letter, size)
        if noted is None:
            sizes[letter] = size
        elif size is not None and size != noted:
            raise ShapeError(
                f"einsum: the axis '{letter}' has size {noted} before, and {size} in '{term}' of "
                f"shape {show(shape)}",
                "Axes of one letter have one size: exchange letters, or slice or transpose a side.",
            )
    return shape[len(head) : end]


@public("einsum", "linalg.einsum")
def einsum(equation, *inputs, name=None, **options):
    """Sums of products in Einstein summation notation.

    `equation` names the axes of each input by letters, and after `->` those of the result. Letters
    that do not occur there are summed over. `...` stands for any number of axes, which broadcast.

    >>> ag.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7], dtype=int32)

    Raises ShapeError if a letter stands for two sizes, InvalidArgumentError if one occurs only
    after `->`.
    """
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and "," in equation:
        inputs = tuple(inputs[0])
    return Einsum(*inputs, equation=equation, name=name)
