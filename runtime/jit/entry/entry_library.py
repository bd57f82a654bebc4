"""What the entries of kernels and the polls of their loops call: a library that kernels share, so
that it is compiled once.
"""

from __future__ import annotations

from llvmlite import ir

from ..loader.symbols import NUMPY, PREFIX
from ..polls import write_poll_function
from ..translate import Module
from .bound_call import write_otherwise_call
from .python_entry import (
    ALIGNED,
    BIT,
    CONTIGUOUS,
    DATA,
    DTYPE,
    FLAGS,
    HEAD,
    I64,
    INT,
    IS_ARRAY,
    NUMBER_OF,
    OBJECT,
    OBJECT_SIZE,
    OF_ARRAY,
    OF_NUMBER,
    RANK,
    field,
    is_same_dtype,
)


def written() -> str:
    """The library, in LLVM's assembly language."""
    module = Module("entry")
    _write_number_of(module, _write_is_array(module))
    write_poll_function(module)
    write_otherwise_call(module)
    return str(module.ir)


def _write_is_array(module: Module) -> ir.Function:
    """The function `is_array(object, dtype, rank)`: an array that a kernel can read as it is."""
    function = ir.Function(module.ir, OF_ARRAY, IS_ARRAY)
    function.attributes.add("noinline")
    owner, dtype, rank = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    # The class comes first: the fields of anything else are not those of an array.
    of_class = _is_of_class(builder, owner, module.object(NUMPY + "ndarray"))
    with builder.if_then(builder.not_(of_class)):
        builder.ret(BIT(0))
    needed = INT(CONTIGUOUS | ALIGNED)
    flags = builder.and_(field(builder, owner, FLAGS, INT), needed)
    fits = builder.icmp_unsigned("==", flags, needed)
    fits = builder.and_(fits, builder.icmp_unsigned("==", field(builder, owner, RANK, INT), rank))
    is_same = is_same_dtype(builder, field(builder, owner, DTYPE, OBJECT), dtype)
    builder.ret(builder.and_(fits, is_same))
    return function


def _write_number_of(module: Module, is_array: ir.Function) -> None:
    """The function `number_of(object, class, dtype, own)`: the address of the number of a scalar,
    or of an array of rank 0. A float of Python has one of float64, a complex one of complex128, and
    ints and bools are written to `own` as such of int64 and bool. NULL for anything else.
    """
    function = ir.Function(module.ir, OF_NUMBER, NUMBER_OF)
    owner, class_, dtype, own = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    with builder.if_then(_is_of_class(builder, owner, class_)):
        builder.ret(builder.gep(owner, [I64(HEAD)]))
    with builder.if_then(builder.call(is_array, [owner, dtype, INT(0)])):
        builder.ret(field(builder, owner, DATA, OBJECT))
    _write_number_of_python(module, builder, owner, class_, own)
    builder.ret(OBJECT(None))


def _write_number_of_python(module: Module, builder: ir.IRBuilder, owner, class_, own) -> None:
    def is_number(python: str, numpy: str):
        is_python = _is_of_class(builder, owner, module.object(f"{PREFIX}{python}"))
        wanted = builder.bitcast(module.object(f"{NUMPY}{numpy}"), OBJECT)
        return builder.and_(is_python, builder.icmp_unsigned("==", class_, wanted))

    for python, numpy in (("PyFloat_Type", "float64"), ("PyComplex_Type", "complex128")):
        with builder.if_then(is_number(python, numpy)):
            builder.ret(builder.gep(owner, [I64(HEAD)]))
    overflow = builder.alloca(INT)
    for python, numpy in (("PyLong_Type", "int64"), ("PyBool_Type", "bool")):
        with builder.if_then(is_number(python, numpy)):
            number = builder.call(module.external("as_int"), [owner, overflow])
            builder.store(number, own)
            fits = builder.icmp_unsigned("==", builder.load(overflow), INT(0))
            builder.ret(builder.select(fits, builder.bitcast(own, OBJECT), OBJECT(None)))


def _is_of_class(builder: ir.IRBuilder, owner, class_):
    class_found = field(builder, owner, -OBJECT_SIZE, OBJECT)
    return builder.icmp_unsigned("==", class_found, builder.bitcast(class_, OBJECT))
