"""Numbers that are known only when the graph runs: Python's, and scalars of NumPy's."""

from __future__ import annotations

import numpy as np

from ...runtime.core.dtypes import FROM_NUMPY, as_dtype
from ...runtime.core.numpy_dtypes import is_floating
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.state.python_calls import assert_
from ...runtime.tensors.apply import constant_of
from .dispatch import DISPATCH
from .refusal import FormattedError, RefusedError, StaticArgumentError

PYTHON_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64)}
NATIVE = {np.dtype(name) for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                      "uint32", "uint64", "float32", "float64")}  # fmt: skip
# A Python integer is an int64 in the graph. Results that may exceed LARGE are checked when it runs.
# Adding less than SMALL to such a number cannot overflow in any feasible number of steps.
LARGE, SMALL, ARGUMENT = 2**62, 2**15, 2**31 - 1


class TracedScalar:
    """A number of the graph: `python` is its type if it is one of Python's, else None.

    is_mixed   whether it is sometimes a number of Python's of the same value, so that what depends
               on the difference is refused
    bound      a limit of the absolute value of a Python integer
    arguments  the positions of the arguments that it was computed from; None if there are others
    """

    __slots__ = ("arguments", "bound", "is_mixed", "python", "tensor")
    __array_priority__ = 100

    def __init__(self, tensor, python=None, bound: int = LARGE, arguments=None, is_mixed=False):
        self.tensor = tensor
        self.is_mixed = is_mixed
        self.python = python
        self.bound = bound
        self.arguments = arguments

    @property
    def dtype(self) -> np.dtype:
        return self.tensor.dtype.numpy_dtype

    shape, ndim, size = (), 0, 1

    def __tf_tensor__(self, dtype=None, name=None):
        return self.tensor if dtype is None else OPS["cast"](self.tensor, dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return DISPATCH.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, kwargs):
        return DISPATCH.function(function, args, kwargs)

    # ---- what needs a number of Python's while tracing --------------------------------------

    def __index__(self):
        if self.arguments:
            raise StaticArgumentError(self.arguments)
        raise RefusedError("a size, an axis or an index of Python's depends on computed values")

    __int__ = __index__

    def __float__(self):
        self.__index__()

    __bool__ = __complex__ = __float__

    def __hash__(self):
        return self.__index__()

    def __array__(self, dtype=None, copy=None):
        self.__index__()

    def __format__(self, spec):
        raise FormattedError

    __repr__ = __str__ = lambda self: self.__format__("")

    # ---- methods of NumPy's scalars ----------------------------------------------------------

    def item(self):
        return TracedScalar(self.tensor, _python_of(self.dtype))

    def astype(self, dtype, *args, **kwargs):
        return TracedScalar(cast(self.tensor, np.dtype(dtype)))

    def __round__(self, digits=None):
        raise RefusedError("round() of a computed value")

    def __getattr__(self, name: str):
        if name.startswith("__"):  # Python, and the package, ask what an object can do
            raise AttributeError(name)
        raise RefusedError(f"the attribute {name!r} of a number that the graph computes")


def _apply(ufunc, *inputs):
    """An operator: Python's for numbers of Python's, else that of NumPy."""
    if all(map(is_python_number, inputs)):
        return python_operation(ufunc, inputs)
    return DISPATCH.ufunc(ufunc, "__call__", inputs, {})


def _attach_operators() -> None:
    """Give TracedScalar its operators, from the table of ufuncs."""
    for name, ufunc in OPERATORS.items():
        setattr(TracedScalar, f"__{name}__", lambda a, b, ufunc=ufunc: _apply(ufunc, a, b))
        setattr(TracedScalar, f"__r{name}__", lambda a, b, ufunc=ufunc: _apply(ufunc, b, a))
    for name, ufunc in COMPARISONS.items():
        setattr(TracedScalar, f"__{name}__", lambda a, b, ufunc=ufunc: _apply(ufunc, a, b))
    for name, ufunc in UNARY.items():
        setattr(TracedScalar, f"__{name}__", lambda a, ufunc=ufunc: _apply(ufunc, a))


OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    "matmul": np.matmul,
}  # fmt: skip
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal,
}  # fmt: skip
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_attach_operators()


def _python_of(dtype: np.dtype) -> type:
    return {"b": bool, "i": int, "u": int, "f": float}[dtype.kind]


def cast(tensor, dtype: np.dtype):
    return (
        tensor if tensor.dtype.numpy_dtype == dtype else OPS["cast"](tensor, dtype=as_dtype(dtype))
    )


def is_python_number(value) -> bool:
    return type(value) in PYTHON_DTYPES or (
        type(value) is TracedScalar and value.python is not None
    )


def scalar_of(value) -> TracedScalar:
    """A number of Python's or NumPy's as one of the graph."""
    if type(value) is TracedScalar:
        return value
    if type(value) in PYTHON_DTYPES:
        if type(value) is int and abs(value) >= LARGE:
            raise RefusedError("an integer of more than 62 bits")
        bound = abs(int(value)) if type(value) is not float else LARGE
        array = np.array(value, PYTHON_DTYPES[type(value)])
        return TracedScalar(constant_of(array), type(value), bound, frozenset())
    if isinstance(value, np.generic) and value.dtype in FROM_NUMPY:
        return TracedScalar(constant_of(np.asarray(value)))
    raise RefusedError(f"a {type(value).__name__} among numbers of the graph")


def joined(one, other) -> tuple:
    """The dtype of either of two numbers, its type of Python's, and whether it is mixed.

    `one` and `other` have the attributes `dtype`, `python` and `is_mixed`.
    """
    if one.python is other.python and one.dtype == other.dtype:
        return one.dtype, one.python, one.is_mixed or other.is_mixed
    if one.python is not None and other.python is not None:
        raise RefusedError(f"a number is an {one.python.__name__} or a {other.python.__name__}")
    if one.python is None and other.python is None:
        raise RefusedError(f"a number is of {one.dtype} or {other.dtype}")
    python, strong = (one, other) if one.python is not None else (other, one)
    if np.result_type(python.python(0), strong.dtype) != strong.dtype:
        raise RefusedError(f"a number is a {python.python.__name__} or of {strong.dtype}")
    if python.python is int and not is_floating(strong.dtype):
        raise RefusedError(f"a number is an int or of {strong.dtype}")
    return strong.dtype, None, True


# ---- Python's arithmetic ---------------------------------------------------------------------


def python_operation(ufunc, inputs) -> TracedScalar:
    """What Python's operator for a ufunc gives for numbers of Python's."""
    form = _PYTHON.get(ufunc)
    if form is None:
        raise RefusedError(f"Python's form of np.{ufunc.__name__}")
    operands = [scalar_of(value) for value in inputs]
    result = form(*operands)
    known = [one.arguments for one in operands]
    result.arguments = None if None in known else frozenset().union(*known)
    return result


def _common(*operands: TracedScalar) -> type:
    return float if any(one.python is float for one in operands) else int


def _as(one: TracedScalar, python: type):
    return cast(one.tensor, PYTHON_DTYPES[python])


def _arithmetic(name: str, bound_of):
    def compute(a: TracedScalar, b: TracedScalar) -> TracedScalar:
        python = _common(a, b)
        tensor = OPS[name](_as(a, python), _as(b, python))
        if python is float:
            return TracedScalar(tensor, float)
        bound = bound_of(a.bound, b.bound)
        if bound >= LARGE and not (name != "multiply" and min(a.bound, b.bound) <= SMALL):
            near = OPS[name](_as(a, float), _as(b, float))
            require(OPS["less"](OPS["abs"](near), constant_of(np.float64(LARGE))))
        return TracedScalar(tensor, int, min(bound, LARGE))

    return compute


def require(condition) -> None:
    """Leave the native code unless it holds: Python then computes, or raises."""
    assert_(condition, ["Python computes this"])


def _true_divide(a, b):
    divisor = _as(b, float)
    require(OPS["not_equal"](divisor, constant_of(np.float64(0))))
    if a.python is not float and b.python is not float and max(a.bound, b.bound) > 2**53:
        raise RefusedError("a quotient of integers of more than 53 bits")
    return TracedScalar(OPS["divide"](_as(a, float), divisor), float)


def _whole_division(name: str):
    def compute(a, b):
        python = _common(a, b)
        divisor = _as(b, python)
        require(OPS["not_equal"](divisor, constant_of(PYTHON_DTYPES[python].type(0))))
        bound = a.bound if name == "floor_divide" else min(b.bound, LARGE)
        return TracedScalar(OPS[name](_as(a, python), divisor), python, bound)

    return compute


def _power(a, b):
    exponent = b.tensor.graph_value.constant if hasattr(b.tensor, "graph_value") else b.tensor.array
    if exponent is None or b.python is not int or not 0 <= int(exponent) <= 3 or a.python is bool:
        raise RefusedError("a power of Python's numbers")
    result = scalar_of(1.0 if a.python is float else 1)
    for _ in range(int(exponent)):
        result = _PYTHON[np.multiply](result, a)
    return result


def _negative(a):
    if a.python is float:
        return TracedScalar(OPS["negative"](a.tensor), float)
    return TracedScalar(OPS["negative"](_as(a, int)), int, a.bound)


def _positive(a):
    return a if a.python is not bool else TracedScalar(_as(a, int), int, 1)


def _absolute(a):
    if a.python is float:
        return TracedScalar(OPS["abs"](a.tensor), float)
    return TracedScalar(OPS["abs"](_as(a, int)), int, a.bound)


def _comparison(name: str):
    def compute(a, b):
        python = _common(a, b)
        if python is float and a.python is not b.python and max(
            one.bound for one in (a, b) if one.python is not float
        ) > 2**53:  # fmt: skip
            raise RefusedError("a comparison of a float and a large integer")
        return TracedScalar(OPS[name](_as(a, python), _as(b, python)), bool, 1)

    return compute


def _bitwise(name: str):
    def compute(a, b):
        if float in (a.python, b.python):
            raise RefusedError("bits of a float")
        both = bool if a.python is b.python is bool else int
        bound = 1 if both is bool else min(2 * max(a.bound, b.bound, 1), LARGE)
        operation = {"bitwise_and": "logical_and", "bitwise_or": "logical_or",
                     "bitwise_xor": "logical_xor"}[name] if both is bool else name  # fmt: skip
        return TracedScalar(OPS[operation](_as(a, both), _as(b, both)), both, bound)

    return compute


_PYTHON = {
    np.add: _arithmetic("add", lambda a, b: a + b),
    np.subtract: _arithmetic("subtract", lambda a, b: a + b),
    np.multiply: _arithmetic("multiply", lambda a, b: a * b),
    np.true_divide: _true_divide,
    np.floor_divide: _whole_division("floor_divide"),
    np.remainder: _whole_division("floor_mod"),
    np.power: _power,
    np.negative: _negative,
    np.positive: _positive,
    np.absolute: _absolute,
    np.less: _comparison("less"),
    np.less_equal: _comparison("less_equal"),
    np.greater: _comparison("greater"),
    np.greater_equal: _comparison("greater_equal"),
    np.equal: _comparison("equal"),
    np.not_equal: _comparison("not_equal"),
    np.bitwise_and: _bitwise("bitwise_and"),
    np.bitwise_or: _bitwise("bitwise_or"),
    np.bitwise_xor: _bitwise("bitwise_xor"),
}
