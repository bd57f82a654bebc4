"""Numbers that are known only when the graph runs: Python's, and scalars of NumPy's."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...autograph.operators.raising import Retrace
from ...runtime.core import numpy_dtypes
from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import FROM_NUMPY, as_dtype
from ...runtime.core.numpy_dtypes import is_bool, is_complex, is_exact, is_unsigned
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.state.python_calls import assert_
from ...runtime.tensors.apply import BUILDER, constant_of
from .refusal import OF_SIZE, KnownArguments, RefusedError, WithoutText, noun

PYTHON_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64),
                 complex: np.dtype(np.complex128)}  # fmt: skip
NATIVE = numpy_dtypes.DataTypes(
    map(np.dtype, ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"))
)
# A Python integer is an int64 in the graph. Results that may exceed LARGE are checked when it runs.
# Adding less than SMALL to such a number cannot overflow in any feasible number of steps.
LARGE, SMALL, ARGUMENT = 2**62, 2**15, 2**31 - 1
# An integer that is not negative, and below this, may be one in the graph by its 64 bits alone.
UNSIGNED = 2**64


class Dispatch:
    """The functions that numbers and arrays of the graph call, defined in modules that import them:
    `ufunc(ufunc, method, inputs, options)`, `function(function, args, kwargs)`, and
    `python(ufunc, inputs)`, an operator of Python's, `number(cls, value)`, what a class of
    Python's numbers makes of one of NumPy's, `either(ufunc, inputs)`, what an operator gives for
    numbers of several types, `of_type(number, is_other)`, `repeated(items, count)`, and
    `power(a, b, by_ufunc)`.
    """

    ufunc: Callable
    function: Callable
    python: Callable
    number: Callable
    either: Callable
    of_type: Callable
    repeated: Callable
    power: Callable


DISPATCH = Dispatch()


class NumPyOperand(WithoutText):
    """A value of the graph that functions of NumPy take. `_missing` gives its other attributes."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return DISPATCH.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, kwargs):
        return DISPATCH.function(function, args, kwargs)

    def __getattr__(self, name: str):
        if name.startswith("__"):  # Python, and the package, ask what an object can do
            raise AttributeError(name)
        return self._missing(name)

    def _missing(self, name: str) -> Any:
        raise RefusedError(f"the attribute {name!r} of {noun(self)} that the graph computes")


def bound_of(argument) -> int:
    """The bound of the absolute value of arguments like this one."""
    if type(argument) is bool:
        return 1
    is_large = type(argument) is int and abs(argument) > ARGUMENT
    return LARGE if is_large else ARGUMENT


class AlternativeType(NamedTuple):
    """A number is sometimes of another type than else.

    holds    a truth of the graph: whether it is
    python   its type then: one of Python's, or a class of NumPy's scalars
    """

    holds: Any
    python: type


class TracedScalar(NumPyOperand):
    """A number of the graph: `python` is its type if it is one of Python's, else None.

    bound        a limit of the absolute value of a Python integer
    arguments    the positions of the arguments that it was computed from; None if there are others
    others       the types that it has at times, by computed values; at most one has it
    unchecked    its tensor; of a Python integer that may be too large, the low 64 bits
    conditions   truths of the graph that hold where `unchecked` are all of it
    none         a truth of the graph: whether it is None instead, which a condition excludes
    is_unsigned  whether `unchecked`, without a sign, are all of a Python integer
    """

    __slots__ = ("_check", "_scope", "arguments", "bound", "conditions", "is_unsigned",
                 "none", "others", "python", "unchecked")  # fmt: skip
    _noun = "number"
    is_graph_value = True  # for debuggers and watchers of objects

    def __init__(
        self,
        tensor,
        python: type | None = None,
        bound: int = LARGE,
        arguments: frozenset[int] | None = None,
        others: tuple[AlternativeType, ...] = (),
    ):
        self.unchecked = tensor
        self.conditions: tuple = ()
        self.none: Any = None
        self.is_unsigned = False
        self.python = python
        self.bound = bound
        self.arguments = arguments
        self.others = others

    @property
    def tensor(self):
        """The number, where the graph checks that the tensor holds all of it."""
        if self.conditions and not self._is_checked():
            for condition in self.conditions:
                require(condition)
            builder = BUILDER.get()
            if builder is self._scope and builder.nodes:
                self._check = builder.nodes[-1]
        return self.unchecked

    @property
    def is_large(self) -> bool:
        """Whether it is a Python integer that may be too large for its tensor, but has no sign."""
        return self.is_unsigned and self.bound >= LARGE

    @property
    def as_uint64(self):
        """The tensor of an integer without a sign."""
        return cast(self.unchecked, np.dtype(np.uint64))

    def or_none(self, none) -> TracedScalar:
        """This number, or None where a truth holds; Python computes with None."""
        self.none = none
        return self.with_conditions((OPS["logical_not"](none),))

    def certain(self) -> TracedScalar:
        """A number, where it may be None: Python computes with None."""
        return self if self.none is None else self._without_conditions(self.tensor)

    def or_zero(self) -> TracedScalar:
        """A number, where it may be None: zero, or what nobody reads."""
        return self if self.none is None else self._without_conditions(self.unchecked)

    def _without_conditions(self, tensor) -> TracedScalar:
        return TracedScalar(tensor, self.python, self.bound, self.arguments, self.others)

    def as_int64(self) -> TracedScalar:
        """An integer as one of Python's."""
        dtype = self.numpy_dtype
        bound = self.bound if dtype == np.int64 else int(np.iinfo(dtype).max) + 1
        return TracedScalar(cast(self.tensor, np.dtype(np.int64)), int, bound)

    def with_conditions(self, conditions) -> TracedScalar:
        """This number, if it holds; they are checked where it is used."""
        self.conditions = tuple(conditions)
        self._scope, self._check = BUILDER.get(), None
        return self

    def computed_from(self, *operands) -> TracedScalar:
        """This number, which depends on nothing but the operands."""
        known = [scalar_of(operand).arguments for operand in operands]
        self.arguments = None if None in known else frozenset().union(*known)
        return self

    def _is_checked(self) -> bool:
        return self._check is not None and any(node is self._check for node in self._scope.nodes)

    @property
    def numpy_dtype(self) -> np.dtype:
        """The data type of the tensor, also of a number of Python's."""
        return self.unchecked.dtype.numpy_dtype

    @property
    def types(self) -> list[type]:
        """The types of Python's and of NumPy's that it may have."""
        return [self.python or self.numpy_dtype.type, *(other.python for other in self.others)]

    @property
    def dtype(self) -> np.dtype:
        self._require_numpy("dtype")
        return self.numpy_dtype

    shape = property(lambda self: self._require_numpy("shape") or ())
    ndim = property(lambda self: self._require_numpy("ndim") or 0)
    size = property(lambda self: self._require_numpy("size") or 1)

    def _require_numpy(self, name: str) -> None:
        """Raise what the attribute of a number of Python's raises. Python reads that of None."""
        if self.python is not None:
            raise AttributeError(f"'{self.python.__name__}' object has no attribute '{name}'")
        if self.others:
            raise RefusedError(f"the attribute {name!r} of a number of one of two types")
        self.certain()

    def __tf_tensor__(self, dtype=None, name=None):
        return self.tensor if dtype is None else OPS["cast"](self.tensor, dtype=dtype)

    # ---- what needs a number of Python's while tracing --------------------------------------

    def __index__(self):
        if self.arguments:
            raise Retrace(KnownArguments(self.arguments))
        raise RefusedError(OF_SIZE, OF_SIZE)

    __int__ = __float__ = __complex__ = __bool__ = __hash__ = __index__

    def __array__(self, dtype=None, copy=None):
        self.__index__()

    # ---- methods of NumPy's scalars ----------------------------------------------------------

    @property
    def item(self):
        self._require_numpy("item")
        return lambda: DISPATCH.number(python_of(self.dtype), self)

    @property
    def astype(self):
        self._require_numpy("astype")
        return lambda dtype, *_, **__: TracedScalar(cast(self.tensor, np.dtype(dtype)))

    @property
    def real(self):
        if not self._has_parts:
            return +self if bool in self.types else self.certain()  # that of a truth is an int
        return TracedScalar(OPS["real"](self.tensor), self.python and float)

    @property
    def imag(self):
        if self._has_parts:
            return TracedScalar(OPS["imag"](self.tensor), self.python and float)
        if self.others:
            raise RefusedError("the imaginary component of a number of one of two types")
        self.certain()
        return (int if bool in self.types else self.python or self.numpy_dtype.type)(0)

    @property
    def _has_parts(self) -> bool:
        """True of complex numbers."""
        if is_complex(self.numpy_dtype) and self.others:
            raise RefusedError("a part of a number that is real at times")
        return is_complex(self.numpy_dtype)

    def conjugate(self):
        if not self._has_parts:
            return self.real
        return TracedScalar(OPS["conj"](self.tensor), self.python)

    conj = conjugate


def member_as_number(value, beside: Iterable = ()):
    """A member of an enumeration of integers as the number that operators take it for: one of
    Python's, or of NumPy's beside such. Anything else as it is.
    """
    if not isinstance(value, enum.IntEnum) or not _has_operators_of_int(type(value)):
        return value
    return int(value) if all(map(may_be_python, beside)) else np.int64(value)


@functools.cache
def _has_operators_of_int(cls: type) -> bool:
    names = [f"__{name}__" for name in (*OPERATORS, *COMPARISONS, *UNARY)]
    names += [f"__r{name}__" for name in OPERATORS]
    return all(getattr(cls, name, None) is getattr(int, name, None) for name in names)


def operation(ufunc, *inputs):
    """An operator: Python's for numbers that may be Python's, else that of NumPy."""
    numbers = [value for value in inputs if isinstance(value, (TracedScalar, np.generic))]
    inputs = tuple(member_as_number(value, numbers) for value in inputs)
    mixed, numeric = list(filter(is_mixed, inputs)), (TracedScalar, np.generic, *PYTHON_DTYPES)
    are_numbers = all(isinstance(value, numeric) for value in inputs)
    is_part = are_numbers and any(is_complex(each.numpy_dtype) for each in mixed)
    if is_part or any(len(each.others) > 1 or each.types[1] not in PYTHON_DTYPES for each in mixed):
        return DISPATCH.either(ufunc, inputs)
    if len(inputs) == 2 and _is_complex_of_python(inputs[0]) and _is_float64(inputs[1]):
        other = TracedScalar(scalar_of(inputs[1]).tensor, float)  # a subclass of Python's
        return DISPATCH.python(ufunc, (inputs[0], other))
    if ufunc in (np.equal, np.not_equal) and type(inputs[1]) is complex and _is_float64(inputs[0]):
        raise RefusedError("a float64 and a complex number are compared in an unknown order")
    if all(map(may_be_python, inputs)):
        return DISPATCH.python(ufunc, inputs)
    others = [value for value in inputs if not _is_numeric(value)]
    if others and (any(map(may_be_python, inputs)) or not any(map(_becomes_array, others))):
        return _of_another_class(ufunc, inputs)
    result = DISPATCH.ufunc(ufunc, "__call__", inputs, {})
    return DISPATCH.power(*inputs, result) if ufunc is np.power else result


def _of_another_class(ufunc, inputs):
    """The answer of a number to an operator beside something that is none, nor an array."""
    numbers = (operand for operand in inputs if type(operand) is TracedScalar)
    nones = [number.none for number in numbers if number.none is not None]
    if nones and any(operand is None for operand in inputs) and ufunc in (np.equal, np.not_equal):
        is_equal = ufunc is np.equal
        return TracedScalar(nones[0] if is_equal else OPS["logical_not"](nones[0]), bool, 1)
    if any(map(is_mixed, inputs)) or not any(isinstance(each, _NO_NUMBERS) for each in inputs):
        raise RefusedError(f"an operator of {' and '.join(map(noun, inputs))}")
    return NotImplemented


_ROWS = (str, bytes, list, tuple, range)  # which operators of NumPy's numbers make arrays
_NO_NUMBERS = (*_ROWS, type(None), type(...), dict, set, frozenset, slice, type)


def _becomes_array(value) -> bool:
    return isinstance(value, _ROWS) or hasattr(type(value), "to_array")


def _is_numeric(value) -> bool:
    """Whether a value is a number or an array, or stands for one."""
    cls = type(value)
    is_list = hasattr(cls, "to_array")
    is_array = isinstance(value, (np.generic, np.ndarray)) or hasattr(cls, "__array_ufunc__")
    return cls in PYTHON_DTYPES or (is_array and not is_list)


def _is_complex_of_python(value) -> bool:
    return is_python_number(value) and complex in (type(value), getattr(value, "python", None))


def _is_float64(value) -> bool:
    """Whether a number is of NumPy's class that is below Python's, or at times one of Python's."""
    if type(value) is TracedScalar:
        return value.types[0] is np.float64 and PYTHON_DTYPES.keys() >= {*value.types[1:]}
    return type(value) is np.float64


def _is_number(value) -> bool:
    """Whether `*` multiplies a value, and does not repeat it."""
    is_list = hasattr(type(value), "to_array")
    return not (is_list or isinstance(value, (list, tuple, str, bytes)))


def _attach_operators() -> None:
    """Give TracedScalar its operators, from the table of ufuncs."""
    for name, ufunc in {**OPERATORS, **COMPARISONS}.items():
        setattr(TracedScalar, f"__{name}__", lambda a, b, ufunc=ufunc: operation(ufunc, a, b))
    for name, ufunc in OPERATORS.items():
        setattr(TracedScalar, f"__r{name}__", lambda a, b, ufunc=ufunc: operation(ufunc, b, a))
    for name, ufunc in UNARY.items():
        setattr(TracedScalar, f"__{name}__", lambda a, ufunc=ufunc: operation(ufunc, a))
    for name in ("__mul__", "__rmul__"):
        of = getattr(TracedScalar, name)
        setattr(TracedScalar, name, lambda a, b, of=of: (
            of(a, b) if _is_number(b) else DISPATCH.repeated(b, a)
        ))  # fmt: skip
    TracedScalar.__divmod__ = lambda a, b: (a // b, a % b)
    TracedScalar.__rdivmod__ = lambda a, b: (b // a, b % a)


OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    "matmul": np.matmul,
}  # fmt: skip
COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
               "eq": np.equal, "ne": np.not_equal}  # fmt: skip
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_attach_operators()


def python_of(dtype: np.dtype) -> type:
    return type(dtype.type().item())


def cast(tensor, dtype: np.dtype):
    source = tensor.dtype.numpy_dtype
    if is_complex(source) and not (is_complex(dtype) or is_bool(dtype)):  # NumPy warns
        raise RefusedError("a complex number becomes a real one")
    if dtype not in NATIVE:
        raise RefusedError(f"numbers of {dtype!r}")
    return tensor if source == dtype else OPS["cast"](tensor, dtype=as_dtype(dtype))


def is_python_number(value) -> bool:
    is_traced = type(value) is TracedScalar and value.python is not None
    return is_traced or type(value) in PYTHON_DTYPES


def is_mixed(value) -> bool:
    """Whether the type of a number depends on computed values."""
    return type(value) is TracedScalar and bool(value.others)


def may_be_python(value) -> bool:
    return is_python_number(value) or is_mixed(value)


def scalar_of(value) -> TracedScalar:
    """A number of Python's or NumPy's as one of the graph."""
    if type(value) is TracedScalar:
        return value
    if type(value) in PYTHON_DTYPES:
        if type(value) is int and LARGE <= value < UNSIGNED:
            return unsigned(constant_of(np.uint64(value)), value).computed_from()
        if type(value) is int and abs(value) >= LARGE:
            raise RefusedError("an integer of more than 62 bits")
        bound = LARGE if type(value) in (float, complex) else abs(int(value))
        array = np.array(value, PYTHON_DTYPES[type(value)])
        number = TracedScalar(constant_of(array), type(value), bound, frozenset())
        number.is_unsigned = type(value) is int and value >= 0
        return number
    if isinstance(value, np.generic) and value.dtype in FROM_NUMPY:
        return TracedScalar(constant_of(np.asarray(value)), arguments=frozenset())
    raise RefusedError(f"{noun(value)} among numbers of the graph")


def unsigned(tensor, bound: int = UNSIGNED - 1) -> TracedScalar:
    """A Python integer that is not negative, of 64 bits."""
    low = cast(tensor, np.dtype(np.int64))
    number = TracedScalar(low, int, bound)
    number.is_unsigned = True
    if bound < LARGE:
        return number
    is_natural = OPS["less"](constant_of(np.int64(-1)), low)
    return number.with_conditions([is_natural, OPS["less"](low, constant_of(np.int64(LARGE)))])


def number_in(value):
    """The scalar of an array of rank 0; anything else as it is."""
    is_scalar = isinstance(value, (TracedScalar, np.generic))
    return value[()] if not is_scalar and getattr(value, "shape", None) == () else value


def require(condition) -> None:
    """Leave the native code unless it holds: Python then computes, or raises."""
    assert_(condition, ["Python computes this"])


def require_within(number: TracedScalar, limit: int) -> None:
    """Leave the native code unless the absolute value of a Python integer is at most a limit."""
    if number.bound > limit:
        require(OPS["less_equal"](OPS["abs"](number.tensor), constant_of(np.int64(limit))))


def require_in(number: TracedScalar, dtype: np.dtype) -> None:
    """Leave the native code unless an integer of Python's is one of a data type."""
    limits = np.iinfo(dtype)
    if number.bound > limits.max or limits.min == 0:
        low, high = (constant_of(np.int64(limit)) for limit in (limits.min, limits.max))
        require(OPS["less_equal"](low, number.tensor))
        require(OPS["less_equal"](number.tensor, high))


def require_in_62_bits(tensor) -> None:
    """Leave the native code unless an integer of NumPy's can be one of Python's in a graph."""
    dtype = tensor.dtype.numpy_dtype
    if not is_unsigned(dtype):
        require(OPS["less_equal"](constant_of(dtype.type(-LARGE)), tensor))
    require(OPS["less_equal"](tensor, constant_of(dtype.type(LARGE))))


def as_index(number: TracedScalar):
    """An index as a tensor of int64, where larger ones of uint64 would count from the end."""
    if np.bool_ in number.types or not is_exact(number.numpy_dtype):
        raise RefusedError("an index that is, or may be, no integer")
    if number.numpy_dtype == np.uint64:
        require_in_62_bits(number.tensor)
    return cast(number.tensor, np.dtype(np.int64))


def boolean(test):
    """The truth of a value as a tensor."""
    if hasattr(type(test), "truth"):  # a list that grows
        return test.truth
    test = number_in(test)
    if type(test) is TracedScalar and test.none is not None:
        return OPS["logical_and"](OPS["logical_not"](test.none), boolean(test.or_zero()))
    if type(test) is TracedScalar:
        if is_bool(test.numpy_dtype):
            return test.tensor
        return OPS["not_equal"](test.tensor, constant_of(np.zeros((), test.numpy_dtype)))
    if isinstance(test, (bool, int, float, complex, np.generic, str, tuple, type(None))):
        return constant_of(np.bool_(bool(test)))
    raise RefusedError(f"the truth of {noun(test)}")
