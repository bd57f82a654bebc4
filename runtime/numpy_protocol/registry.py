"""The table of NumPy functions: one row says what graphs, tensors and `jit` know of a function.

An implementation uses operations of the package and has the parameters of the NumPy function.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops  # noqa: F401 - registers the names used below
from ..core.classes import class_of
from ..core.classes import record as row_of_table
from ..core.dtypes import DType, as_dtype
from ..core.errors import SymbolicValueError, UnimplementedError
from ..core.numpy_dtypes import is_integer, is_string
from ..core.places import PACKAGE
from ..core.public_names import index, load_operation, lookup
from ..tensors.apply import BEHAVIOR, BUILDER
from ..tensors.tensor import Operators, SymbolicTensor, Tensor
from .samples import Samples, UnknownSampleError, as_numpy, sample_array

# Parameters that no implementation reads: only their defaults are accepted, and orders of arrays in
# which graphs have all of them.
UNUSED = ("out", "where", "initial", "order", "casting", "subok", "kind", "like", "device")
ORDERS = ("C", "K", "A")
ALL = 32  # operands, of a function that takes any number of them


class _Public:
    """The public names, as in `ag.reduce_sum`."""

    def __getattr__(self, name: str):
        value = lookup(name)
        if value is None:
            raise AttributeError(name)
        return value


ag = _Public()


# The methods of arrays that are functions of NumPy's.
METHODS: dict[str, Callable] = {
    "all": np.all, "any": np.any, "argmax": np.argmax, "argmin": np.argmin, "argsort": np.argsort,
    "clip": np.clip, "copy": np.copy, "cumprod": np.cumprod,
    "cumsum": np.cumsum, "diagonal": np.diagonal, "dot": np.dot, "flatten": np.ravel,
    "max": np.max, "mean": np.mean, "min": np.min, "nonzero": np.nonzero, "prod": np.prod,
    "ravel": np.ravel, "repeat": np.repeat, "round": np.round, "searchsorted": np.searchsorted,
    "squeeze": np.squeeze, "std": np.std, "sum": np.sum, "swapaxes": np.swapaxes, "take": np.take,
    "trace": np.trace, "var": np.var,
}  # fmt: skip


class SharedArray:
    """Base of the arrays of `jit`: their views share elements with them."""

    __slots__ = ()


@row_of_table(frozen=False)
class Row:
    """A NumPy function in the table.

    implementation  computes it with operations; None where only arrays of `jit` have a form
    accepted        the values that its parameters take, by their names, where not all are taken
    on_arrays       the form of arrays of `jit`; NotImplemented leaves a call to the implementation
    result          what the implementation gives in `jit`: "new" arrays, which share no elements
                    with the arguments, and numbers in place of arrays of rank 0; "array" where
                    these are arrays too; a class of Python's numbers; "view": the arrays of
                    `jit` are its arguments, as they are; None: `jit` calls NumPy
    operands        the number of first arguments of which NumPy makes arrays
    is_weak         whether a number of Python's is none of them: it adapts to the other operands
    joins           whether the first argument is a list of arrays
    needs_elements  whether NumPy raises for arrays of no elements
    changes         the arguments that change, by position or name
    """

    implementation: Callable | None = None
    accepted: Any = None
    on_arrays: Callable | None = None
    result: Any = None
    operands: int = 1
    is_weak: bool = False
    joins: bool = False
    needs_elements: bool = False
    changes: tuple = ("out",)

    @property
    def signature(self) -> inspect.Signature:
        """The parameters of the implementation."""
        return _signature(self.implementation)

    @property
    def is_native(self) -> bool:
        """Whether `jit` has a form of it."""
        return self.on_arrays is not None or self.result is not None


_signature = functools.cache(inspect.signature)  # it takes long for some hundred functions
FACTS = frozenset(Row.__annotations__)
NOTHING = Row()  # known of other functions


FUNCTIONS: dict[Any, Row] = {}
# Functions that this version of NumPy does not have, with the modules that implement them.
ABSENT: dict[str, str] = {}


def row_of(function) -> Row:
    """What is known of a function. The module that has its implementation, which the index names,
    is imported when the function is first looked up.
    """
    row = FUNCTIONS.get(function, NOTHING)
    module = str(getattr(function, "__module__", None))
    if row.implementation is None and module.startswith("numpy") and hasattr(function, "__name__"):
        load_operation(name_of(function))
        row = FUNCTIONS.get(function, NOTHING)
    return row


def traces(*functions, **facts):
    """Register the implementation of NumPy functions, which has the same parameters, with other
    facts of their row. A parameter among the facts takes these values alone. What the program
    registers counts, whenever the files of this package are loaded.
    """
    accepted = {name: facts.pop(name) for name in set(facts) - FACTS}

    def register(implementation):
        code, defaults = implementation.__code__, implementation.__defaults__ or ()
        names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        known = dict(zip(names, defaults, strict=True)) | (implementation.__kwdefaults__ or {})
        unused = {name: (known[name], *ORDERS) for name in UNUSED if name in known}
        is_ours = (implementation.__module__ or "").partition(".")[0] == PACKAGE
        others = [
            key for key in functions if not (is_ours and FUNCTIONS.get(key, NOTHING).implementation)
        ]
        _add(others, facts | {"implementation": implementation, "accepted": unused | accepted})
        return implementation

    return register


def on_arrays(*functions, **facts):
    """Register the form that NumPy functions have for arrays of `jit`, with facts of their row."""

    def register(form):
        _add(functions, facts | {"on_arrays": form})
        return form

    return register


def _add(functions, facts: dict) -> None:
    for function in functions:
        row = FUNCTIONS.setdefault(function, Row())
        for name, fact in facts.items():
            setattr(row, name, fact)


def of_numpy(name: str) -> tuple:
    """A function of NumPy by its name; nothing where this version of NumPy has none."""
    if hasattr(np, name):
        return (getattr(np, name),)
    ABSENT[f"np.{name}"] = sys._getframe(1).f_globals["__name__"]
    return ()


def name_of(function) -> str:
    """The name of a NumPy function with its module; a function of another package has none.

    >>> name_of(np.linalg.norm), name_of(np.frompyfunc(abs, 1, 1))
    ('np.linalg.norm', 'abs (vectorized)')
    """
    if isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is not function:
        return function.__name__
    module = getattr(function, "__module__", None) or "numpy"
    if module.partition(".")[0] != "numpy":
        return function.__name__
    return f"np{module.removeprefix('numpy')}.{function.__name__}"


def apply_function(function, types, args, kwargs):
    """`__array_function__` of tensors.

    With a symbolic tensor among the arguments the traced implementation is recorded. Otherwise
    NumPy computes with the arrays, and the result is NumPy's.
    """
    if not all(issubclass(type_, (np.ndarray, Operators)) for type_ in types):
        return NotImplemented
    return in_preferred_dtype(_applied(function, args, kwargs), (args, kwargs))


def _applied(function, args, kwargs):
    if is_symbolic(args) or is_symbolic(kwargs):
        return record(function, args, kwargs)
    if BEHAVIOR.on and is_traced(function):
        with contextlib.suppress(UnimplementedError):
            return apply_implementation(function, args, kwargs)
    return function(*as_arrays(args), **as_arrays(kwargs))


def record(function, args, kwargs, form: Callable | None = None, called: str = ""):
    """The result of the traced implementation, which has to be alike to that of NumPy for samples
    of symbolic tensors. Raises what NumPy raises for them.
    """

    def refused(reason: str) -> UnimplementedError:
        name = called or name_of(function)
        message = f"{name} on symbolic tensors: {reason}"
        return UnimplementedError(message, alternative_to(function, name))

    form = form or functools.partial(apply_implementation, function)
    recorded = functools.partial(form, args, kwargs)
    return as_numpy(function, recorded, lambda limit: [_Samples(args, kwargs, limit)], refused)


class _Samples(Samples):
    """Samples of symbolic tensors."""

    def shape_of(self, value) -> tuple[int | None, ...] | None:
        if not isinstance(value, Operators) or not is_symbolic(value):
            return None
        dims = getattr(value, "dims", None)
        if dims is None or is_string(value.dtype.numpy_dtype):
            raise UnknownSampleError
        is_parameter = not dims and is_integer(value.dtype.numpy_dtype)
        self.has_computed = self.has_computed or is_parameter
        return dims

    def of(self, value):
        return super().of(value) if is_symbolic(value) else as_arrays(value)

    def array_like(self, value, shape: tuple[int, ...]) -> np.ndarray:
        return sample_array(value.dtype.numpy_dtype, shape)

    def compute(self, function):
        with warnings.catch_warnings(action="ignore"):
            return function(*self.args, **self.kwargs)

    def is_alike(self, result, expected) -> bool:
        if isinstance(result, (tuple, list)):
            is_list = isinstance(expected, (tuple, list)) and len(result) == len(expected)
            return is_list and all(map(self.is_alike, result, expected))
        if not isinstance(result, Operators) or result.dims is None:
            return True
        has_type = isinstance(expected, (np.ndarray, np.generic)) and not BEHAVIOR.on
        is_same = not has_type or result.dtype.numpy_dtype == expected.dtype
        return is_same and self.has_shape(result.dims, expected)


def is_traced(function) -> bool:
    """Whether a NumPy function has an implementation."""
    return row_of(function).implementation is not None


def apply_implementation(function, args, kwargs):
    """Call the traced implementation. Raises SymbolicValueError with an alternative if none."""
    if not is_traced(function):
        raise SymbolicValueError(
            f"{name_of(function)} cannot be traced into a graph", alternative_to(function)
        )
    row = row_of(function)
    options = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    try:
        bound = row.signature.bind(*args, **options)
    except TypeError as error:
        raise UnimplementedError(
            f"{name_of(function)} on symbolic tensors: {error}", alternative_to(function)
        ) from None
    for name, values in row.accepted.items():
        if name in bound.arguments and not _is_one_of(value := bound.arguments[name], values):
            named = f"{name}={value!r}" if isinstance(value, (str, bool)) else f"'{name}'"
            raise UnimplementedError(
                f"{name_of(function)} on symbolic tensors does not support {named}",
                alternative_to(function),
            )
    return row.implementation(*bound.args, **bound.kwargs)


def _is_one_of(value, values) -> bool:
    is_plain = isinstance(value, (bool, int, str, np.bool_))
    return any(value is accepted for accepted in values) or (is_plain and value in values)


NAMESPACES = ("math", "linalg", "nn", "random")
SAME_NAMESPACE = {"fft": "signal"}  # by NumPy's name of it


def alternative_to(function, called: str = "") -> str:
    """Advice on what to call instead of a NumPy function, or of a method of it, that cannot be
    traced.
    """
    name = function.__name__
    wanted = (name, "reduce_" + name)
    module = name_of(function).rpartition(".")[0].rpartition(".")[2]
    first = {*wanted, *NAMESPACES} if module == "np" else {SAME_NAMESPACE.get(module, module)}
    same = [
        public
        for public in index()
        if public.split(".")[-1] in wanted and public.partition(".")[0] in first
    ]
    if same:
        return f"Use ag.{min(same, key=len)}."
    return (
        "Call it when the graph runs: "
        f"ag.numpy_function({called or name_of(function)}, [x], Tout=x.dtype)."
    )


# ---- arguments -------------------------------------------------------------------------------


def is_symbolic(value) -> bool:
    """Whether a value is or contains a symbolic tensor."""
    if isinstance(value, Operators):
        return isinstance(value, SymbolicTensor) or (
            not isinstance(value, Tensor) and BUILDER.get() is not None
        )
    if isinstance(value, (list, tuple)):
        return any(map(is_symbolic, value))
    return isinstance(value, dict) and any(map(is_symbolic, value.values()))


def as_arrays(value):
    """The same structure with tensors replaced by NumPy arrays, and data types by NumPy's."""
    if isinstance(value, Operators):
        return np.asarray(value)
    if isinstance(value, DType):
        return value.numpy_dtype
    if class_of(value) in (list, tuple):
        return class_of(value)(map(as_arrays, value))
    if type(value) is dict:
        return {key: as_arrays(item) for key, item in value.items()}
    return value


# What float64 and complex128 become where `prefer_float32` is on and no argument asks for them.
NARROWER = {np.dtype(np.float64): "float32", np.dtype(np.complex128): "complex64"}


def in_preferred_dtype(result, arguments):
    """The result of a NumPy function, in float32 where that is preferred and nothing is float64."""
    return _narrowed(result) if is_narrowed(arguments) else result


def is_narrowed(arguments) -> bool:
    """Whether float32 is preferred and no argument is of float64, or names it."""
    return BEHAVIOR.prefer_float32 and not _is_wide(arguments)


def _narrowed(result):
    if isinstance(result, (list, tuple)):
        parts = map(_narrowed, result)
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if isinstance(result, Operators) and result.dtype.numpy_dtype in NARROWER:
        return ag.cast(result, NARROWER[result.dtype.numpy_dtype])
    if isinstance(result, (np.ndarray, np.generic)) and result.dtype in NARROWER:
        return result.astype(NARROWER[result.dtype])
    return result


def _is_wide(value) -> bool:
    """Whether an argument is an array of float64 or complex128, or names such a data type."""
    if isinstance(value, dict):
        return any(map(_is_wide, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_is_wide, value))
    if isinstance(value, (Operators, np.ndarray, np.generic)):
        value = value.dtype
    if value is float or value is complex or not isinstance(value, (DType, np.dtype, type, str)):
        return False  # Python's own types adapt
    try:
        return as_dtype(value).numpy_dtype in NARROWER
    except TypeError:
        return False


def rank_of(tensor) -> int:
    """The static rank. Raises SymbolicValueError if it is unknown."""
    if tensor.dims is None:
        raise SymbolicValueError(
            f"the rank of {tensor} is not known while tracing",
            "Declare it: x = ag.ensure_shape(x, [None, None]).",
        )
    return len(tensor.dims)


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front. Raises NumPy's AxisError if it does not exist."""
    return np.lib.array_utils.normalize_axis_index(axis, rank)


def axes_of(axis, rank: int) -> tuple[int, ...]:
    """Axes counted from the front. Raises NumPy's AxisError for one that does not exist."""
    return np.lib.array_utils.normalize_axis_tuple(axis, rank)


def sizes_of(tensor) -> list:
    """The size of each axis: an int if it is static, else a scalar tensor."""
    shape = tensor.dims
    return [
        ag.shape(tensor)[axis] if size is None else size
        for axis, size in enumerate(shape or [None] * rank_of(tensor))
    ]
