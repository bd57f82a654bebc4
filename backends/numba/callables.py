"""What kernel source calls, as Numba sees it: functions in Python are lowered by Numba too;
intrinsics, and functions of vectors or of other threads, write their instructions as they do for
our own compiler.
"""

from __future__ import annotations

import ast
import builtins
import functools
import types as python_types
from typing import Any

from llvmlite import ir
from numba.core import compiler, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate

from ...runtime.jit import values
from ...runtime.jit.function_writer import TypeTable
from ...runtime.jit.kernel_types import UntranslatableError
from ...runtime.jit.loop_hints import DEFAULT_HINTS, Hints
from ...runtime.jit.statements import StatementWriter
from ...runtime.jit.supported_functions import SUPPORTED
from ...runtime.jit.translate import Module, state_disjoint, tree_of
from .kernel_syntax import rewritten
from .library import KernelLibrary
from .loops import hint_loops
from .numba_values import NumbaVector, kernel_type, numba_type, numba_value, owner_of, parts_of
from .operators import OPERATORS


def compiled_by_numba(
    tree: ast.FunctionDef,
    scope: dict[str, object],
    given: tuple,
    hints: Hints = DEFAULT_HINTS,
    is_kernel: bool = False,
):
    """What Numba makes of a rewritten function, for arguments of these types of Numba. The
    addresses that a kernel gets are those of arrays that do not overlap.
    """
    flags: Any = compiler.Flags()
    flags.nrt = flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.error_model = "numpy"
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.refresh()
    target.refresh()
    function = function_of(tree, scope)
    library = KernelLibrary(target.codegen(), tree.name, functools.partial(_hint, hints, is_kernel))
    return compiler.compile_extra(typing, target, function, given, None, flags, {}, library)


def _hint(hints: Hints, is_kernel: bool, module: ir.Module) -> None:
    """Give the hints of a function to LLVM, as our own compiler does."""
    for function in module.functions:
        if function.is_declaration or function.linkage == "internal":
            continue
        if is_kernel:
            state_disjoint(function)
        for attribute in hints.attributes:
            function.attributes.add(attribute)
        hint_loops(_module_of(module), function, hints)
    _module_of(module).hint_short_loops()


def function_of(tree: ast.FunctionDef, scope: dict[str, object]):
    """The function in Python. What it calls becomes known to Numba."""
    module = ast.fix_missing_locations(ast.Module([tree], []))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    namespace = {name: callable_of(scope[name]) for name in names if name in scope}
    for name in names & OPERATORS.keys():
        namespace[name] = callable_of(OPERATORS[name])
    exec(compile(module, f"<{tree.name}>", "exec"), namespace)
    return namespace[tree.name]


_KNOWN: dict[object, object] = {}


def callable_of(value):
    """A global of kernel source: functions become callables of Numba."""
    if not isinstance(value, python_types.FunctionType) or value in SUPPORTED:
        return value
    if value not in _KNOWN:
        _KNOWN[value] = _Callable(value)
    return _KNOWN[value]


class _Callable:
    """A function that kernel source calls."""

    def __init__(self, function):
        self.function = function
        self.signatures: dict[tuple, object] = {}
        one = self

        class Template(AbstractTemplate):
            key = one
            prefer_literal = one.is_intrinsic

            def generic(self, args, kws):
                return one.signature(args)

            def get_impl_key(self, sig):
                return one

        self._numba_type_ = types.Function(Template)

    @property
    def is_intrinsic(self) -> bool:
        return getattr(self.function, "is_intrinsic", False)

    def signature(self, given: tuple):
        """The signature for arguments of these types; what implements it becomes known to Numba."""
        key = tuple(map(str, given))
        if key not in self.signatures:
            try:
                result, implement = self.implementation(given)
            except UntranslatableError as error:
                raise TypingError(str(error)) from error
            self.signatures[key] = signature(result, *given)
            cpu_target.target_context.insert_func_defn([(implement, self, given)])
        return self.signatures[key]

    def implementation(self, given: tuple):
        hints = getattr(self.function, "hints", DEFAULT_HINTS)
        is_ours = self.is_intrinsic or hints.cold
        if is_ours or any(isinstance(one, NumbaVector) for one in given):
            return self.written(given)
        return self.lowered(given)

    def lowered(self, given: tuple):
        """By Numba."""
        function = self.function
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        around = {name: cell.cell_contents for name, cell in cells}
        scope = {**vars(builtins), **function.__globals__, **around}
        hints = getattr(function, "hints", DEFAULT_HINTS)
        made = compiled_by_numba(rewritten(tree_of(function)), scope, given, hints)

        def call(context, builder, signature, arguments):
            context.active_code_library.add_linking_library(made.library)
            return context.call_internal(builder, made.fndesc, signature, arguments)

        return made.signature.return_type, call

    def written(self, given: tuple):
        """By ourselves, as a function of LLVM's."""
        kernel_types = tuple(map(kernel_type, given))
        _, result, _ = _written(Module("types"), self.function, kernel_types)

        def call(context, builder, signature, arguments):
            module = _module_of(builder.module)
            function, result, may_fail = _written(module, self.function, kernel_types)
            pairs = zip(given, arguments, strict=True)
            parts = [part for one in pairs for part in parts_of(context, builder, *one)]
            returned = builder.call(function, parts)
            if may_fail:
                with builder.if_then(builder.extract_value(returned, 0), likely=False):
                    context.call_conv.return_user_exc(builder, ArithmeticError, ())
            owner = owner_of(context, builder, signature, arguments)
            count = len(values.llvm_types_of(result))
            found = iter([builder.extract_value(returned, 1 + at) for at in range(count)])
            type_ = signature.return_type
            made = numba_value(context, builder, type_, found, result, owner)
            if owner is not None and context.enable_nrt:
                context.nrt.incref(builder, type_, made)
            return made

        return numba_type(result), call


def _module_of(module: ir.Module) -> Module:
    """Our view of a module of Numba's."""
    if not hasattr(module, "of_kernels"):
        module.of_kernels = Module(module.name, module)
    return module.of_kernels


def _written(module: Module, function, kernel_types: tuple):
    """A function of LLVM's that executes an intrinsic, the type of its result, and whether it may
    fail.
    """
    if not getattr(function, "is_intrinsic", False):
        return module.function(function, kernel_types)
    key = (function, repr(kernel_types))
    if key not in module.functions:
        module.functions[key] = _intrinsic(module, function, kernel_types)
    return module.functions[key]


def _intrinsic(module: Module, function, kernel_types: tuple):
    """The same for an intrinsic. Its result is known after it has written its instructions."""
    scratch = Module("types")
    value = _body(scratch, function, kernel_types, "types", [])[1]
    type_ = values.type_of(value)
    name = f"{function.__name__}.{len(module.functions)}"
    result = values.llvm_types_of(type_)
    writer, value = _body(module, function, kernel_types, name, result)
    for slot, part in zip(writer.result, values.components_of(value, type_), strict=True):
        writer.builder.store(part, slot)

    def leave(failed: bool) -> None:
        whole = ir.Constant(writer.function.function_type.return_type, ir.Undefined)
        whole = writer.builder.insert_value(whole, ir.IntType(1)(failed), 0)
        for at, slot in enumerate(() if failed else writer.result):
            whole = writer.builder.insert_value(whole, writer.builder.load(slot), at + 1)
        writer.builder.ret(whole)

    writer.finish(leave)
    for attribute in ("nounwind", "alwaysinline"):
        writer.function.attributes.add(attribute)
    writer.function.linkage = "internal"
    return writer.function, type_, writer.types.may_fail


def _body(module: Module, function, kernel_types: tuple, name: str, result: list):
    given = [one for type_ in kernel_types for one in values.llvm_types_of(type_)]
    returned = ir.LiteralStructType([ir.IntType(1), *result])
    made = ir.Function(module.ir, ir.FunctionType(returned, given), name)
    writer = StatementWriter(module, made, TypeTable({}), {})
    writer.result = [writer.on_stack(type_) for type_ in result]
    parts = iter(made.args)
    operands = [values.value_of(writer.builder, type_, parts) for type_ in kernel_types]
    return writer, writer.typed(function(writer, *operands))
