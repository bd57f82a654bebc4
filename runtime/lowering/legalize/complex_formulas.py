"""The operations on complex numbers as formulas of their components.

They are those of NumPy: division does not overflow where its result does not, and powers with small
integers are products.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...core.shapes import normal_axes
from ...ir.constant_values import full_constant
from ...ir.graph import Node, Value, dims
from ...ir.indexing import WHOLE

MOST_COUNTED = 100  # integers below are exponents of products, as in NumPy


def _methods(*names: str) -> Iterator[Callable[..., Any]]:
    """The methods that are operations of these names."""
    return (lambda self, *others, name=name: self.of(name, *others) for name in names)


class Formula:
    """Values of a graph with the operators of Python; `rewriter` makes the nodes."""

    def __init__(self, rewriter, value: Value):
        self.rewriter = rewriter
        self.value = value

    def of(self, name: str, *others: Any, **attrs) -> Formula:
        values = [self.value, *(self.operand(operand).value for operand in others)]
        return Formula(self.rewriter, self.rewriter.op(name, *values, **attrs))

    def operand(self, number: Any) -> Formula:
        if isinstance(number, Formula):
            return number
        return Formula(self.rewriter, self.rewriter.number(number, self.value))

    def select(self, if_true: Any, if_false: Any) -> Formula:
        """`if_true` where this is true, else `if_false`."""
        like = if_true if isinstance(if_true, Formula) else if_false
        known = full_constant(self.value)
        if known is not None and not known.shape:
            return like.operand(if_true if known else if_false)
        return self.of("select", like.operand(if_true), like.operand(if_false))

    __add__, __sub__, __mul__, __truediv__ = _methods("add", "subtract", "multiply", "divide")
    __neg__, __abs__, __lt__, __le__ = _methods("negative", "abs", "less", "less_equal")
    (equals,) = _methods("equal")


Number = tuple[Formula, Formula]


def select(condition: Formula, if_true: Any, if_false: Number) -> Number:
    """`if_true` where the condition holds, else `if_false`, both complex."""
    return condition.select(if_true[0], if_false[0]), condition.select(if_true[1], if_false[1])


def product(x: Number, y: Number) -> Number:
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def quotient(x: Number, y: Number) -> Number:
    """Smith's: by the larger component of the divisor. Both of `x` are divided by a 0."""
    a, b = abs(y[0]), abs(y[1])
    by_real, is_zero = b <= a, (a + b).equals(0)
    large = by_real.select(y[0], y[1])
    ratio = by_real.select(y[1], y[0]) / large
    scale = large.operand(1) / is_zero.select(a, large + by_real.select(y[1], y[0]) * ratio)
    real = by_real.select(x[0] + x[1] * ratio, x[0] * ratio + x[1])
    imag = by_real.select(x[1] - x[0] * ratio, x[1] * ratio - x[0])
    return is_zero.select(x[0], real) * scale, is_zero.select(x[1], imag) * scale


def reciprocal(x: Number) -> Number:
    """By the larger component, without a form for 0: NumPy's gives NaN there."""
    by_real = abs(x[1]) <= abs(x[0])
    large, small = by_real.select(x[0], x[1]), by_real.select(x[1], x[0])
    ratio = small / large
    scale = large + small * ratio
    return by_real.select(1, ratio) / scale, by_real.select(-ratio, -1) / scale


def size(x: Number) -> Formula:
    """The absolute value, without overflow."""
    a, b = abs(x[0]), abs(x[1])
    large, small = a.of("maximum", b), a.of("minimum", b)
    ratio = small / large.equals(0).select(1, large)
    result = large * (ratio * ratio + 1).of("sqrt")
    infinite = a.equals(np.inf).of("logical_or", b.equals(np.inf))
    return infinite.select(result.operand(np.inf), result)


def exponential(x: Number) -> Number:
    """A real number has a real exponential; at infinity, no angle matters that is none. One that
    overflows is multiplied in two steps, since the components may not overflow.
    """
    is_real, is_angle = x[1].equals(0), (x[1] - x[1]).equals(0)
    most = float(np.floor(np.log(np.finfo(x[0].value.dtype.numpy_dtype).max)))
    is_large = x[0].operand(most) < x[0]
    factor = is_large.select(x[0].operand(np.exp(most)), 1)
    first = (x[0] - is_large.select(x[0].operand(most), 0)).of("exp")
    grown = first * factor
    real, imag = first * (factor * x[1].of("cos")), first * (factor * x[1].of("sin"))
    real = is_angle.select(real, abs(x[0]).equals(np.inf).select(grown, real))
    imag = is_angle.select(imag, x[0].equals(-np.inf).select(grown.of("copy_sign", x[1]), imag))
    return is_real.select(grown, real), is_real.select(x[1], imag)


def exponential_less_one(x: Number) -> Number:
    half = (x[1] * 0.5).of("sin")
    real = x[0].of("expm1") * x[1].of("cos") - half * half * 2
    return real, x[0].of("exp") * x[1].of("sin")


def logarithm(x: Number) -> Number:
    return size(x).of("log"), x[1].of("atan2", x[0])


def root(x: Number) -> Number:
    half = (abs(x[0]) * 0.5 + size(x) * 0.5).of("sqrt")
    other = abs(x[1]) / (half * 2)
    is_zero, is_right = half.equals(0), x[0].operand(0) <= x[0]
    real = is_right.select(half, other)
    imag = is_right.select(other, half).of("copy_sign", x[1])
    is_infinite = _is_infinite(x[1])  # whatever the other component is
    return (is_zero.select(0, is_infinite.select(abs(x[1]), real)),
            is_zero.of("logical_or", is_infinite).select(x[1], imag))  # fmt: skip


def power(x: Number, y: Number) -> Number:
    """By products where the exponent is a small integer, else by logarithms; a power of 0 is 0, or
    NaN if the exponent is not positive.
    """
    raised, count = exponential(product(y, logarithm(x))), abs(y[0])
    is_whole = y[1].equals(0).of("logical_and", count.of("floor").equals(count))
    is_counted = is_whole.of("logical_and", count < MOST_COUNTED)
    raised = select(is_counted, counted_power(x, y[0]), raised)
    zero = (-y[0] < 0).select(0, y[0].operand(np.nan))
    return select(_is_zero(y), (1, 0), select(_is_zero(x), (zero, zero), raised))


def counted_power(x: Number, exponent: Formula) -> Number:
    """The same products as NumPy's. A constant exponent says which ones, else its bits do."""
    rest, base, result = abs(exponent), x, (x[0].operand(1), x[0].operand(0))
    square = product(x, x)
    for _ in range(MOST_COUNTED.bit_length()):
        half = (rest * 0.5).of("floor")
        result = select(half + half < rest, product(result, base), result)
        rest, base = half, product(base, base)
    for count, known in ((1, x), (2, square), (3, product(x, square))):
        result = select(exponent.equals(count), known, result)
    return select(exponent < 0, quotient((x[0].operand(1), x[0].operand(0)), result), result)


def _is_finite(x: Formula) -> Formula:
    return (x - x).equals(0)


def _is_infinite(x: Formula) -> Formula:
    return abs(x).equals(np.inf)


def hyperbolic_sine(x: Number, sign: int = 1) -> Number:
    """At 0 and infinity, no angle matters that is none; a real number has a real sine."""
    real, imag = x[0].of("sinh") * x[1].of("cos"), x[0].of("cosh") * x[1].of("sin")
    known = _is_infinite(x[0]).select(abs(x[0]) * sign, x[0].equals(0).select(x[0], real))
    return _is_finite(x[1]).select(real, known), x[1].equals(0).select(x[1], imag)


def hyperbolic_cosine(x: Number) -> Number:
    real, imag = x[0].of("cosh") * x[1].of("cos"), x[0].of("sinh") * x[1].of("sin")
    real = _is_finite(x[1]).select(real, _is_infinite(x[0]).select(abs(x[0]), real))
    zero = x[1].equals(0).select((x[0] < 0).select(-x[1], x[1]), abs(x[0]))
    is_real = x[0].equals(0).of("logical_or", x[1].equals(0))
    return real, _is_finite(imag).select(imag, is_real.select(zero, imag))


def hyperbolic_tangent(x: Number) -> Number:
    """Of large numbers, whose squared cosines would overflow, by what remains."""
    (real, angle), sine, sin, cos = x, x[0].of("sinh"), x[1].of("sin"), x[1].of("cos")
    tangent = sin / cos
    grown = tangent * tangent + 1
    scale = grown * sine * sine + 1
    near = grown * (sine * sine + 1).of("sqrt") * sine / scale, tangent / scale
    unit = real.operand(1).of("copy_sign", real)
    small = sin * cos / sine / sine
    zero = angle.operand(0).of("copy_sign", angle)
    is_infinite, is_far = _is_infinite(real), real.operand(22) <= abs(real)
    far = (is_infinite.select(unit, unit + (angle - angle)),
           _is_finite(angle).select(small, is_infinite.select(zero, small)))  # fmt: skip
    return (real.equals(0).select(real, is_far.select(far[0], near[0])),
            angle.equals(0).select(angle, is_far.select(far[1], near[1])))  # fmt: skip


def turned(function: Callable[[Number], Number], x: Number) -> Number:
    """`f(i x) / i`, for the sine and the tangent."""
    real, imag = function((-x[1], x[0]))
    return imag, -real


# ---- operations ------------------------------------------------------------------------------


def _numbers(rewriter, node: Node) -> list[Number]:
    pairs = map(rewriter.pair, node.inputs)
    return [(Formula(rewriter, real), Formula(rewriter, imag)) for real, imag in pairs]


def _given(result: Any) -> Any:
    return result.value if isinstance(result, Formula) else tuple(part.value for part in result)


def _by(formula: Callable) -> Callable:
    """The form of an operation whose operands are all complex."""
    return lambda rewriter, node: _given(formula(*_numbers(rewriter, node)))


def _power(rewriter, node: Node):
    x, y = _numbers(rewriter, node)
    known = full_constant(node.inputs[1])
    if known is not None and not known.shape and known == 0:
        return tuple(rewriter.filled(x[0].value, number) for number in (1, 0))
    return _given(power(x, y))


def _cast(rewriter, node: Node):
    (x,), dtype = node.inputs, node.attrs["dtype"]
    attrs = {"dtype": dtype.real_dtype}
    if not x.dtype.is_complex:
        real = rewriter.op("cast", rewriter.real(x), **attrs)
        return real, rewriter.filled(real, 0)
    real, imag = rewriter.pair(x)
    if dtype.is_bool:
        parts = (rewriter.op("cast", part, dtype=dtype) for part in (real, imag))
        return rewriter.op("logical_or", *parts)
    if not dtype.is_complex:
        return rewriter.op("cast", real, **attrs)
    return rewriter.op("cast", real, **attrs), rewriter.op("cast", imag, **attrs)


def _sum_of_products(rewriter, node: Node):
    """A bilinear operation."""
    (a, b), (c, d) = (rewriter.pair(operand) for operand in node.inputs)
    name, attrs = node.op.name, node.attrs
    pairs = (a, c), (b, d), (a, d), (b, c)
    ac, bd, ad, bc = (rewriter.op(name, *pair, **attrs) for pair in pairs)
    return rewriter.op("subtract", ac, bd), rewriter.op("add", ad, bc)


def _in_components(rewriter, node: Node):
    """The operation on the components of its operands that gives those of its result."""
    parts = itertools.chain.from_iterable(map(rewriter.pair, node.inputs))
    return rewriter.op(f"complex_{node.op.name}", *parts, **node.attrs)


def _einsum(rewriter, node: Node):
    forms = {1: rewriter.by_parts, 2: partial(_sum_of_products, rewriter)}
    return forms[len(node.inputs)](node) if len(node.inputs) in forms else None


def _is_zero(x: Number) -> Formula:
    return (abs(x[0]) + abs(x[1])).equals(0)


def _sign(x: Number) -> Number:
    """Of one infinite component, its own sign and no other; of two, no number."""
    scale, (real, imag) = size(x), map(_is_infinite, x)
    both, either = real.of("logical_and", imag), real.of("logical_or", imag)
    ends = (x[0].operand(1).of("copy_sign", component) for component in x)
    far = tuple(
        both.select(np.nan, is_end.select(end, 0))
        for is_end, end in zip((real, imag), ends, strict=True)
    )
    near = select(scale.equals(0), (0, 0), (x[0] / scale, x[1] / scale))
    return select(either, far, near)


def _product(rewriter, node: Node):
    """The product along some axes: of halves, and of the halves of what that gives."""
    shape, (result,) = dims(node.inputs[0]), _numbers(rewriter, node)
    axes = normal_axes(node.attrs["axis"], len(shape))
    for axis in axes:
        size, lead = shape[axis], (WHOLE,) * axis
        if not size:
            return None
        while size > 1:
            half = size // 2
            ends = ((0, half), (half, 2 * half), (2 * half, size))
            first, second, rest = (_sliced(result, (*lead, (*end, 1))) for end in ends)
            result = product(first, second)
            if size % 2:
                pairs = zip(result, rest, strict=True)
                real, imag = (left.of("concat", right, axis=axis) for left, right in pairs)
                result = real, imag
            size -= half
    kept = WHOLE if node.attrs["keepdims"] else 0
    return _given(_sliced(result, tuple(kept if at in axes else WHOLE for at in range(len(shape)))))


def _sliced(x: Number, index: tuple) -> Number:
    return x[0].of("strided_slice", index=index), x[1].of("strided_slice", index=index)


def _of_stack(rewriter, node: Node):
    return rewriter.by_parts(node) if node.inputs[0].dtype.is_complex else None  # or it is a list


def _equal(x: Number, y: Number) -> Formula:
    return x[0].equals(y[0]).of("logical_and", x[1].equals(y[1]))


def _constant(rewriter, node: Node):
    parts = node.attrs["value"].real, node.attrs["value"].imag
    return tuple(rewriter.constant(np.array(part, order="C")) for part in parts)


def _parts(rewriter, node: Node):
    real, imag = map(rewriter.real, node.inputs)
    if real.shape == imag.shape:
        return real, imag
    true = rewriter.constant(np.array(True))  # a choice broadcasts, and computes nothing
    return rewriter.op("select", true, real, imag), rewriter.op("select", true, imag, real)


FORMS: dict[str, Callable] = {
    "add": _by(lambda x, y: (x[0] + y[0], x[1] + y[1])),
    "subtract": _by(lambda x, y: (x[0] - y[0], x[1] - y[1])),
    "multiply": _by(product),
    "divide": _by(quotient),
    "negative": _by(lambda x: (-x[0], -x[1])),
    "conj": _by(lambda x: (x[0], -x[1])),
    "real": _by(lambda x: x[0]),
    "imag": _by(lambda x: x[1]),
    "complex": _parts,
    "const": _constant,
    "stack_push": _of_stack,
    "stack_peek": _of_stack,
    "angle": _by(lambda x: x[1].of("atan2", x[0])),
    "abs": _by(size),
    "square": _by(lambda x: product(x, x)),
    "squared_difference": _by(lambda x, y: product(*[(x[0] - y[0], x[1] - y[1])] * 2)),
    "divide_no_nan": _by(lambda x, y: select(_is_zero(y), (0, 0), quotient(x, y))),
    "multiply_no_nan": _by(lambda x, y: select(_is_zero(y), (0, 0), product(x, y))),
    "masked_product": _by(
        lambda x, y: select(_is_zero(x).of("logical_or", _is_zero(y)), (0, 0), product(x, y))
    ),
    "reciprocal": _by(reciprocal),
    "exp": _by(exponential),
    "expm1": _by(exponential_less_one),
    "log": _by(logarithm),
    "log1p": _by(lambda x: logarithm((x[0] + 1, x[1]))),
    "sqrt": _by(root),
    "reduce_prod": _product,
    "rsqrt": _by(lambda x: reciprocal(root(x))),
    "sign": _by(_sign),
    "pow": _power,
    "sin": _by(partial(turned, lambda x: hyperbolic_sine(x, -1))),
    "cos": _by(lambda x: hyperbolic_cosine((-x[1], x[0]))),
    "tan": _by(partial(turned, hyperbolic_tangent)),
    "sinh": _by(hyperbolic_sine),
    "cosh": _by(hyperbolic_cosine),
    "tanh": _by(hyperbolic_tangent),
    "equal": _by(_equal),
    "not_equal": _by(lambda x, y: _equal(x, y).of("logical_not")),
    "cast": _cast,
    "matmul": _sum_of_products,
    "tensordot": _sum_of_products,
    "einsum": _einsum,
    "matrix_solve": _in_components,
    "inv": _in_components,
}
