"""Texts of kernels compiled by themselves."""

import itertools

import numpy as np

from allograph.runtime.jit.cache import compilation  # noqa: F401 - offers what kernels share
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.jit.loader import llvm_backend
from allograph.runtime.jit.loader.load import load
from allograph.runtime.jit.routines import scope_of
from allograph.runtime.jit.translate import translate
from allograph.runtime.kernel_ir.reader import kernel_ir

_NUMBERS = itertools.count()


def type_of(value):
    """What a kernel knows of an argument like this one, which may be a kind itself."""
    if isinstance(value, ArrayType):
        return value
    array = np.asarray(value)
    return ArrayType(array.dtype, array.shape) if array.ndim else array.dtype


def llvm_of(text, arguments, results=(), name="kernel", **scope):
    """A text as LLVM's, for arguments of these kinds; it gives a tuple of results."""
    kinds, wanted = (tuple(map(type_of, values)) for values in (arguments, results))
    code = kernel_ir(text)
    return translate(name, code, {**scope_of(code.calls), **scope}, kinds, wanted)


def compiled(text, arguments, results=(), **scope):
    """The function `kernel` of a text, for arguments of these kinds."""
    name = f"text_{next(_NUMBERS)}"
    code = llvm_backend.object_code(llvm_of(text, arguments, results, name, **scope))
    return load(code, name)[0]


def call(text, *arguments, results=(), **scope):
    """What the function `kernel` of a text gives for arguments."""
    return compiled(text, arguments, results, **scope)(*arguments)
