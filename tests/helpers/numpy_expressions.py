"""Short functions of operands of every class: Python's numbers, NumPy's scalars, arrays.

`jit` does with each what NumPy does: the class, data type and shape of the result, its value to
rounding, the exception, and what becomes of the arguments.
"""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
from numpy_programs import copied, function_of, is_narrow

import allograph as ag

NUMBERS = {
    "int": 3, "negative": -2, "zero": 0, "large": 2**40, "float": 2.5, "nan": math.nan,
    "negative zero": -0.0, "truth": True, "complex": 1 + 2j, "float32": np.float32(1.5),
    "float64": np.float64(-0.5), "int8": np.int8(5), "uint8": np.uint8(200),
    "int32": np.int32(-7), "least int64": np.int64(-(2**63)), "uint64": np.uint64(2**63 + 5),
    "infinity": np.float64(np.inf), "complex128": np.complex128(2 - 1j),
    "complex64": np.complex64(0.5j), "bool": np.bool_(True), "zero of int64": np.int64(0),
    "real complex": -3 + 0j, "half": 0.5, "imaginary": complex(-0.0, 2.0),
    "endless complex": complex(0.0, -np.inf), "complex128 at zero": np.complex128(-0.0),
}  # fmt: skip
ARRAYS = {
    "integers": np.arange(4), "floats": np.linspace(0.1, 2, 4),
    "singles": np.linspace(0.1, 2, 4).astype(np.float32), "complexes": np.arange(4) + 1j,
    "truths": np.array([True, False, True, True]), "signed": np.array([1, 100, -128, 7], np.int8),
    "unsigned": np.array([1, 200, 0, 7], np.uint8), "wide": np.array([1, 2**63 + 1, 0, 9], "u8"),
    "shorts": np.array([-3, 30000, 0, 12], np.int16), "rank 0": np.array(2.5),
    "special": np.array([np.nan, np.inf, -0.0, -1.5]), "words": np.array([-5, 2, 0, 7], np.int32),
    "special complexes": np.array([-0.0, complex(-np.inf, 1.0), 2j, -3 + 0j]),
}  # fmt: skip
OPERANDS = {**NUMBERS, **ARRAYS}

OPERATORS = [
    "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a ** b", "a == b", "a != b", "a < b",
    "a >= b", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "-a", "+a", "~a", "not a",
    "divmod(a, b)", "a and b", "a or b", "a if a > b else b", "a < b < 3", "a @ b", "abs(a) * b",
]  # fmt: skip
BUILTINS = [
    "max(a, b)", "min(a, b)", "(a, b)[a > b]", "round(a, 1) + b", "round(a)", "sum([a, b])",
    "float(a)", "int(a)", "complex(a)", "bool(a)", "a.real", "a.imag", "a.conjugate()", "len(b)",
    "pow(a, b)", "range(a)[0]",
]  # fmt: skip
CONVERSIONS = [
    "np.int32(a)", "np.float32(a)", "np.uint8(a)", "np.int64(a)", "np.float64(a)",
    "np.complex64(a)", "np.bool_(a)", "np.array([a, b])", "np.array(a)", "np.asarray(a)",
    "np.array(a, np.float32)", "np.array([a, b], np.int64)", "np.full(3, a) * b",
    "np.full(3, a, np.int16)", "np.arange(a, b)", "np.arange(3) * a", "np.zeros_like(a)",
    "np.ones_like(b)", "np.full_like(b, a)", "np.empty(3).fill(a)", "np.atleast_1d(a)",
    "np.minimum(a, b).astype(np.int16)", "np.multiply(a, b).astype(np.float32)", "np.real(a)",
    "np.imag(a)", "np.copy(a)", "np.linspace(a, b, 3)", "np.asarray(a).item()",
]  # fmt: skip
UFUNCS = [
    *(f"np.{name}(a, b)" for name in (
        "maximum", "minimum", "fmax", "fmin", "power", "hypot", "arctan2", "logical_xor",
        "logical_and", "mod", "float_power", "copysign", "gcd", "fmod", "true_divide", "multiply",
        "heaviside", "logaddexp", "floor_divide", "left_shift", "right_shift", "bitwise_and",
        "subtract", "equal", "less", "remainder", "divmod", "nextafter", "not_equal",
    )),
    *(f"np.{name}(a)" for name in (
        "sqrt", "exp", "sign", "square", "abs", "floor", "conj", "angle", "reciprocal", "cbrt",
        "deg2rad", "ceil", "trunc", "rint", "invert", "negative", "isnan", "isfinite", "signbit",
        "logical_not", "log1p", "tanh", "fabs", "positive", "isinf", "exp2", "arctan",
    )),
    "np.add(a, b, dtype=np.float32)", "np.ldexp(a, 2)",
]  # fmt: skip
FUNCTIONS = [
    "np.where(a > b, a, b)", "np.where(a, a, b)", "np.clip(b, 0, a)", "np.clip(a, b, 2)",
    "np.clip(a, None, b)", "np.dot(a, b)", "np.outer(a, b)", "np.isclose(a, b)",
    "np.stack([a, b])", "np.hstack([a, b])", "np.vstack([a, b])", "np.concatenate([b, b])",
    "np.append(a, b)", "np.sum([a, b])", "np.mean([a, b])", "np.max([a, b])", "np.round(a, 1) * b",
    "np.round(a)", "np.cumsum(a)", "np.sort(b)", "np.std(b)", "np.argmax(b)", "np.linalg.norm(b)",
    "np.prod(b)", "np.diff(b)", "np.median(b)", "np.nan_to_num(a)", "np.interp(a, [0, 1], [2, 3])",
    "np.average(b)", "np.any(b)", "np.ptp(b)", "np.cross(b, b)", "np.allclose(a, b)", "np.sum(a)",
    "np.mean(a)", "np.ravel(a)", "np.count_nonzero(a)", "np.take(b, 1)", "np.repeat(a, 2)",
    "np.tile(a, 2)", "np.trace([[a, b], [b, a]])", "np.all([a, b])", "np.var([a, b])",
    "np.squeeze(a)", "np.transpose(a)", "np.select([a > b], [a], b)", "np.roll(b, 1) + a",
    "np.flip(b) - a", "np.inner(a, b)", "np.vdot(a, b)", "np.kron(a, b)", "np.expand_dims(a, 0)",
    "np.searchsorted(b, a)", "np.min(a)", "np.reshape(a, -1)", "np.shape(a)", "np.size(a)",
    "np.tensordot(a, b, 0)", "np.tensordot(b, b, 1)", "np.ascontiguousarray(a)",
    "np.percentile(b, 50)", "np.quantile(b, a)", "np.floor(np.cbrt(np.round(a) ** 3) + 0.25)",
]  # fmt: skip
EXPRESSIONS = [*OPERATORS, *BUILTINS, *CONVERSIONS, *UFUNCS, *FUNCTIONS]

STORES = ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64", "complex64"]
SYMBOLS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@"]
BODIES = [
    "return {0}",
    "x = {0}\nreturn x + {1}",
    "x = {0}\nreturn x, {1}, x",
    "out = np.zeros(4, np.{dtype})\nout[1] = {0}\nreturn out",
    "out = np.ones(4, np.{dtype})\nout[:] = {0}\nreturn out",
    "out = np.ones(4, np.{dtype})\nout {symbol}= {0}\nreturn out",
    "out = np.ones(4, np.{dtype})\nout[2] {symbol}= {0}\nreturn out",
    "a {symbol}= {0}\nreturn a",
    "x = a\nx {symbol}= b\nreturn a, x",
    "x = {0}\nx {symbol}= {1}\nreturn x",
    "b[1:] = {0}\nreturn b",
    "b[0] = {0}\nreturn b",
    "x = {0}\nif x:\n    x = {1}\nreturn x",
    "if {0}:\n    return {1}\nreturn a",
    "x = a\nfor i in range(3):\n    x = x {symbol} b\nreturn x",
    "x = a\nfor i in range(len(b)):\n    x {symbol}= b[i]\nreturn x",
    "x = {0}\nfor i in range(3):\n    x = {1} + x\nreturn x",
    "x = a\nif b.real > 1:\n    x = {0}\nelif a.real > 1:\n    x = b\nreturn x, x * b, 1j + x",
    "x = {0}\nif b.real > 1:\n    x = b\nif a.real > 1:\n    x = a\nreturn x, x {symbol} 2, x ** b",
    "n = 0\nwhile a < 9 and n < 5:\n    a, n = a + 2.5, n + 1\nreturn a, n",
    "x = {0}\nreturn x.dtype, x.shape",
    "return isinstance({0}, (int, float)), type({0})",
]
# The operands of nested expressions, which give what they give exactly.
EXACT = [one for one in (*OPERATORS, *BUILTINS) if "**" not in one and "pow" not in one]
EXACT += [f"np.{name}(a, b)" for name in ("maximum", "minimum", "logical_xor", "subtract")]


def expression(choices: random.Random, depth: int) -> str:
    """An expression of `a` and `b`; nested ones are exact."""
    form = choices.choice(EXPRESSIONS)
    if depth < 2 or choices.random() < 0.4:
        return form
    inner = {name: f"({choices.choice(EXACT)})" for name in "ab"}
    return "".join(_substituted(form, inner, choices))


def _substituted(form: str, inner: dict, choices: random.Random):
    before = "("
    for at, letter in enumerate(form):
        after = form[at + 1 : at + 2]
        is_name = letter in inner and not (before + after).replace("(", "").isalnum()
        is_name = is_name and not (before.isalnum() or after.isalnum() or before in "._")
        yield inner[letter] if is_name and choices.random() < 0.6 else letter
        before = letter


def random_body(seed: int) -> tuple[str, str, str]:
    """The body of a function of two operands, and their names."""
    choices = random.Random(seed)
    body = choices.choice(BODIES)
    forms = [f"({expression(choices, choices.choice([1, 2]))})" for _ in range(2)]
    body = body.format(*forms, dtype=choices.choice(STORES), symbol=choices.choice(SYMBOLS))
    return body, choices.choice(list(OPERANDS)), choices.choice(list(OPERANDS))


def outcome(function, args: tuple) -> tuple:
    """The result or the class of the exception, and the arguments afterwards."""
    args = copied(args)
    try:
        return function(*args), args
    except Exception as error:
        return type(error), args


def is_same(one, other, narrow: bool = False) -> bool:
    """Whether two results are of one class, data type and shape, and equal to rounding. `narrow`:
    a float64 may follow from numbers of 32 bits.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(
            is_same(*pair, narrow) for pair in zip(one, other, strict=True)
        )
    if isinstance(one, (np.ndarray, np.generic)):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.kind not in "fc":
            return bool(np.all(one == other))
        rounding = 1e-5 if narrow or one.dtype in (np.float32, np.complex64) else 1e-9
        largest = np.max(np.abs(one), initial=0, where=np.isfinite(one))
        are_near = np.allclose(one, other, rounding, rounding * largest, equal_nan=True)
        return are_near and all(map(_have_one_sign, (one.real, one.imag), (other.real, other.imag)))
    if isinstance(one, (float, complex)):
        return is_same(np.asarray(one), np.asarray(other), narrow)
    return one == other


def _have_one_sign(one, other) -> bool:
    """Whether zeros of two results have the same sign."""
    return bool(np.all((one != 0) | (other != 0) | (np.signbit(one) == np.signbit(other))))


def without_overflow(result):
    """A result with one complex number for all that are not finite. Where a power, a sum or a mean
    is infinite, its parts depend on the order of what leads to it.
    """
    if isinstance(result, (tuple, list)):
        return type(result)(map(without_overflow, result))
    if not isinstance(result, (np.ndarray, np.generic)) or result.dtype.kind != "c":
        return result
    made = np.where(np.isfinite(result), result, np.nan).astype(result.dtype)
    return made if isinstance(result, np.ndarray) else made[()]


def without_signs_of_zeros(result):
    """A result with 0.0 for -0.0: which of the two is the larger, and what sums start with, depends
    on the machine.
    """
    if isinstance(result, (tuple, list)):
        return type(result)(map(without_signs_of_zeros, result))
    is_inexact = isinstance(result, (float, complex, np.ndarray, np.inexact))
    return result + 0.0 if is_inexact and np.asarray(result).dtype.kind in "fc" else result


OF_ANY_ORDER = ("**", "pow", "dot", "inner", "@", "mean", "average", "std", "var", "prod", "trace")
OF_EITHER_ZERO = ("max", "min", "clip", "sort", "median", "percentile", "quantile", "ptp",
                  "inner", "dot")  # fmt: skip
ENDLESS = ("**", "<<", "pow", "shift", "arange")


def is_feasible(body: str, *operands: str) -> bool:
    """Whether the result has few digits and elements."""
    return "large" not in operands or not any(one in body for one in ENDLESS)


def difference(body: str, first: str, second: str, kernel_compiler: str | None) -> str | None:
    """How what `jit` does differs from what NumPy does; None if it does not."""
    if not is_feasible(body, first, second):
        return None
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    program = function_of(f"def program(a, b):\n{lines}", f"{body} {first} {second}")
    compiled = ag.jit(program, kernel_compiler=kernel_compiler)
    args = (OPERANDS[first], OPERANDS[second])
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="warn"):
        warnings.simplefilter("always")
        expected = outcome(program, args)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        found = outcome(compiled, args)
    if any(word in body for word in OF_ANY_ORDER):
        expected, found = without_overflow(expected), without_overflow(found)
    if any(word in body for word in OF_EITHER_ZERO):
        expected, found = without_signs_of_zeros(expected), without_signs_of_zeros(found)
    narrow = any(map(is_narrow, args)) or "float32" in body
    if is_same(expected, found, narrow) or any("in cast" in str(one.message) for one in warned):
        return None  # what a float is as an integer that cannot hold it depends on the machine
    if expected[0] is found[0] is ValueError and "**=" in body:
        return None  # NumPy leaves what its buffer held
    return f"{body!r} of {first}, {second}: {expected!r}, not {found!r}\n{compiled.inspect()}"


def assert_jit_is_numpy_of_operands(seed: int, kernel_compiler: str | None = None) -> None:
    """A random body gives with `jit` what it gives without, in every class of operands."""
    found = difference(*random_body(seed), kernel_compiler)
    assert found is None, found
