"""Decorated functions that functions of `@njit` call: Numba infers their types from their graphs,
and calls their machine code by its address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate
from numba.extending import NativeValue, models, register_model, unbox
from numba.np import numpy_support
from numba.np.arrayobj import _empty_nd_impl

from ...runtime.core.errors import Error
from ...runtime.jit.values import I64

I32 = ir.IntType(32)
_TYPES: dict[int, tuple[object, Any]] = {}


def callable_type(function, c_function: Callable) -> CallableType:
    """The type of Numba for a function; `c_function(arguments)` gives its function of C."""
    if id(function) not in _TYPES:
        _TYPES[id(function)] = function, _Callable(function, c_function).type
    return _TYPES[id(function)][1]


class CallableType(types.Function):
    """The type of one decorated function, also where it is an argument."""


register_model(CallableType)(models.OpaqueModel)


@unbox(CallableType)
def _unboxed(type_, value, unboxing):
    return NativeValue(unboxing.context.get_dummy_value())  # its type says which function it is


class _Callable:
    def __init__(self, function, c_function: Callable):
        self.function, self.c_function = function, c_function
        self.signatures: dict[tuple, Any] = {}
        one = self

        class Template(AbstractTemplate):
            key = one

            def generic(self, args, kws):
                if kws:
                    raise TypingError(f"{one.name} takes no keywords in functions of Numba")
                return one.signature(args)

            def get_impl_key(self, sig):
                return one

        self.type = CallableType(Template)

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", getattr(self.function, "name", "function"))

    def signature(self, given: tuple):
        if given not in self.signatures:
            try:
                made = self.c_function([self.parameter(one) for one in given])
                made = made.with_status()
            except Error as error:
                raise TypingError(f"{self.name}: {error}") from error
            arguments = made.signature.arguments
            if len(arguments) != len(given):
                raise TypingError(f"{self.name} takes {len(arguments)} arguments, not {len(given)}")
            wanted = tuple(_numba_type(*row) for row in zip(arguments, given, strict=True))
            results = [_result_type(one) for one in made.signature.outs]
            whole = types.Tuple(results) if len(results) > 1 else (*results, types.none)[0]
            self.signatures[given] = signature(whole, *wanted)
            call = _lowering(made, self.name)
            cpu_target.target_context.insert_func_defn([(call, self, wanted)])
        return self.signatures[given]

    def parameter(self, type_) -> tuple:
        """The data type of an argument, and the shape that an array has, or None."""
        type_ = types.unliteral(type_)
        if isinstance(type_, types.Array):
            if type_.layout != "C":
                raise TypingError(f"{self.name} takes contiguous arrays, not {type_}")
            return numpy_support.as_dtype(type_.dtype), (None,) * type_.ndim
        if not isinstance(type_, (types.Number, types.Boolean)):
            raise TypingError(f"{self.name} takes numbers and arrays, not {type_}")
        return numpy_support.as_dtype(type_), None


def _numba_type(one, given):
    """The type of an argument, which Numba converts to it. Raises TypingError where it does not."""
    dtype = numpy_support.from_dtype(one.dtype)
    if one.shape is None:
        return dtype
    if not isinstance(given, types.Array) or (given.dtype, given.ndim) != (dtype, len(one.shape)):
        raise TypingError(f"{given} is no array of {dtype} with the shape {one.shape}")
    return given


def _result_type(one):
    dtype = numpy_support.from_dtype(one.dtype)
    return dtype if one.shape is None else types.Array(dtype, len(one.shape), "C")


def _lowering(made, name: str) -> Callable:
    """A function that writes the call of a function of C."""

    def call(context, builder, signature, arguments):
        given = iter(zip(signature.args, arguments, strict=True))
        operands, results = [], []
        for one in made.signature.parameters:
            if one.dtype is None:
                operands.append(I64(0))
            elif one.is_out:
                operands.append(_target(context, builder, one, results))
            else:
                operands.append(_operand(context, builder, one, *next(given), name))
        returned = ir.FunctionType(I32, [one.type for one in operands])
        address = context.add_dynamic_addr(builder, made.address, info=name)
        function = builder.bitcast(address, returned.as_pointer())
        failed = builder.icmp_signed("==", builder.call(function, operands), I32(0))
        with builder.if_then(failed, likely=False):
            context.call_conv.return_user_exc(builder, ArithmeticError, (f"{name} failed",))
        values = [load() for load in results]
        if isinstance(signature.return_type, types.BaseTuple):
            return context.make_tuple(builder, signature.return_type, values)
        return values[0] if values else context.get_dummy_value()

    return call


def _operand(context, builder, one, type_, value, name: str):
    if one.shape is None:
        return value
    array = context.make_array(type_)(context, builder, value)
    sizes = zip(cgutils.unpack_tuple(builder, array.shape), one.shape, strict=True)
    for found, wanted in sizes:
        differs = builder.icmp_signed("!=", found, I64(wanted))
        with builder.if_then(differs, likely=False):
            message = f"{name} takes an array of the shape {one.shape}"
            context.call_conv.return_user_exc(builder, ValueError, (message,))
    return builder.ptrtoint(array.data, I64)


def _target(context, builder, one, results: list):
    """The address of a result. What reads it afterwards is appended to `results`."""
    type_ = _result_type(one)
    if one.shape is None:
        slot = cgutils.alloca_once(builder, context.get_data_type(type_))
        results.append(lambda: context.unpack_value(builder, type_, slot))
        return builder.ptrtoint(slot, I64)
    array = _empty_nd_impl(context, builder, type_, [I64(size) for size in one.shape])
    results.append(array._getvalue)
    return builder.ptrtoint(array.data, I64)
