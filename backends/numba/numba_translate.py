"""The LLVM assembly of a kernel that Numba compiles, in the form of our own compiler: with the
entry of Python, and without any need of Numba when it is loaded.
"""

from __future__ import annotations

import ast
import functools
import re

from llvmlite import binding, ir
from numba.core import types
from numba.core.errors import NumbaError

from ...runtime.core.parsing import parsed
from ...runtime.jit import values
from ...runtime.jit.entry.python_entry import write_entry
from ...runtime.jit.kernel_types import INT64, ArrayType, UntranslatableError
from ...runtime.jit.loader.shared_words import CLOCK, WORKERS
from ...runtime.jit.loop_hints import KERNEL_HINTS
from ...runtime.jit.translate import KERNEL, REGION, Module, state_disjoint, write_region
from ...runtime.jit.values import I8, I64, memory_type
from ...runtime.kernel_ir.kernels import KernelIR
from .callables import compiled_by_numba
from .compiler_lock import compiling
from .kernel_syntax import rewritten_kernel, rewritten_region
from .library import linked
from .numba_values import numba_type

BYTES = I8.as_pointer()
SUFFIX = ".numba"  # of the functions that Numba has compiled
# What describes an exception, with addresses, which a stored kernel cannot have. Nobody reads it.
_EXCEPTIONS = re.compile(r"^(@\.const\.picklebuf\..* = .*constant \{[^}]*\}) \{[^}]*\}", re.M)


def translate(
    name: str,
    code: KernelIR,
    scope: dict,
    value_types: tuple,
    results: tuple,
    keeps_gil: bool = False,
) -> str:
    """As `translate` of our own compiler. Raises UntranslatableError with what Numba says."""
    try:
        with compiling():
            return _translated(name, code, scope, value_types, results, keeps_gil)
    except NumbaError as error:
        raise UntranslatableError(f"Numba: {error}") from error


def _translated(
    name: str, code: KernelIR, scope: dict, value_types: tuple, results: tuple, keeps_gil: bool
) -> str:
    module, modules, services = Module(name), [], []
    for tree in parsed(code.source).body:
        assert isinstance(tree, ast.FunctionDef)
        own = f"{name}_{tree.name}" if tree.name.startswith(REGION) else f"{name}.{KERNEL}"
        if tree.name.startswith(REGION):
            made = compiled_by_numba(rewritten_region(tree), scope, (types.int64,), KERNEL_HINTS)
            write_region(module, own, functools.partial(_failed, module, own))
            services = [WORKERS]
        else:
            rewritten, polls = rewritten_kernel(tree, value_types, results)
            given = _parameters(value_types, results)
            made = compiled_by_numba(rewritten, scope, given, KERNEL_HINTS, is_kernel=True)
            kernel = _write_kernel(module, own, value_types, results)
            services += [CLOCK] if polls or services else []
            about = value_types, results, results, services, keeps_gil
            write_entry(module, name, kernel, *about)
        modules.append(linked(made.library, {made.fndesc.llvm_func_name: own + SUFFIX}))
    whole = binding.parse_assembly(str(module.ir))
    for one in modules:
        whole.link_in(one)
    for function in whole.functions:
        if not function.is_declaration and function.name.endswith(SUFFIX):
            function.linkage = "internal"
    return _EXCEPTIONS.sub(r"\1 zeroinitializer", str(whole))


def _parameters(value_types: tuple, results: tuple) -> tuple:
    """The types of Numba of addresses and scalars."""
    found = []
    for type_ in value_types:
        if isinstance(type_, ArrayType):
            found += [types.voidptr, *[types.int64] * type_.shape.count(None)]
        else:
            found.append(numba_type(type_))
    return (*found, *[types.int64] * sum(len(values.llvm_types_of(one)) for one in results))


def _write_kernel(module: Module, name: str, value_types: tuple, results: tuple) -> ir.Function:
    """The kernel as our own compiler would have written it: a call of what Numba has compiled."""
    given = [one for type_ in value_types for one in values.llvm_types_of(type_)]
    found = [one for type_ in results for one in values.llvm_types_of(type_)]
    returned = ir.LiteralStructType([ir.IntType(1), *found])
    function = ir.Function(module.ir, ir.FunctionType(returned, given), name)
    function.linkage = "internal"
    state_disjoint(function)
    builder = ir.IRBuilder(function.append_basic_block())
    arguments = [_argument(builder, one) for one in function.args]
    slots = [builder.alloca(memory_type(one)) for one in _components(results)]
    arguments += [builder.ptrtoint(slot, I64) for slot in slots]
    status = _call(module, builder, name + SUFFIX, arguments)
    failed = builder.icmp_signed("!=", status, status.type(0))
    whole = builder.insert_value(ir.Constant(returned, ir.Undefined), failed, 0)
    for at, (slot, type_) in enumerate(zip(slots, found, strict=True)):
        value = builder.load(slot)
        if isinstance(type_, ir.PointerType):
            value = builder.inttoptr(value, type_)
        elif value.type != type_:
            value = builder.trunc(value, type_)
        whole = builder.insert_value(whole, value, at + 1)
    builder.ret(whole)
    return function


def _components(results: tuple) -> list:
    """The types of the components of all results."""
    found: list = []
    for type_ in results:
        if isinstance(type_, ArrayType):
            found += [INT64] * (1 + type_.shape.count(None))
        else:
            found.append(type_)
    return found


def _argument(builder: ir.IRBuilder, one: ir.Value) -> ir.Value:
    if isinstance(one.type, ir.PointerType):
        return builder.bitcast(one, BYTES)
    return builder.zext(one, I8) if one.type == ir.IntType(1) else one


def _call(module: Module, builder: ir.IRBuilder, name: str, arguments: list) -> ir.Value:
    """Call a function by Numba's convention: addresses for its result and for an exception come
    before its arguments. The result is not 0 where it has raised one.
    """
    places = [builder.alloca(BYTES), builder.alloca(BYTES)]
    given = [*places, *arguments]
    type_ = ir.FunctionType(ir.IntType(32), [one.type for one in given])
    return builder.call(module.declared(name, type_), given)


def _failed(module: Module, name: str, builder: ir.IRBuilder, address):
    """Whether a parallel region fails, as a call of it says."""
    status = _call(module, builder, name + SUFFIX, [address])
    return builder.icmp_signed("!=", status, status.type(0))
