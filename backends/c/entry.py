"""Functions of C whose bodies are kernel source: other compiled code calls them by address."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from ...runtime.jit import supported_functions
from ...runtime.jit.cache.compilation import linked
from ...runtime.jit.kernel_types import BOOL
from ...runtime.jit.llvm_values import Number
from ...runtime.jit.loader import llvm_backend
from ...runtime.jit.loader.load import addresses
from ...runtime.jit.loop_hints import KERNEL_HINTS, intrinsic
from ...runtime.jit.translate import Module
from ...runtime.jit.values import I8, memory_type
from ...runtime.kernel_ir.reader import kernel_ir
from .signature import Signature

OWN: dict[str, Callable] = {
    "array_at": intrinsic(supported_functions.array_at),
    "copy_elements": intrinsic(supported_functions.copy_elements),
    "new_array": intrinsic(supported_functions.new_array),
}


def address_of_function(
    name: str, source: str, kernel: Callable, tables: dict, types: list, signature: Signature
) -> tuple[int, bool]:
    """The address of the function `c_function` of a source that calls `kernel` and reads `tables`,
    and whether it may fail. `types` are those of its parameters, addresses being integers.
    """
    module = Module(name)
    scope = {"np": np, "kernel": kernel, **OWN, **tables}
    (function,) = kernel_ir(source).functions
    body, _, may_fail = module.write(function, "body", tuple(types), scope, KERNEL_HINTS)
    _write(module, name, body, types, signature)
    code = llvm_backend.object_code(linked(module.assembly()))
    address = addresses(code, True)(name)
    assert address
    return address, may_fail


def _write(module: Module, name: str, body: ir.Function, types: list, signature: Signature) -> None:
    result = signature.result
    returned = ir.VoidType() if result is None else memory_type(result)
    function = ir.Function(module.ir, ir.FunctionType(returned, map(memory_type, types)), name)
    builder = ir.IRBuilder(function.append_basic_block())
    given = [
        builder.icmp_signed("!=", one, I8(0)) if type_ == BOOL else one
        for one, type_ in zip(function.args, types, strict=True)
    ]
    found = builder.call(body, given)
    failed = builder.extract_value(found, 0)
    if result is None:
        builder.ret_void()
        return
    if signature.has_status:
        builder.ret(builder.zext(builder.not_(failed), returned))
        return
    value = builder.extract_value(found, 1)
    if result == BOOL:
        value = builder.zext(value, returned)
    elif Number(builder, value).is_float:
        value = builder.select(failed, returned(float("nan")), value)
    builder.ret(value)
