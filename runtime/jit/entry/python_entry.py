"""The entry of a kernel: a function of Python's C interface, called with arrays and scalars.

NumPy's arrays and scalars keep the address of their elements, or the number itself, behind the
object header. Nothing is read from an argument before its class, data type, shape and layout are
those that the kernel was compiled for, or that the caller passes among its arguments. Otherwise
the entry raises MismatchError. A kernel runs without the GIL, unless it ends at once. A resulting
array is one of the arguments. A stack, whose number of rows was unknown, is returned as bytes, or
as memory that the caller frees.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from llvmlite import ir

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.numpy_dtypes import is_complex
from .. import values
from ..kernel_types import BOOL, FLOAT64, INT64, ArrayType, RunTimeSize
from ..llvm_values import Number
from ..loader.shared_words import RUNNING, Service
from ..loader.symbols import FAILURE, MISMATCH, NUMPY, PREFIX, SHARED
from ..polls import shared_word
from ..values import I8, I64

HEAD = object.__basicsize__  # bytes
# The fields of an array behind the header: offsets in bytes.
DATA, RANK, SIZES, STRIDES, BASE, DTYPE, FLAGS = 0, 8, 16, 24, 32, 40, 48
CLASS_OF_NUMBERS, BYTE_ORDER, TYPE_NUMBER = 0, 10, 12  # fields of a data type
CONTIGUOUS, ALIGNED = 0x1, 0x100  # flags
OBJECT, NOTHING, INT = I8.as_pointer(), ir.VoidType(), ir.IntType(32)
BIT = ir.IntType(1)
OBJECT_SIZE = 8  # bytes of the address of an object
# Functions of the library that kernels share (see `entry_library.py`), and their types.
IS_ARRAY, OF_ARRAY = f"{SHARED}entry.is_array", ir.FunctionType(BIT, [OBJECT, OBJECT, INT])
NUMBER_OF = f"{SHARED}entry.number_of"
OF_NUMBER = ir.FunctionType(OBJECT, [*[OBJECT] * 3, I64.as_pointer()])


def _external(name: str, result: ir.Type, *parameters: ir.Type):
    return PREFIX + name, ir.FunctionType(result, parameters)


EXTERNAL = {  # the symbol and the type, by the name that is used here
    "allocate": _external("PyMem_RawMalloc", OBJECT, I64),
    "free": _external("PyMem_RawFree", NOTHING, OBJECT),
    "release": _external("PyEval_SaveThread", OBJECT),
    "acquire": _external("PyEval_RestoreThread", NOTHING, OBJECT),
    "fail": _external("PyErr_SetNone", NOTHING, OBJECT),
    "tuple": _external("PyTuple_New", OBJECT, I64),
    "put": _external("PyTuple_SetItem", INT, OBJECT, I64, OBJECT),
    "hold": _external("Py_IncRef", NOTHING, OBJECT),
    "float": _external("PyFloat_FromDouble", OBJECT, ir.DoubleType()),
    "complex": _external("PyComplex_FromDoubles", OBJECT, *[ir.DoubleType()] * 2),
    "int": _external("PyLong_FromLongLong", OBJECT, I64),
    "unsigned": _external("PyLong_FromUnsignedLongLong", OBJECT, I64),
    "bool": _external("PyBool_FromLong", OBJECT, I64),
    "bytes": _external("PyByteArray_FromStringAndSize", OBJECT, OBJECT, I64),
    "start": _external("PyObject_CallNoArgs", OBJECT, OBJECT),
    "drop": _external("Py_DecRef", NOTHING, OBJECT),
    "lock": _external("PyThread_acquire_lock", INT, OBJECT, INT),
    "lock_timed": _external("PyThread_acquire_lock_timed", INT, OBJECT, I64, INT),
    "unlock": _external("PyThread_release_lock", NOTHING, OBJECT),
    "thread": _external("PyThread_get_thread_ident", I64),
    "ensure": _external("PyGILState_Ensure", INT),
    "leave": _external("PyGILState_Release", NOTHING, INT),
    "signals": _external("PyErr_CheckSignals", INT),
    "occurred": _external("PyErr_Occurred", OBJECT),
    "matches": _external("PyErr_ExceptionMatches", INT, OBJECT),
    "clear": _external("PyErr_Clear", NOTHING),
    "new": _external("PyType_GenericAlloc", OBJECT, OBJECT, I64),
    "get": _external("PyObject_GetAttr", OBJECT, OBJECT, OBJECT),
    "set": _external("PyObject_SetAttr", INT, OBJECT, OBJECT, OBJECT),
    "item": _external("PyTuple_GetItem", OBJECT, OBJECT, I64),
    "compare": _external("PyObject_RichCompareBool", INT, OBJECT, OBJECT, INT),
    "bits": _external("PyLong_AsUnsignedLongLongMask", I64, OBJECT),
    "as_int": _external("PyLong_AsLongLongAndOverflow", I64, OBJECT, INT.as_pointer()),
    "item_of": _external("PyDict_GetItemWithError", OBJECT, OBJECT, OBJECT),
    "context": _external("PyContextVar_Get", INT, OBJECT, OBJECT, OBJECT.as_pointer()),
    "fetch": _external("PyErr_Fetch", NOTHING, *[OBJECT.as_pointer()] * 3),
    "restore": _external("PyErr_Restore", NOTHING, *[OBJECT] * 3),
    "call": _external("PyObject_Vectorcall", OBJECT, OBJECT, OBJECT.as_pointer(), I64, OBJECT),
}


def write_entry(
    module, name: str, kernel: ir.Function, value_types, result: tuple, wanted, services,
    keeps_gil: bool,
) -> None:  # fmt: skip
    """Write the function `name(self, arguments, count)`, which returns a tuple.

    The `services` run before the kernel is entered. With `keeps_gil`, it runs with the GIL.
    """
    type_ = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), I64])
    function = ir.Function(module.ir, type_, name)
    # It is straight code that runs once a call: to optimize it, with the kernel inlined, took
    # LLVM as long as the kernel itself.
    function.attributes.add("noinline")
    function.attributes.add("optnone")
    builder = ir.IRBuilder(function.append_basic_block())

    def call(name: str, *arguments):
        return builder.call(module.external(name), arguments)

    for service in services:
        _ensure_service(module, builder, call, service)
    checks = _Checks(module, builder, function.append_basic_block("mismatch"))
    inputs = checks.arguments(function.args[1], value_types)
    arguments = [part for each in inputs for part in (*each.content, *each.sizes)]
    kernel_call = functools.partial(builder.call, kernel, arguments)
    if keeps_gil and not services:
        returned = kernel_call()
    else:
        returned = _run_without_gil(module, builder, call, kernel_call, is_noted=bool(services))
    failed, *parts = (builder.extract_value(returned, at) for at in range(len(returned.type)))
    _raise_if(failed, module, builder, call)
    results = zip(values.value_of(builder, result, iter(parts)), wanted, strict=True)
    builder.ret(_tuple_of(call, [_boxed(builder, call, *row, inputs) for row in results]))
    builder.position_at_end(checks.mismatch)
    call("fail", builder.bitcast(module.object(MISMATCH), OBJECT))
    builder.ret(OBJECT(None))


def _ensure_service(module, builder, call, service: Service) -> None:
    """Start a service that does not run. Where that raises an exception, the call does."""
    word = builder.load(shared_word(module, builder, service.word))
    with builder.if_then(builder.icmp_unsigned("==", word, I64(0)), likely=False):
        address = builder.load(shared_word(module, builder, service.function))
        started = call("start", builder.inttoptr(address, OBJECT))
        with builder.if_then(builder.icmp_unsigned("==", started, OBJECT(None)), likely=False):
            builder.ret(OBJECT(None))
        call("drop", started)


def _run_without_gil(module, builder, call, kernel_call, is_noted: bool):
    """The result of the kernel. With `is_noted`, it is counted among those that run."""

    def note(number: int) -> None:  # with the GIL
        if is_noted:
            word = shared_word(module, builder, RUNNING)
            builder.store(builder.add(builder.load(word), I64(number)), word)

    note(1)
    thread = call("release")
    returned = kernel_call()
    call("acquire", thread)
    note(-1)
    return returned


def _raise_if(failed, module, builder, call) -> None:
    """Raise ArithmeticError where the kernel has failed."""
    with builder.if_then(failed, likely=False):
        no_signal = builder.icmp_unsigned("==", call("occurred"), OBJECT(None))
        with builder.if_then(no_signal):  # otherwise its handler has raised the exception
            call("fail", builder.load(module.object(PREFIX + FAILURE)))
        builder.ret(OBJECT(None))


class _Argument(NamedTuple):
    """An argument of a call, as an entry reads it.

    content   the address of an array, or the components of a scalar
    sizes     the sizes of an array that its type does not know, in memory behind the rank
    """

    type: Any
    owner: ir.Value
    content: list
    sizes: list


class _Checks:
    """Reads arguments whose types were checked; otherwise goes to the block `mismatch`."""

    def __init__(self, module, builder, mismatch):
        self.module = module
        self.builder = builder
        self.mismatch = mismatch

    def arguments(self, objects, types) -> list[_Argument]:
        """The arguments of a call, from the memory where their addresses are."""
        places = [self.builder.gep(objects, [I64(at)]) for at in range(len(types))]
        owners = list(map(self.builder.load, places))
        contents = list(map(self._content, owners, types))
        for owner, type_ in zip(owners, types, strict=True):
            self._run_time_sizes(owner, type_, contents)
        unknown = ([axis for axis, size in enumerate(type_.shape) if not isinstance(size, int)]
                   for type_ in types)  # fmt: skip
        return list(map(_Argument, types, owners, contents, map(self._sizes, owners, unknown)))

    def _content(self, owner, type_) -> list:
        if isinstance(type_, ArrayType):
            self._check_array(owner, type_)
            memory = values.memory_type(type_.dtype).as_pointer()
            return [field(self.builder, owner, DATA, memory)]
        classes = self._object(type_.type.__name__), self._dtype(type_)
        own = self.builder.alloca(I64)
        index = self.builder.call(
            self.module.declared(PREFIX + NUMBER_OF, OF_NUMBER), [owner, *classes, own]
        )
        self._require(self.builder.icmp_unsigned("!=", index, OBJECT(None)))
        index = self.builder.bitcast(index, values.memory_type(type_).as_pointer())
        parts = [self.builder.load(place) for place in values.places_of(self.builder, index, type_)]
        return [self.builder.icmp_unsigned("!=", *parts, I8(0))] if type_ == BOOL else parts

    def _check_array(self, owner, type_: ArrayType) -> None:
        operands = [owner, self._dtype(type_.dtype), INT(len(type_.shape))]
        is_array = self.module.declared(PREFIX + IS_ARRAY, OF_ARRAY)
        self._require(self.builder.call(is_array, operands))
        rows = enumerate(type_.shape)
        self._require_sizes(owner, {axis: I64(n) for axis, n in rows if isinstance(n, int)})

    def _run_time_sizes(self, owner, type_, values: list) -> None:
        """Compare the sizes of an array that the caller passes in an argument. These were checked
        before.
        """
        self._require_sizes(owner, {
            axis: self.builder.load(self.builder.gep(*values[size.argument], [I64(size.position)]))
            for axis, size in enumerate(type_.shape) if isinstance(size, RunTimeSize)
        })  # fmt: skip

    def _require_sizes(self, owner, known: dict) -> None:
        """Compare sizes of an array, by axis."""
        if known:
            rows = zip(self._sizes(owner, known), known.values(), strict=True)
            same = [self.builder.icmp_unsigned("==", loaded, size) for loaded, size in rows]
            self._require(functools.reduce(self.builder.and_, same))

    def _sizes(self, owner, axes) -> list:
        if not axes:
            return []
        sizes = field(self.builder, owner, SIZES, I64.as_pointer())
        return [self.builder.load(self.builder.gep(sizes, [I64(axis)])) for axis in axes]

    def _dtype(self, dtype):
        return self._object(f"dtype.{dtype.type.__name__}")

    def _object(self, name: str):
        return self.builder.bitcast(self.module.object(NUMPY + name), OBJECT)

    def _require(self, condition) -> None:
        going_on = self.builder.append_basic_block("checked")
        self.builder.cbranch(condition, going_on, self.mismatch)
        self.builder.position_at_end(going_on)


def field(builder, owner, offset: int, type_):
    """The field of an object at an offset behind its header."""
    index = builder.gep(owner, [I64(HEAD + offset)])
    return builder.load(builder.bitcast(index, type_.as_pointer()))


def _tuple_of(call, objects: list):
    whole = call("tuple", I64(len(objects)))
    for index, each in enumerate(objects):
        call("put", whole, I64(index), each)
    return whole


def _boxed(builder, call, value, type_, inputs: list[_Argument]):
    """A result as a Python object."""
    if not isinstance(type_, ArrayType):
        return _boxed_number(call, value.cast(type_))
    if None in type_.shape:
        return _boxed_rows(builder, call, value, type_)
    kept = OBJECT(None)
    for own, owner, content, loaded in inputs:
        if not isinstance(own, ArrayType) or own.dtype != type_.dtype or None in own.shape:
            continue
        same = builder.icmp_unsigned("==", *content, value.data)
        if any(isinstance(size, RunTimeSize) for size in (*own.shape, *type_.shape)):
            number, wanted = _elements(builder, own, loaded), values.int64(math.prod(value.sizes))
            same = builder.and_(same, builder.icmp_unsigned("==", number, wanted))
        elif math.prod(own.shape) != math.prod(type_.shape):
            continue
        kept = builder.select(same, owner, kept)
    call("hold", kept)
    return kept


def _boxed_rows(builder, call, value, type_):
    """A copy of few rows as bytes. Of more, the address to free, that of the rows, and the size in
    bytes, as integers.
    """
    size = values.int64(math.prod(value.sizes) * type_.dtype.itemsize)
    data, boxed = builder.bitcast(value.data, OBJECT), builder.alloca(OBJECT)
    start = field(builder, data, -HEAD - OBJECT_SIZE, OBJECT)
    is_small = builder.icmp_unsigned("<", size, I64(thresholds.HANDED_OVER_FROM))
    with builder.if_else(is_small) as (few, many):
        with few:
            builder.store(call("bytes", data, size), boxed)
            call("free", start)
        with many:
            places = [builder.ptrtoint(address, I64) for address in (start, data)]
            numbers = [call("int", number) for number in (*places, size)]
            builder.store(_tuple_of(call, numbers), boxed)
    return builder.load(boxed)


def _elements(builder, type_: ArrayType, loaded: list):
    """The number of elements of an array, whose sizes that are not known were loaded."""
    sizes = iter([Number(builder, count) for count in loaded])
    shape = [size if isinstance(size, int) else next(sizes) for size in type_.shape]
    return values.int64(math.prod(shape))


def _boxed_number(call, number):
    if is_complex(number.dtype):
        return call("complex", *(part.cast(FLOAT64).value for part in (number.real, number.imag)))
    if number.is_float:
        return call("float", number.cast(FLOAT64).value)
    if number.dtype == BOOL:
        return call("bool", number.cast(INT64).value)
    if number.unsigned:
        return call("unsigned", number.cast(np.dtype(np.uint64)).value)
    return call("int", number.cast(INT64).value)
