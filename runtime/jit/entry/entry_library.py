"""What the entries of kernels and the polls of their loops call: a library that kernels share, so
that it is compiled once.
"""

from __future__ import annotations

from llvmlite import ir

from ..loader.symbols import NUMPY
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
    one, dtype, rank = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    # The class comes first: the fields of anything else are not those of an array.
    of_class = _is_of_class(builder, one, module.object(NUMPY + "ndarray"))
    with builder.if_then(builder.not_(of_class)):
        builder.ret(BIT(0))
    needed = INT(CONTIGUOUS | ALIGNED)
    flags = builder.and_(field(builder, one, FLAGS, INT), needed)
    fits = builder.icmp_unsigned("==", flags, needed)
    for offset, wanted in ((DTYPE, dtype), (RANK, rank)):
        found = field(builder, one, offset, wanted.type)
        fits = builder.and_(fits, builder.icmp_unsigned("==", found, wanted))
    builder.ret(fits)
    return function


def _write_number_of(module: Module, is_array: ir.Function) -> None:
    """The function `number_of(object, class, dtype)`: the address of the number of a scalar, or of
    an array of rank 0; NULL for anything else.
    """
    function = ir.Function(module.ir, OF_NUMBER, NUMBER_OF)
    one, class_, dtype = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    with builder.if_then(_is_of_class(builder, one, class_)):
        builder.ret(builder.gep(one, [I64(HEAD)]))
    with builder.if_then(builder.call(is_array, [one, dtype, INT(0)])):
        builder.ret(field(builder, one, DATA, OBJECT))
    builder.ret(OBJECT(None))


def _is_of_class(builder: ir.IRBuilder, one, class_):
    found = field(builder, one, -OBJECT_SIZE, OBJECT)
    return builder.icmp_unsigned("==", found, builder.bitcast(class_, OBJECT))
