"""Graphs as functions of C, which other compiled code calls by their address."""

from __future__ import annotations

import ctypes
import itertools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.core.errors import InvalidArgumentError
from ...runtime.core.numpy_dtypes import is_floating
from ...runtime.executors.callable_from_c import CGraph
from ...runtime.jit.backends import OWN, compiling_with, foreign
from ...runtime.jit.routines import scope_of
from ...runtime.kernel_ir.kernels import KernelIR
from ...runtime.lowering.not_native import NotNativeError
from .signature import STATUS, Parameter, Signature, parsed_signature

_COUNT = itertools.count(1)


class CFunction:
    """A function of C in this process; see `as_cfunc`.

    address    where it is
    ctypes     the same for `ctypes`, and for SciPy's `LowLevelCallable`
    """

    def __init__(self, name: str, signature: Signature, made: CGraph):
        self.name = name
        self.signature = signature
        self.made = made
        self.address = _compiled(name, signature, made)
        returned = _ctype(signature.result) if signature.result else None
        types = [_ctype_of(one) for one in signature.parameters]
        self.ctypes = ctypes.CFUNCTYPE(returned, *types)(self.address)

    def with_status(self) -> CFunction:
        """The same function, which returns whether it succeeded, and its results by address."""
        if self.signature.has_status:
            return self
        result = self.signature.result
        outs = [] if result is None else [Parameter(result, None, True)]
        parameters = (*self.signature.parameters, *outs)
        return CFunction(self.name, Signature(STATUS, parameters, True), self.made)

    @property
    def _numba_type_(self):
        """How Numba sees it in functions of `@njit`."""
        return foreign().callable_type(self, lambda given: self)

    def __repr__(self):
        return f"<CFunction {self.name} at {self.address:#x}>"


def function_of_c(function: Any, signature: str) -> CFunction:
    """For `as_cfunc` of a decorated function."""
    parsed = parsed_signature(signature)
    return CFunction(_name_of(function), parsed, function.graph_for_c(parsed.arguments))


def function_for_numba(function: Any, given: list[tuple]) -> CFunction:
    """The function of C that a function of Numba calls with arguments of these types and shapes."""
    declared = [*function.declared_shapes(), *[None] * len(given)]
    arguments = []
    for (dtype, own), shape in zip(given, declared, strict=False):
        if own is not None and (shape is None or None in shape):
            raise InvalidArgumentError(
                "the shape of an array is not known while Numba compiles",
                'Call f.as_cfunc("float64(float64[3])") with the shape, and use its result.',
            )
        arguments.append(Parameter(dtype, own if own is None else shape))
    made = function.graph_for_c(arguments)
    values = [made.graph.outputs[at] for at in made.results]
    outs = [Parameter(one.dtype.numpy_dtype, one.shape or None, True) for one in values]
    return CFunction(_name_of(function), Signature(STATUS, (*arguments, *outs), True), made)


def _name_of(function) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _ctype(dtype: np.dtype) -> Any:
    return np.ctypeslib.as_ctypes_type(dtype)


def _ctype_of(one: Parameter) -> Any:
    if one.dtype is None:
        return ctypes.c_void_p
    return ctypes.POINTER(_ctype(one.dtype)) if one.is_address else _ctype(one.dtype)


# ---- compilation -----------------------------------------------------------------------------


def _compiled(name: str, signature: Signature, made: CGraph) -> int:
    """The address of the function in memory."""
    # These load the code generator and its passes: 25 ms.
    from ...runtime.codegen.native.emit_native import emit_native
    from ...runtime.executors.compile_pipeline import native_form
    from .entry import address_of_function

    form = native_form(made.graph)
    if form.functionalized is not None:
        raise InvalidArgumentError(
            f"as_cfunc: {name} reads or assigns variables", "Pass their values as arguments."
        )
    try:
        with compiling_with(OWN.name):
            kernel = emit_native(form.program)
    except NotNativeError as error:
        refused = InvalidArgumentError(f"as_cfunc: {error}", "Call it from Python instead.")
        raise refused.at(error.where) from None
    if kernel.regions:
        raise InvalidArgumentError(
            f"as_cfunc: threads would share the work of {name}", "Use smaller arrays."
        )
    source = _source(signature, made, kernel)
    tables = {f"c{at}": one for at, one in enumerate((*made.constants, *kernel.constants))}
    types = [np.dtype(np.int64) if p.is_address else p.dtype for p in signature.parameters]
    own = f"c_function_{next(_COUNT)}"
    address, may_fail = address_of_function(
        own, source, _function(own, kernel.code), tables, types, signature
    )
    if may_fail and not signature.has_status and not _has_nan(signature.result):
        raise InvalidArgumentError(
            f"as_cfunc: {name} may fail, and its result cannot say so",
            'Let it return a status: "int32(int32, out int32)".',
        )
    return address


def _has_nan(dtype: np.dtype | None) -> bool:
    return dtype is not None and is_floating(dtype)


def _function(name: str, code: KernelIR) -> Callable:
    """The kernel as a function of Python, whose source `linecache` has."""
    path, source = f"<{name}>", code.source
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    namespace = scope_of(code.calls)
    exec(compile(source, path, "exec"), namespace)
    return namespace["kernel"]  # type: ignore[return-value]


def _source(signature: Signature, made: CGraph, kernel) -> str:
    """The source of a function of addresses and numbers, which calls the kernel."""
    names = [f"a{at}" for at in range(len(signature.parameters))]
    lines, arguments = [], []
    for name, one in zip(names, signature.parameters, strict=True):
        if one.dtype is None or one.is_out:
            continue
        if one.shape is not None:
            lines.append(f"x{name} = {_array(name, one)}")
        arguments.append(name if one.shape is None else f"x{name}")
    given = [arguments[at] for at in made.inputs]
    given += [f"c{at}" for at in range(len(made.constants) + len(kernel.constants))]
    for at, buffer in enumerate(kernel.buffers):
        lines.append(f"n{at} = new_array({tuple(buffer.shape)}, np.{np.dtype(buffer.dtype).name})")
        given.append(f"n{at}")
    outputs = made.graph.outputs
    found = "".join(f"y{at}, " for at in range(len(outputs)))
    call = f"kernel({', '.join(given)})"
    lines.append(f"{found} = {call}" if outputs else call)
    lines += _stores(signature, made, names, arguments)
    if signature.result is not None and not signature.has_status:
        lines.append(f"return np.{signature.result.name}(y{made.results[0]})")
    return "\n    ".join([f"def c_function({', '.join(names)}):", *lines, "return"])


def _stores(signature: Signature, made: CGraph, names: list[str], arguments: list[str]) -> list:
    """The lines that write results where addresses say. Each is copied before the first is written:
    it may be an argument.
    """
    outs = [(names[at], one) for at, one in enumerate(signature.parameters) if one.is_out]
    returned = signature.result is not None and not signature.has_status
    if len(made.results) != len(outs) + returned:
        raise InvalidArgumentError(
            f"as_cfunc: the function has {len(made.results)} results, and the signature "
            f"{len(outs) + returned}",
            'Name them in order: "int32(float64, out float64, out float64[3])".',
        )
    copies, stores = [], []
    rows = [(_array(*out), made.results[at], out[1].shape) for at, out in enumerate(outs)]
    known = dict(enumerate(zip(arguments, signature.arguments, strict=True)))
    rows += [(known[at][0], output, known[at][1].shape) for at, output in made.written]
    for target, output, shape in rows:
        value = made.graph.outputs[output]
        if tuple(value.shape or ()) != (shape or ()):
            raise InvalidArgumentError(
                f"as_cfunc: a result has the shape {value.shape}, and the signature {shape or ()}",
                "Correct the signature.",
            )
        if not shape:
            stores.append(f"{target}[0] = y{output}")
            continue
        dtype = value.dtype.numpy_dtype.name
        copies += [f"z{output} = new_array({value.shape}, np.{dtype})"]
        copies += [f"copy_elements(z{output}, y{output})"]
        stores.append(f"copy_elements({target}, z{output})")
    return copies + stores


def _array(name: str, one: Parameter) -> str:
    assert one.dtype is not None
    return f"array_at({name}, {one.shape or (1,)}, np.{one.dtype.name})"
