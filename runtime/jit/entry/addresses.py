"""Intrinsics of addresses: functions of C that are written in the kernel source, with addresses of
words and of Python's objects as integers.
"""

from __future__ import annotations

from llvmlite import ir

from ..kernel_types import INT64
from ..llvm_values import Number
from ..loader.symbols import NUMPY_C
from ..loop_hints import intrinsic, kernel_function
from ..translate import Module
from ..values import I8, I64
from .python_entry import HEAD, INT, OBJECT

ENTRY = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), I64])
# Of functions of Python: `self`, the arguments, their number, and the names of the last ones.
CALL = ir.FunctionType(OBJECT, [*ENTRY.args, OBJECT])
EMPTY = ir.FunctionType(OBJECT, [INT, I64.as_pointer(), OBJECT, INT])
SCALAR = ir.FunctionType(OBJECT, [OBJECT] * 3)
COPY = ir.FunctionType(INT, [OBJECT] * 2)
DOUBLE, FLOAT = ir.DoubleType(), ir.FloatType()


def write_function(module: Module, name: str, function, type_: ir.FunctionType = CALL) -> None:
    """A function of C of this name and type that calls the translation of one of addresses."""
    target, *_ = module.function(function, (INT64,) * len(type_.args))
    own = ir.Function(module.ir, type_, name)
    builder = ir.IRBuilder(own.append_basic_block())
    casts = {INT: builder.sext, I64: lambda word, _: word}
    words = [casts.get(arg.type, builder.ptrtoint)(arg, I64) for arg in own.args]
    result = builder.extract_value(builder.call(target, words), 1)
    builder.ret(builder.inttoptr(result, OBJECT) if type_.return_type == OBJECT else result)


class _Python:
    """The functions of Python's C interface, as intrinsics of addresses and integers."""

    def __getattr__(self, name: str):
        return intrinsic(lambda writer, *args: _call(writer, writer.module.external(name), args))


def _call(writer, function, operands, type_: ir.FunctionType | None = None) -> Number | None:
    builder, arguments = writer.builder, []
    for operand, wanted in zip(operands, (type_ or function.function_type).args, strict=True):
        number = writer.int64(operand)
        if isinstance(wanted, ir.PointerType):
            number = builder.inttoptr(number, wanted)
        arguments.append(builder.trunc(number, wanted) if wanted == INT else number)
    result = builder.call(function, arguments)
    if isinstance(result.type, ir.VoidType):
        return None
    if result.type == INT:
        return Number(builder, builder.sext(result, I64))
    return Number(builder, result if result.type == I64 else builder.ptrtoint(result, I64))


@intrinsic
def enter(writer, address, parameters, count):
    """Call the entry of a kernel."""
    entry = writer.builder.inttoptr(writer.int64(address), ENTRY.as_pointer())
    return _call(writer, entry, (0, parameters, count), ENTRY)


def _of_numpy(name: str, type_: ir.FunctionType, *last):
    """A function of NumPy's C interface, with these last operands, as `_Python` has them."""

    def call(writer, *operands):
        return _call(writer, writer.module.declared(NUMPY_C + name, type_), (*operands, *last))

    return intrinsic(call)


empty = _of_numpy("Empty", EMPTY, 0)  # a new array: of a rank, sizes and a data type
scalar = _of_numpy("Scalar", SCALAR, 0)  # of the number in memory, of a data type
copy_elements = _of_numpy("CopyInto", COPY)  # to an array, of another; 0 if that went well


@intrinsic
def move(writer, target, source, size):
    """Copy bytes."""
    pointers = [_pointer(writer, address, 0, I8) for address in (target, source)]
    writer.move_bytes(*pointers, size)


@intrinsic
def narrow(writer, memory, count):
    """Make numbers of 64 bits, few of them, numbers of 32 bits."""
    for at in range(count):
        number = writer.builder.load(_pointer(writer, memory, at, DOUBLE))
        writer.builder.store(
            writer.builder.fptrunc(number, FLOAT), _pointer(writer, memory, at, FLOAT)
        )


@intrinsic
def address_of(writer, symbol: str):
    """The address of an object of Python's, of NumPy's, or of the package."""
    return Number(writer.builder, writer.builder.ptrtoint(writer.module.object(symbol), I64))


@intrinsic
def stack(writer, count):
    """The address of new words, until the function ends."""
    is_known = isinstance(count, int)
    memory = (
        writer.on_stack(I64, count) if is_known else writer.builder.alloca(I64, writer.int64(count))
    )
    return Number(writer.builder, writer.builder.ptrtoint(memory, I64))


def _pointer(writer, address, index, type_: ir.Type):
    pointer = writer.builder.inttoptr(writer.int64(address), type_.as_pointer())
    return writer.builder.gep(pointer, [writer.int64(index)])


@intrinsic
def word(writer, address, index):
    """A word behind an address."""
    return Number(writer.builder, writer.builder.load(_pointer(writer, address, index, I64)))


@intrinsic
def put(writer, address, index, value):
    writer.builder.store(writer.int64(value), _pointer(writer, address, index, I64))


@intrinsic
def field(writer, owner, offset, bits):
    """A field of an object with so many bits, at an offset behind its head."""
    types = {8: I8, 32: INT, 64: I64}
    where = writer.int64(owner + (HEAD + offset))
    loaded = writer.builder.load(_pointer(writer, Number(writer.builder, where), 0, types[bits]))
    return Number(writer.builder, loaded if bits == 64 else writer.builder.sext(loaded, I64))


python = _Python()


@kernel_function
def called(function, argument):
    arguments = stack(1)
    put(arguments, 0, argument)
    return python.call(function, arguments, 1, 0)


@kernel_function
def held(address):
    python.hold(address)
    return address


@kernel_function
def dropped(objects, first, count, result):
    """The result, after objects were dropped."""
    for index in range(first, count):
        python.drop(word(objects, index))
    return result


@kernel_function
def are_same(words, others, count):
    """Whether so many words are equal."""
    is_same = True
    for index in range(count):
        is_same &= word(words, index) == word(others, index)
    return is_same


@kernel_function
def place_of(name, names, first, count):
    """The place of an argument with this name, from the first on; `count` where there is none."""
    for place in range(first, count):
        if word(names, place) == name:
            return place
    return count
