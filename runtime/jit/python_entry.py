"""How Python enters a kernel: a function of its C interface, called with arrays and numbers.

Arrays and NumPy's numbers keep the address of their elements, or the number itself, behind the head
that all objects have. The interpreter's lock is free while the kernel runs. An array among the
results is one of those that were given; a stack, whose number of rows nobody knew, comes as bytes.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir

from . import values
from .kernel_types import BOOL, FLOAT64, INT64, ArrayKind
from .loader.symbols import FAILURE, PREFIX
from .values import BYTE, WORD

HEAD = object.__basicsize__  # bytes
OBJECT, NOTHING, INT = BYTE.as_pointer(), ir.VoidType(), ir.IntType(32)


def _external(name: str, result: ir.Type, *given: ir.Type):
    return PREFIX + name, ir.FunctionType(result, given)


EXTERNAL = {  # by the name that kernels use: the name outside, and the type
    "allocate": _external("PyMem_RawMalloc", OBJECT, WORD),
    "free": _external("PyMem_RawFree", NOTHING, OBJECT),
    "release": _external("PyEval_SaveThread", OBJECT),
    "acquire": _external("PyEval_RestoreThread", NOTHING, OBJECT),
    "fail": _external("PyErr_SetNone", NOTHING, OBJECT),
    "tuple": _external("PyTuple_New", OBJECT, WORD),
    "put": _external("PyTuple_SetItem", INT, OBJECT, WORD, OBJECT),
    "hold": _external("Py_IncRef", NOTHING, OBJECT),
    "float": _external("PyFloat_FromDouble", OBJECT, ir.DoubleType()),
    "int": _external("PyLong_FromLongLong", OBJECT, WORD),
    "unsigned": _external("PyLong_FromUnsignedLongLong", OBJECT, WORD),
    "bool": _external("PyBool_FromLong", OBJECT, WORD),
    "bytes": _external("PyByteArray_FromStringAndSize", OBJECT, OBJECT, WORD),
}


def write_entry(module, name: str, kernel: ir.Function, kinds, result: tuple, wanted) -> None:
    """The function `name(self, arguments, count)`, which gives a tuple."""
    kind = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), WORD])
    function = ir.Function(module.ir, kind, name)
    builder = ir.IRBuilder(function.append_basic_block())

    def call(name: str, *arguments):
        return builder.call(module.external(name), arguments)

    objects = [
        builder.load(builder.gep(function.args[1], [WORD(place)])) for place in range(len(kinds))
    ]
    given = [_content(builder, one, kind) for one, kind in zip(objects, kinds, strict=True)]
    sizes = [_sizes(builder, one, kind) for one, kind in zip(objects, kinds, strict=True)]
    arguments = [one for pair in zip(given, sizes, strict=True) for one in (pair[0], *pair[1])]
    thread = call("release")
    made = builder.call(kernel, arguments)
    call("acquire", thread)
    with builder.if_then(builder.extract_value(made, 0), likely=False):
        failure = ir.GlobalVariable(module.ir, OBJECT, PREFIX + FAILURE)
        call("fail", builder.load(failure))
        builder.ret(OBJECT(None))
    parts = iter([builder.extract_value(made, 1 + at) for at in range(len(made.type) - 1)])
    results = values.value_of(builder, result, parts)
    whole = call("tuple", WORD(len(results)))
    arrays = [row for row in zip(kinds, objects, given, strict=True) if type(row[0]) is ArrayKind]
    for place, (value, kind) in enumerate(zip(results, wanted, strict=True)):
        one = _boxed(builder, call, value, kind, arrays)
        call("put", whole, WORD(place), one)
    builder.ret(whole)


def _content(builder, one, kind):
    """The address or the number of an object."""
    place = builder.gep(one, [WORD(HEAD)])
    if isinstance(kind, ArrayKind):
        memory = values.memory_type(kind.dtype).as_pointer()
        return builder.load(builder.bitcast(place, memory.as_pointer()))
    value = builder.load(builder.bitcast(place, values.memory_type(kind).as_pointer()))
    return builder.icmp_unsigned("!=", value, BYTE(0)) if kind == BOOL else value


def _sizes(builder, one, kind) -> list:
    """The sizes of an array that are not known before: behind the address and the rank."""
    if not isinstance(kind, ArrayKind) or None not in kind.shape:
        return []
    place = builder.gep(one, [WORD(HEAD + 16)])
    sizes = builder.load(builder.bitcast(place, WORD.as_pointer().as_pointer()))
    axes = [axis for axis, size in enumerate(kind.shape) if size is None]
    return [builder.load(builder.gep(sizes, [WORD(axis)])) for axis in axes]


def _boxed(builder, call, value, kind, arrays):
    """A result as an object."""
    if not isinstance(kind, ArrayKind):
        return _boxed_number(call, value.cast(kind))
    if None in kind.shape:
        size = math.prod(value.sizes) * kind.dtype.itemsize
        data = builder.bitcast(value.data, OBJECT)
        made = call("bytes", data, values.word(size))
        call("free", data)
        return made
    found = OBJECT(None)
    for own, one, data in arrays:
        if own.dtype == kind.dtype and math.prod(own.shape) == math.prod(kind.shape):
            same = builder.icmp_unsigned("==", data, value.data)
            found = builder.select(same, one, found)
    call("hold", found)
    return found


def _boxed_number(call, number):
    if number.is_float:
        return call("float", number.cast(FLOAT64).value)
    if number.dtype == BOOL:
        return call("bool", number.cast(INT64).value)
    if number.unsigned:
        return call("unsigned", number.cast(np.dtype(np.uint64)).value)
    return call("int", number.cast(INT64).value)
