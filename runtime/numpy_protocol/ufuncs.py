"""NumPy's ufuncs on tensors: `np.sin(x)` is `ag.sin(x)`, and `array + x` is a tensor."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..core.dtypes import COMPLEX, FLOATS, FROM_NUMPY
from ..core.errors import SymbolicValueError, UnimplementedError
from ..core.public_names import load_operation
from ..core.user_source import package_name
from ..ir.op import BY_UFUNC, TABLE
from ..tensors.apply import BEHAVIOR
from ..tensors.late_binding import late
from ..tensors.tensor import Operators
from .promotion import as_bool, floating, named_dtype, promoted, promoted_arrays, tensor
from .registry import (
    ag,
    alternative_to,
    as_arrays,
    in_preferred_dtype,
    is_symbolic,
    name_of,
    rank_of,
    record,
)

SCATTERED = {np.add: "add", np.subtract: "sub", np.maximum: "max", np.minimum: "min"}


def apply_ufunc(ufunc, method: str, inputs, options):
    """`__array_ufunc__` of tensors.

    A call without options becomes an operation of the package. Anything else is computed by NumPy
    with the arrays, unless a tensor is symbolic.
    """
    return in_preferred_dtype(_applied(ufunc, method, inputs, options), (inputs, options))


def _applied(ufunc, method: str, inputs, options):
    if not all(_is_operand(value) for value in inputs):
        return NotImplemented
    implementation = implementation_of(ufunc)
    unset = [key for key in ("out", "dtype", "order") if options.get(key, 0) is None]
    options = {key: value for key, value in options.items() if key not in unset}
    symbolic = is_symbolic(inputs) or is_symbolic(options)
    if method == "__call__" and not options and implementation is not None:
        return implementation(*inputs)
    if any(isinstance(target, Operators) for target in options.get("out", ())):
        raise TypeError(
            f"a tensor does not change, so it takes no result: write x = {name_of(ufunc)}(...) "
            "without `out`"
        )
    if method == "at" and isinstance(inputs[0], Operators):
        raise TypeError(
            f"a tensor does not change, so {name_of(ufunc)}.at does not take one: {_instead(ufunc)}"
        )
    if not symbolic:
        return getattr(ufunc, method)(*as_arrays(inputs), **as_arrays(options))
    if "out" in options:
        raise SymbolicValueError(
            f"{name_of(ufunc)} cannot write a symbolic tensor into a NumPy array",
            "Write `a = a + x` instead of `a += x`, and omit `out`.",
        )
    called = ufunc if method == "__call__" else getattr(ufunc, method)
    form = partial(_with_options, ufunc, method)
    return record(called, inputs, options, form, _called_name(ufunc, method))


def _called_name(ufunc, method: str) -> str:
    return name_of(ufunc) if method == "__call__" else f"{name_of(ufunc)}.{method}"


def _with_options(ufunc, method: str, inputs, options):
    """A call with options, or a method, on symbolic tensors."""
    implementation = implementation_of(ufunc)
    if method == "__call__" and set(options) == {"dtype"} and implementation is not None:
        dtype = named_dtype(options["dtype"])
        if dtype.is_floating or dtype.is_integer:  # truths are results, of operands of other types
            return implementation(*(tensor(value, dtype) for value in inputs))
    if method in METHODS and (ufunc in METHODS[method] or method == "outer"):
        return METHODS[method].get(ufunc, partial(_outer, ufunc))(*inputs, **options)
    called = _called_name(ufunc, method)
    with_options = f" with {', '.join(options)}" if options and implementation is not None else ""
    raise SymbolicValueError(
        f"{called}{with_options} cannot be traced into a graph",
        alternative_to(ufunc, called),
    )


def _instead(ufunc) -> str:
    """What takes the place of `ufunc.at`."""
    if ufunc not in SCATTERED:
        return f"call it with NumPy arrays, in a function of {package_name()}.jit"
    function = f"{package_name()}.tensor_scatter_nd_{SCATTERED[ufunc]}"
    return f"write x = {function}(x, indices[:, None], values)"


def _is_operand(value) -> bool:
    """Whether a value is a tensor or can become one. Other types handle the ufunc themselves."""
    if isinstance(value, (Operators, np.ndarray, np.generic, int, float, complex, str, bytes)):
        return type(value).__array_ufunc__ is not None if isinstance(value, np.ndarray) else True
    return isinstance(value, (list, tuple)) or not hasattr(type(value), "__array_ufunc__")


def _as_doubles(*operands) -> list:
    """Operands in double precision, complex where one of them is."""
    tensors = [tensor(value) for value in operands]
    dtype = np.complex128 if any(value.dtype.is_complex for value in tensors) else np.float64
    return [tensor(value, dtype) for value in tensors]


def float_power(x, y):
    """`x ** y` as of floats of Python: for an exponent 0.5, of which `pow` takes the root, 0.0 at
    -0.0 and infinity at -infinity.
    """
    power, known = ag.pow(x, y), ag.get_static_value(y)
    if x.dtype.is_complex or (known is not None and np.all(known != 0.5)):
        return power
    root = ag.where(ag.equal(x, -np.inf), np.inf, ag.abs(power))
    return ag.where(ag.equal(y, 0.5), root, power)


def implementation_of(ufunc):
    """The function that computes a ufunc with operations, None if there is none."""
    if ufunc in IMPLEMENTATIONS:
        return IMPLEMENTATIONS[ufunc]
    if ufunc not in BY_UFUNC:
        load_operation(ufunc.__name__)
    op = BY_UFUNC.get(ufunc)
    return None if op is None else lambda *inputs: op(*_fitting(ufunc, op, inputs))


def _fitting(ufunc, op, inputs) -> list:
    """The inputs in dtypes that the operation accepts, chosen by NumPy's rules.

    Arrays and scalars next to tensors of one dtype take that dtype, as with Python's operators.
    """
    dtypes = {value.dtype for value in inputs if isinstance(value, Operators)}
    if len(dtypes) == 1 and dtypes <= op.accepts[0] and not BEHAVIOR.on:
        return list(inputs)
    return _resolved(ufunc, inputs)


def _resolved(ufunc, inputs) -> list:
    """The inputs as tensors of the dtypes in which NumPy computes this ufunc."""
    if BEHAVIOR.mode != "legacy":
        inputs = promoted(*inputs)
    tensors = [value for value in inputs if isinstance(value, Operators)]
    types = {value.dtype for value in tensors}
    adapt = len(types) == 1 and not BEHAVIOR.on and types <= FLOATS | COMPLEX  # no float is an int
    dtypes = [_dtype_of(tensors[0] if adapt else value) for value in inputs]
    try:
        resolved = ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))[: len(inputs)]
    except TypeError:
        return list(inputs)
    if any(dtype not in FROM_NUMPY for dtype in resolved):
        return list(inputs)
    return [tensor(value, dtype) for value, dtype in zip(inputs, resolved, strict=True)]


def _dtype_of(value):
    if isinstance(value, Operators):
        return value.dtype.numpy_dtype
    if type(value) in (int, float, complex):
        return type(value)
    return np.asarray(value).dtype


def _operands(inputs) -> list:
    """The operands of arithmetic. If the tensors have one dtype, the operation converts others."""
    dtypes = {value.dtype for value in inputs if isinstance(value, Operators)}
    return list(inputs) if len(dtypes) == 1 and not BEHAVIOR.on else promoted(*inputs)


def _of_one_dtype(inputs) -> list:
    """The operands as tensors of one dtype."""
    operands = _operands(inputs)
    dtype = next(value.dtype for value in operands if isinstance(value, Operators))
    return [
        value if isinstance(value, Operators) else ag.convert_to_tensor(value, dtype)
        for value in operands
    ]


def _arithmetic(name: str):
    return lambda *inputs: getattr(ag, name)(*_operands(inputs))


def _logical(name: str):
    return lambda *inputs: getattr(ag, name)(*map(as_bool, inputs))


def _scalar_like(value, like):
    """A number as a tensor of the dtype of another. A cast would round it to float32 first."""
    return ag.convert_to_tensor(value, like.dtype)


def _wide(compute, x):
    """A function of one argument that computes halves in float32, as NumPy does."""
    return compute(x) if x.dtype.size > 2 else ag.cast(compute(ag.cast(x, "float32")), x.dtype)


def _divided(x, number: float):
    """By components: a quotient of complex numbers would mix them at infinity."""
    if x.dtype.is_complex:
        return ag.complex(ag.math.real(x) / number, ag.math.imag(x) / number)
    return x / _scalar_like(number, x)


def _exp2(x):
    if x.dtype.is_complex:
        return ag.exp(_divided(x, 1 / np.log(2.0)))
    return ag.pow(_scalar_like(2.0, x), x)


def _times(factor: float):
    return partial(_wide, lambda x: x * _scalar_like(factor, x))


def _logaddexp(x, y):
    first = x >= y  # one test for both, so that the slopes of equal numbers are equal
    high, low = ag.where(first, x, y), ag.where(first, y, x)
    is_infinite = ag.math.is_inf(high) & ~ag.math.is_nan(low)
    gap = ag.where(is_infinite, ag.zeros_like(x), low - high)
    return high + ag.math.log1p(ag.exp(gap))


def _logaddexp2(x, y):
    two = _scalar_like(np.log(2.0), x)
    return _logaddexp(x * two, y * two) / two


def _first_if_other_is_nan(pick, /, *inputs):
    x, y = promoted(*inputs)
    if not x.dtype.is_floating:
        return pick(x, y)
    x_or_y = ag.where(ag.math.is_nan(x), y, x)
    return ag.where(ag.math.is_nan(y), x_or_y, pick(x_or_y, y))


def _heaviside(x, middle):
    unit, zero = ag.ones_like(x), ag.zeros_like(x)
    step = ag.where(x > 0, unit, zero)
    return ag.where(ag.math.is_nan(x), x, ag.where(ag.equal(x, zero), middle, step))


def _has_sign(x):
    return TABLE["copy_sign"](_scalar_like(1.0, x), x) < 0


def _cube_root(x):
    size = ag.abs(x)
    root = ag.pow(size, _scalar_like(1 / 3, x))
    square = root * root
    step = ag.stop_gradient((square * root - size) / (_scalar_like(3.0, x) * square))  # Newton's
    root = root - ag.where(ag.math.is_finite(step), step, ag.zeros_like(step))
    return ag.where(_has_sign(x), -root, root)


def matmul(a, b):
    """The same as `np.matmul`: a vector is a row on the left and a column on the right."""
    x, y = promoted_arrays(a, b)
    if rank_of(x) == 1 and rank_of(y) == 1:
        return ag.tensordot(x, y, 1)
    if rank_of(y) == 1:
        return ag.linalg.matvec(x, y)
    if rank_of(x) == 1:
        return ag.squeeze(ag.matmul(x[None, :], y), [-2])
    return ag.matmul(x, y)


def _matmul(a, b):
    return matmul(*_of_one_dtype((a, b)))


def _vecdot(a, b):
    x, y = _of_one_dtype((a, b))
    return ag.reduce_sum(ag.multiply(ag.math.conj(x), y), axis=-1)


def _reciprocal(x):
    x = tensor(x)
    if x.dtype.is_bool:
        raise UnimplementedError("np.reciprocal of truths")
    is_exact = x.dtype.is_integer
    return ag.truncatediv(_scalar_like(1, x), x) if is_exact else ag.reciprocal(floating(x))


def _positive(x):
    if tensor(x).dtype.is_bool:
        raise TypeError("np.positive takes no truths")
    return ag.identity(x)


def _trunc(x):
    x = tensor(x)
    return x if x.dtype.is_integer else ag.where(x < 0, ag.math.ceil(x), ag.floor(x))


def _rounding(name: str, x):
    """A rounding function that returns integers unchanged."""
    x = tensor(x)
    return x if x.dtype.is_integer else getattr(ag.math, name)(x)


IMPLEMENTATIONS = {
    np.divide: _arithmetic("truediv"),
    np.floor_divide: _arithmetic("floordiv"),
    np.remainder: lambda x, y: ag.math.floormod(*_operands((x, y))),
    np.fmod: _arithmetic("truncatemod"),
    np.divmod: lambda x, y: (
        ag.floordiv(*_operands((x, y))),
        ag.math.floormod(*_operands((x, y))),
    ),
    np.power: _arithmetic("pow"),
    np.float_power: lambda x, y: float_power(*_as_doubles(x, y)),
    np.matmul: _matmul,
    np.positive: _positive,
    np.reciprocal: _reciprocal,
    np.floor: partial(_rounding, "floor"),
    np.ceil: partial(_rounding, "ceil"),
    np.trunc: _trunc,
    np.fmax: partial(_first_if_other_is_nan, ag.maximum),
    np.fmin: partial(_first_if_other_is_nan, ag.minimum),
    np.logical_and: _logical("logical_and"),
    np.logical_or: _logical("logical_or"),
    np.logical_xor: _logical("logical_xor"),
    np.logical_not: _logical("logical_not"),
    np.vecdot: _vecdot,
}

# These compute in floats: integers are converted to the float dtype that NumPy uses.
IN_FLOATS = {
    np.fabs: ag.abs,
    np.rint: ag.math.rint,
    np.log2: partial(_wide, lambda x: _divided(ag.math.log(x), np.log(2.0))),
    np.log10: partial(_wide, lambda x: _divided(ag.math.log(x), np.log(10.0))),
    np.exp2: partial(_wide, _exp2),
    np.cbrt: partial(_wide, _cube_root),
    **dict.fromkeys((np.deg2rad, np.radians), _times(np.pi / 180)),
    **dict.fromkeys((np.rad2deg, np.degrees), _times(180 / np.pi)),
    np.logaddexp: _logaddexp,
    np.logaddexp2: _logaddexp2,
    np.heaviside: _heaviside,
    np.signbit: _has_sign,
}


def _of_floats(ufunc, compute):
    return lambda *inputs: compute(*_resolved(ufunc, inputs))


IMPLEMENTATIONS.update({ufunc: _of_floats(ufunc, compute) for ufunc, compute in IN_FLOATS.items()})


# ---- methods of ufuncs -----------------------------------------------------------------------


def _reduction(function, array, axis=0, dtype=None, keepdims=False):
    options = {"dtype": dtype} if dtype is not None else {}
    return late.apply_function(
        function, (), (array,), {"axis": axis, "keepdims": keepdims, **options}
    )


def _scan(function):
    return lambda array, axis=0: late.apply_function(function, (), (array,), {"axis": axis})


def _outer(ufunc, a, b):
    x, y = tensor(a), tensor(b)
    expanded = ag.reshape(x, ag.concat([ag.shape(x), [1] * len(y.shape)], 0))
    return apply_ufunc(ufunc, "__call__", (expanded, y), {})


METHODS: dict[str, Any] = {
    "reduce": {
        np.add: partial(_reduction, np.sum),
        np.multiply: partial(_reduction, np.prod),
        np.maximum: partial(_reduction, np.max),
        np.minimum: partial(_reduction, np.min),
        np.logical_and: partial(_reduction, np.all),
        np.logical_or: partial(_reduction, np.any),
    },
    "accumulate": {np.add: _scan(np.cumsum), np.multiply: _scan(np.cumprod)},
    "outer": {},
}
