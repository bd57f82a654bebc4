"""Functions of libraries that kernels share: how they are defined, and called."""

from __future__ import annotations

from llvmlite import ir

from ..jit.loader.symbols import PREFIX
from ..jit.loop_hints import intrinsic
from ..jit.values import I64


def type_of(count: int) -> ir.FunctionType:
    """The type of a function of so many integers, which tells whether it fails."""
    return ir.FunctionType(ir.IntType(1), [I64] * count)


def define(module, symbol: str, function, parameters: tuple, count: int) -> None:
    """Define a function of a library by one that kernels call; `count` integers are what its
    parameters consist of.
    """
    inner, *_ = module.function(function, parameters)
    entry = ir.Function(module.ir, type_of(count), symbol)
    builder = ir.IRBuilder(entry.append_basic_block())
    builder.ret(builder.extract_value(builder.call(inner, entry.args), 0))


def caller_of(symbol: str):
    """An intrinsic that calls the function with integers and tuples of them."""

    @intrinsic
    def call(writer, *arguments):
        groups = (part if isinstance(part, tuple) else (part,) for part in arguments)
        operands = [writer.int64(part) for group in groups for part in group]
        writer.module.polls = True
        function = writer.module.declared(PREFIX + symbol, type_of(len(operands)))
        writer.fail_if(writer.builder.call(function, operands))

    return call
