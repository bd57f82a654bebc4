"""What the entries of kernels and the polls of their loops call: a library that kernels share, so
that it is compiled once.
"""

from __future__ import annotations

from ..loader.symbols import NUMPY, OTHERWISE_CALL, PREFIX
from ..loop_hints import kernel_function
from ..polls import write_poll_function
from ..translate import Module
from .addresses import address_of, field, put, python, stack, word, write_function
from .bound_call import CLASS_OF, INTEGER, NDARRAY, NULL, is_same_dtype, otherwise_call
from .python_entry import (
    ALIGNED,
    CONTIGUOUS,
    DATA,
    DTYPE,
    FLAGS,
    HEAD,
    IS_ARRAY,
    NUMBER_OF,
    OF_ARRAY,
    OF_NUMBER,
    RANK,
)

READABLE = CONTIGUOUS | ALIGNED
FLOAT, COMPLEX, TRUTH = (f"{PREFIX}Py{name}_Type" for name in ("Float", "Complex", "Bool"))
NUMBERS = ("float64", "complex128", "int64", "bool")
FLOAT64, COMPLEX128, INT64, BOOL = (NUMPY + name for name in NUMBERS)


def written() -> str:
    """The library, in LLVM's assembly language."""
    module = Module("entry")
    write_function(module, IS_ARRAY, is_array, OF_ARRAY)
    write_function(module, NUMBER_OF, number_of, OF_NUMBER)
    write_poll_function(module)
    write_function(module, OTHERWISE_CALL, otherwise_call)
    return str(module.ir)


@kernel_function(inline=True)
def is_array(owner, dtype, rank):
    """Whether an object is an array that a kernel can read as it is."""
    # The class comes first: the fields of anything else are not those of an array.
    if word(owner, CLASS_OF) != address_of(NDARRAY):
        return False
    if (field(owner, FLAGS, 32) & READABLE) != READABLE or field(owner, RANK, 32) != rank:
        return False
    return is_same_dtype(field(owner, DTYPE, 64), dtype)


@kernel_function(inline=True)
def number_of(owner, class_, dtype, own):
    """The address of the number of a scalar, or of an array of rank 0. A float of Python has one of
    float64, a complex one of complex128, and ints and bools are written to `own` as such of int64
    and bool. NULL for anything else.
    """
    class_of_owner = word(owner, CLASS_OF)
    if class_of_owner == class_:
        return owner + HEAD
    if is_array(owner, dtype, 0):
        return field(owner, DATA, 64)
    if class_of_owner == address_of(FLOAT) and class_ == address_of(FLOAT64):
        return owner + HEAD
    if class_of_owner == address_of(COMPLEX) and class_ == address_of(COMPLEX128):
        return owner + HEAD
    is_int = class_of_owner == address_of(INTEGER) and class_ == address_of(INT64)
    if is_int or (class_of_owner == address_of(TRUTH) and class_ == address_of(BOOL)):
        overflow = stack(1)
        put(own, 0, python.as_int(owner, overflow))
        if field(overflow, -HEAD, 32) == 0:
            return own
    return NULL
