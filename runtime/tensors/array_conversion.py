"""Convert Python and NumPy values to arrays, with the default dtypes."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..core.dtypes import FROM_NUMPY, DType, as_dtype, string
from ..core.errors import DTypeError
from ..core.numpy_dtypes import is_string
from ..core.user_source import in_users_words
from .tensor import EagerTensor


def to_array(value: Any, dtype: DType | None = None) -> np.ndarray:
    """A NumPy array of a Python or NumPy value, with the library's default types.

    Python ints become int32 (int64 where they do not fit), floats float32; arrays keep their type;
    text becomes bytes. Raises TypeError for what is no number or text, and for a float given where
    an integer type is asked for.
    """
    if isinstance(value, EagerTensor):
        array = value.array
    elif isinstance(value, (np.ndarray, np.generic)):
        array = np.array(value) if not is_string(value.dtype) else _as_strings(value)
    elif (
        dtype is not None
        and (dtype.is_floating or dtype.is_complex)
        and _leaf_types(value) <= {int, float}
    ):
        return np.array(value, dtype.numpy_dtype)  # by way of float32, digits would be lost
    else:
        array = _from_python(value, dtype)
    if dtype is None or array.dtype == dtype.numpy_dtype:
        if array.dtype not in FROM_NUMPY:
            as_dtype(array.dtype)
        return array
    return _convert(array, value, dtype)


def _from_python(value, dtype: DType | None) -> np.ndarray:
    type_ = type(value)
    if type_ is bool:
        return np.array(value)
    if type_ is int:
        if -(2**31) <= value < 2**31:
            return np.array(value, np.int32)
        return _from_integers(value, np.array(value), dtype)
    if type_ is float:
        return np.array(value, np.float32)
    if type_ in (str, bytes):
        return _as_strings(value)
    is_nested = isinstance(value, (list, tuple, range))
    array = _from_nested(value, dtype) if is_nested else np.asarray(value)
    if is_string(array.dtype):
        return _as_strings(value)  # NumPy's own bytes lose the zeros at their end
    return array


def _from_integers(value, array: np.ndarray, dtype: DType | None) -> np.ndarray:
    """Python's integers, which NumPy holds in `array`: int32, or int64 where one does not fit, or
    uint64 where a dtype is asked for.
    """
    if array.dtype.kind == "i":
        fits = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
        return array.astype(np.int32 if fits else np.int64)
    if dtype is None:
        integers = np.array(value, object).flat
        _refuse_integer(next(integer for integer in integers if not -(2**63) <= integer < 2**63))
    try:
        return np.array(value, np.uint64)
    except OverflowError:
        raise ValueError(f"{value!r} does not fit into {dtype.name}") from None


def _from_nested(value, dtype: DType | None) -> np.ndarray:
    try:
        array = np.array(value)
    except UnicodeDecodeError:  # strings beside bytes that are no ASCII
        return _as_strings(value)
    except ValueError as error:
        raise ValueError(
            f"cannot make a tensor of {value!r}: rows differ in length. Pad them to the longest one"
        ) from error
    leaves = _leaf_types(value)
    if int in leaves and leaves <= {int, bool}:
        return _from_integers(value, array, dtype)
    if float in leaves and leaves <= {int, float, bool}:
        return array.astype(np.float32)
    return array.astype(np.float32) if not leaves else array


def _leaf_types(value) -> set[type]:
    if isinstance(value, (list, tuple, range)):
        return set().union(*map(_leaf_types, value)) if len(value) else set()
    return {type(value)}


def _as_strings(value) -> np.ndarray:
    array = np.asarray(value, dtype=object)
    flat = [leaf.encode() if isinstance(leaf, str) else leaf for leaf in array.reshape(-1)]
    wrong = [leaf for leaf in flat if not isinstance(leaf, bytes)]
    if wrong:
        if None in wrong:
            raise DTypeError(
                "cannot make a tensor of None",
                "A size that is None in x.shape is known when the graph runs: ag.shape(x)[0].",
            )
        _refuse(flat, wrong[0])
    out = np.empty(len(flat), object)
    out[:] = flat
    return out.reshape(array.shape)


def _refuse(items: list, other) -> NoReturn:
    """Say why items make no tensor: one is of a class that none holds, or some are strings."""
    for item in items:
        if isinstance(item, int) and not -(2**63) <= item < 2**64:
            _refuse_integer(item)
        if not isinstance(item, (int, float, complex, bytes)):
            items_of = "x.values()" if hasattr(item, "keys") else "x"
            raise DTypeError(
                f"cannot make a tensor of {item!r}, which is of class {type(item).__name__}",
                f"Make a list of its items: list({items_of})." * hasattr(item, "__iter__"),
            )
    raise DTypeError(
        f"cannot make a tensor of strings beside other items, such as {other!r}",
        "Make strings of all of them, for example by [str(x) for x in items], or use a tensor for "
        "each.",
    )


def _refuse_integer(value: int) -> NoReturn:
    raise DTypeError(
        f"cannot make a tensor of {value}, which does not fit into int64",
        f"Use ag.uint64 for it: ag.constant({value}, ag.uint64)."
        if 0 <= value < 2**64
        else f"Round it to a float: ag.constant(float({value}), ag.float64).",
    )


def _convert(array, value, dtype: DType) -> np.ndarray:
    """Cast to a requested dtype, where the category of number allows it."""
    if not array.size:
        return array.astype(dtype.numpy_dtype)
    own, wanted = array.dtype.kind, dtype.numpy_dtype.kind
    order = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
    if (
        dtype is string
        or own == "O"
        or order[own] > order[wanted]
        or (own == "b") != (wanted == "b")
    ):
        advice = in_users_words(". ag.as_string(x) makes a string of a number")
        cure = advice if isinstance(value, str) else ""
        raise TypeError(f"cannot convert {value!r} to a tensor of {dtype.name}{cure}")
    if wanted in "iu" and array.size:
        limits = np.iinfo(dtype.numpy_dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise ValueError(f"{value!r} does not fit into {dtype.name}")
    if not hasattr(value, "dtype") and wanted in "fc":
        return np.array(value, dtype.numpy_dtype)  # not by way of float32, which rounds
    return array.astype(dtype.numpy_dtype)


def is_python_number(value) -> bool:
    """Whether a value is a Python number, or consists of them."""
    if isinstance(value, (list, tuple)):
        return all(map(is_python_number, value))
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
