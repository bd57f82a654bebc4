"""Forms for tensors of functions of NumPy and `math`, and of `print`, `type` and their like.

`np.zeros`, `np.array` and the like make a tensor where a symbolic tensor is among their arguments,
`np.int64(x)` is a cast, and functions of `math` become NumPy's of the same name. With plain
arguments the original function runs.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from ...autograph.operators.checked_values import Checked, MaybeNone, held, reading_method
from ...autograph.operators.forwarding_lists import ForwardingList
from ...runtime.core.dtypes import as_dtype, complex128, float64, int32
from ...runtime.core.errors import SymbolicValueError
from ...runtime.core.shapes import show
from ...runtime.core.source_locations import user_location
from ...runtime.core.user_source import in_users_words
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.registry import is_symbolic
from ...runtime.tensors.apply import is_symbolic_tensor, tensor_of
from ...runtime.tensors.python_numbers import (
    counted,
    is_number,
    is_python_value,
    is_range,
    python_type,
    refuse_characters,
    stands_for_instance,
)
from ...runtime.tensors.tensor import SymbolicTensor
from ..control_flow.conditionally_assigned import optional
from ..control_flow.retrace_none_state import is_none
from ..staged_values.iterables import StagedIterable, Walk, python_number
from ..staged_values.staged_list import StagedList

# Declared, since a type checker takes seconds to find what all overloads have in common.
ARRAYS: tuple[Callable, ...] = (
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.zeros, np.ones,
    np.empty, np.full, np.arange,
)  # fmt: skip
CASTS: tuple[type, ...] = (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
)  # fmt: skip
# The ufunc that a function of `math` is, or the name of its operation.
MATHEMATICS: dict[Callable, Any] = {
    **{getattr(math, ufunc.__name__): ufunc for ufunc in (
        np.cbrt, np.copysign, np.cos, np.cosh, np.degrees, np.exp, np.exp2, np.expm1, np.fabs,
        np.fmod, np.hypot, np.isfinite, np.isinf, np.isnan, np.log, np.log10, np.log1p, np.log2,
        np.radians, np.sin, np.sinh, np.sqrt, np.tan, np.tanh,
    )},
    math.acos: np.arccos, math.acosh: np.arccosh, math.asin: np.arcsin, math.asinh: np.arcsinh,
    math.atan: np.arctan, math.atan2: np.arctan2, math.atanh: np.arctanh, math.pow: np.power,
    math.erf: "erf", math.erfc: "erfc", math.lgamma: "lgamma",
}  # fmt: skip


def operation_of(form) -> Callable:
    """A ufunc; or the operation of a name, which is registered when it is first called."""
    return form if isinstance(form, np.ufunc) else lambda value: OPS[form](value)  # noqa: PLW0108 - loaded


def scalar(value, takes_complex: bool = False):
    """A number, as Python's functions of numbers take it; a TypeError for other tensors."""
    tensor = tensor_of(value)
    if tensor is not None and tensor.dims:
        raise TypeError(
            in_users_words(
                f"a tensor of shape {show(tensor.dims)} is no Python number: functions of ag, such "
                "as ag.sqrt(x) and ag.cast(x, ag.float32), take all its elements"
            )
        )
    if tensor is not None and tensor.dtype.is_complex and not takes_complex:
        raise TypeError("a real number is required, not 'complex'")
    return value


def _complex(real=0.0, imag=None):
    real, imag = scalar(real, True), scalar(imag, True)
    refuse_characters(real)
    components = (real,) if imag is None else (real, imag)
    parts = [np.float64(part) if type(part) in (int, float) else part for part in components]
    if any(np.iscomplexobj(part) for part in parts):
        whole, *others = (OPS["cast"](part, dtype=complex128) for part in parts)
        return whole + others[0] * 1j if others else whole
    return OPS["complex"](*(OPS["cast"](part, dtype=float64) for part in (*parts, 0.0)[:2]))


def _log(x, *base):
    return np.log(x) / np.log(*base) if base else np.log(x)


def _whole(rounded):
    """`math.floor` and the like return integers, with the dtype of `int`."""
    return lambda x: OPS["cast"](rounded(x), dtype=int32)


def _of_math(form, /, *args):
    """A function of `math`: of what stands for numbers of Python, such a number."""
    args = tuple(counted(scalar(each)) for each in args)
    result = form(*args)
    return python_number(result) if all(map(is_number, args)) else result


def _creation(function, /, *args, **kwargs):
    """The form that creates a tensor, loaded on first use."""
    from ...runtime.numpy_protocol.namespace import CREATED  # loads many NumPy functions

    return CREATED[function](*args, **kwargs)


def _cast(dtype):
    return lambda value=0: OPS["cast"](value, dtype=as_dtype(dtype))


def _where_staged(function, form):
    """`form` if a symbolic tensor is among the arguments, else the function itself."""

    @wraps(function, updated=())
    def call(*args, **kwargs):
        staged = is_symbolic(args) or (kwargs and is_symbolic(kwargs))
        try:
            return (form if staged else function)(*args, **kwargs)
        except TypeError as error:
            if "NoneType" in str(error):
                error.add_note(
                    "A size that is None in x.shape is known when the graph runs: len(x)."
                )
            raise

    return call


FORMS: dict[Callable, Callable] = {
    **{function: partial(_creation, function) for function in ARRAYS},
    **{dtype: _cast(dtype) for dtype in CASTS},
    **{function: partial(_of_math, operation_of(form)) for function, form in MATHEMATICS.items()},
    complex: _complex,
    math.fabs: partial(_of_math, np.abs),
    math.ceil: partial(_of_math, _whole(np.ceil)),
    math.floor: partial(_of_math, _whole(np.floor)),
    math.log: partial(_of_math, _log),
    math.trunc: partial(_of_math, _whole(np.trunc)),
}
TABLE: dict[Callable, Callable] = {
    function: _where_staged(function, form) for function, form in FORMS.items()
}
OTHERS: tuple[Callable, ...] = (np.eye, np.identity, np.tri)
TABLE |= {function: _where_staged(function, function) for function in OTHERS}


def _like(value):
    """A value of the class that Python would have: a list that code makes while it is traced is a
    list, and a range with a staged bound is a range.
    """
    if isinstance(value, ForwardingList):
        return value.class_in_python()
    if isinstance(value, StagedIterable):
        return value.like
    return range(0) if is_range(value) else held(value)


def _asked(question: Callable, /, value, *args):
    """The answer for a value that a tensor makes None is known when the graph runs."""
    missing, variable = is_none(value), optional(value)
    is_of_value = question(value if variable is None else variable.value, *args)
    if missing is False or is_of_value == (is_of_none := question(None, *args)):
        return is_of_value
    return python_number(missing if is_of_none else OPS["logical_not"](missing))


def _is_instance(value, classes):
    like = _like(value)
    if type(like) is SymbolicTensor and is_python_value(like):
        return stands_for_instance(like, classes)
    return isinstance(like, classes)


def _sample(value):
    """A value that has the attributes of this one in Python."""
    stands = type(value) is SymbolicTensor and is_python_value(value)
    return python_type(value)() if stands else _like(value)


def _type(value, *class_body, **options) -> type:
    variable = optional(value)
    if is_none(value) is not False:
        name = "a value" if variable is None else f"'{variable.name}'"
        raise SymbolicValueError(
            f"the type of {name} depends on a tensor, which makes it None",
            "Ask whether it is None: `if x is None:`.",
        )
    return type(value, *class_body, **options) if class_body else python_type(_like(value))


def _attribute(value, name: str, *default):
    if name == "__class__" and isinstance(value, (MaybeNone, SymbolicTensor, ForwardingList)):
        return _type(value)
    sample = _sample(value)
    if type(value) is SymbolicTensor and not hasattr(sample, name):
        return getattr(sample, name, *default)  # which may raise
    return reading_method(getattr)(value, name, *default)


def _identity(value) -> int:
    stands = type(value) is SymbolicTensor and (is_python_value(value) or is_range(value))
    if stands or is_none(value) is not False:
        raise SymbolicValueError(
            "the id of a value that depends on a tensor", "Compare values: a == b."
        )
    return id(value)


def _bytes(cls, /, *args, **kwargs):
    if args and isinstance(args[0], (SymbolicTensor, Checked, StagedList, Walk)):
        raise SymbolicValueError(
            "the bytes of a value that depends on a tensor",
            "Make them of values that are known, or use the functions of ag.strings.",
        )
    return cls(*args, **kwargs)


TABLE |= {id: _identity, bytes: partial(_bytes, bytes), bytearray: partial(_bytes, bytearray)}
TABLE[callable] = partial(_asked, lambda value: callable(_like(value)))
TABLE[hasattr] = partial(_asked, lambda value, name: reading_method(hasattr)(_sample(value), name))
TABLE[isinstance] = partial(_asked, _is_instance)
TABLE[type] = _type
TABLE[getattr] = _attribute


_WARNED: set[str] = set()  # the lines that were warned about


def _print(*items, **options) -> None:
    """`print`, with a warning, once for each line, where it prints a tensor without a value."""
    print(*items, **options)
    where = user_location()
    has_tensor = any(is_symbolic_tensor(tensor_of(item)) for item in items)
    if has_tensor and where is not None and str(where) not in _WARNED:
        _WARNED.add(str(where))
        message = in_users_words(
            "this print runs only while the function is traced, when a tensor has no value yet. "
            "Use ag.print to print in every call"
        )
        warnings.warn_explicit(message, UserWarning, where.file, where.line)


TABLE[print] = _print
