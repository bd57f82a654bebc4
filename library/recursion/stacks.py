"""How deep native calls may be inside one another: as deep as the stack of the thread allows.

Few calls ask nothing. The first one that is deeper asks the system how much memory is left below
the outermost call, and notes it there for the others.
"""

from __future__ import annotations

import sys

from llvmlite import ir

from ...extend.kernels import MAIN_THREAD, SURE, SYMBOL, shared_word

I64, INT = ir.IntType(64), ir.IntType(32)
MOST = 1 << 20
OF_OTHER_SYSTEMS = 1 << 18  # where a thread has half a megabyte at least, unless told otherwise
RESERVE = 1 << 15  # bytes for what the deepest call calls
ATTRIBUTES = ir.ArrayType(I64, 16)  # more than a `pthread_attr_t` takes


def check_depth(writer, words, depth, limit) -> None:
    """Fail where the stack is `depth` bytes deep, and has no more. The word at the address `limit`
    is known to be free below the one of the outermost call, which is at `words`.
    """
    builder = writer.builder
    is_deep = builder.icmp_signed(">", depth, builder.load(limit))
    with builder.if_then(is_deep, likely=False):
        free = builder.call(_free_below(writer.module), [builder.ptrtoint(words, I64)])
        builder.store(free, limit)
        writer.fail_if(builder.icmp_signed(">", depth, free))


def _free_below(module) -> ir.Function:
    """The function that gives the bytes of the present thread's stack below an address."""
    known = module.ir.globals.get("free_below")
    if known is not None:
        return known
    function = ir.Function(module.ir, ir.FunctionType(I64, [I64]), "free_below")
    function.linkage = "internal"
    for attribute in ("cold", "noinline", "nounwind"):
        function.attributes.add(attribute)
    builder = ir.IRBuilder(function.append_basic_block())
    thread = builder.call(module.external("thread"), [])
    main = builder.load(shared_word(module, builder, MAIN_THREAD))
    with builder.if_then(builder.icmp_signed("==", thread, main)):
        builder.ret(I64(MOST))
    if sys.platform != "linux":
        builder.ret(I64(OF_OTHER_SYSTEMS))
        return function
    _write_for_linux(module, builder, thread, function.args[0])
    return function


def _write_for_linux(module, builder: ir.IRBuilder, thread, address) -> None:
    """Return what is left below an address in the stack of a thread."""
    attributes, start, size = (builder.alloca(type_) for type_ in (ATTRIBUTES, I64, I64))

    def call(name: str, *arguments):
        type_ = ir.FunctionType(INT, [argument.type for argument in arguments])
        return builder.call(module.declared(SYMBOL + name, type_), arguments)

    failed = builder.icmp_signed("!=", call("pthread_getattr_np", thread, attributes), INT(0))
    with builder.if_then(failed):
        builder.ret(I64(SURE))
    call("pthread_attr_getstack", attributes, start, size)
    call("pthread_attr_destroy", attributes)
    free = builder.sub(builder.sub(address, builder.load(start)), I64(RESERVE))
    is_more = builder.icmp_signed(">", free, I64(MOST))
    builder.ret(builder.select(is_more, I64(MOST), free))
