"""Questions about NumPy's data types, and their smallest and largest numbers.

`np.issubdtype` answers some of the questions too, in ten times the time.
"""

from __future__ import annotations

import numpy as np


def is_bool(dtype: np.dtype) -> bool:
    """Whether a data type is `bool`."""
    return dtype.kind == "b"


def is_signed(dtype: np.dtype) -> bool:
    """Whether a data type is a signed integer.

    >>> is_signed(np.dtype(np.int8)), is_signed(np.dtype(np.uint8))
    (True, False)
    """
    return dtype.kind == "i"


def is_unsigned(dtype: np.dtype) -> bool:
    """Whether a data type is an unsigned integer."""
    return dtype.kind == "u"


def is_integer(dtype: np.dtype) -> bool:
    """Whether a data type is an integer, signed or not; `bool` is none."""
    return dtype.kind in "iu"


def is_narrow(dtype: np.dtype) -> bool:
    """Whether all integers of a type are fewer than those of int64."""
    return is_integer(dtype) and np.can_cast(dtype, np.int64) and dtype != np.int64


def is_floating(dtype: np.dtype) -> bool:
    """Whether a data type is a real floating-point number of NumPy's own."""
    return dtype.kind == "f"


def is_complex(dtype: np.dtype) -> bool:
    """Whether a data type is complex."""
    return dtype.kind == "c"


def is_real(dtype: np.dtype) -> bool:
    """Whether a data type is `bool`, an integer or a real floating-point number.

    >>> is_real(np.dtype(np.bool_)), is_real(np.dtype(np.complex64))
    (True, False)
    """
    return dtype.kind in "biuf"


def is_exact(dtype: np.dtype) -> bool:
    """Whether a data type is `bool` or an integer."""
    return dtype.kind in "biu"


def is_string(dtype: np.dtype) -> bool:
    """Whether a data type is one of NumPy's fixed-width strings, or Python objects."""
    return dtype.kind in "SUO"


def is_numeric(dtype: np.dtype) -> bool:
    """Whether a data type is `bool` or a number, complex ones too."""
    return dtype.kind in "biufc"


# ---- smallest and largest numbers --------------------------------------------------------------


def lowest(dtype):
    return limits_of(dtype).min


def highest(dtype):
    return limits_of(dtype).max


def limits_of(dtype):
    """`numpy.finfo` or `numpy.iinfo` of a data type, or what is the same for bfloat16."""
    if dtype.kind == "b":
        raise TypeError(f"{dtype} has no limits")
    if dtype.kind == "V":
        import ml_dtypes  # which has made it

        return ml_dtypes.finfo(dtype)
    return np.iinfo(dtype) if is_integer(dtype) else np.finfo(dtype)


def extremes_of(dtype) -> tuple:
    """The smallest and largest values of a data type; minus infinity and infinity for floats."""
    return (lowest(dtype), highest(dtype)) if is_integer(dtype) else (-np.inf, np.inf)


def lowest_of(dtype):
    """The padding value of a maximum."""
    return extremes_of(dtype)[0]


class DataTypes(frozenset):
    """Data types, of which none is in here that is merely equal to one, as `np.longlong` is to
    int64: NumPy gives their numbers other classes.
    """

    def __init__(self, *_):
        self.classes = {np.dtype(dtype.name).type for dtype in self}  # a name takes a microsecond

    def __contains__(self, dtype) -> bool:
        return super().__contains__(dtype) and dtype.type in self.classes

    def issuperset(self, others) -> bool:
        return all(dtype in self for dtype in others)
