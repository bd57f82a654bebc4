"""Functions that Numba compiled, called as operations."""

from __future__ import annotations

import functools

import numpy as np

from ....runtime.core.dtypes import BOOLS, FROM_NUMPY, NUMBERS, complex128, float16, float64, int64
from ....runtime.core.errors import InvalidArgumentError, ShapeError
from ....runtime.core.public_names import public
from ....runtime.ir.op import PURE, WRITES, Spec
from ....runtime.tensors.apply import apply, convert_to_tensor
from ....runtime.tensors.operation import hidden_op
from ....runtime.tensors.tensor import Tensor
from .call_arguments import refuse_object, with_constants
from .called_by_address import is_c_function
from .known_functions import numba_function
from .numba_functions import (
    ArgumentType,
    NumbaFunction,
    is_jitclass,
    is_numba_function,
)
from .result_structures import rebuilt

TYPES = (NUMBERS | BOOLS) - {float16}  # which Numba knows on GPUs alone


def _kernel(*operands, function):
    return function(*operands)


def _result(*operands, function):
    for value in operands:
        if value.shape is None:
            raise ShapeError(
                f"{function.own_name}: the rank of '{value.name}' is not known",
                "Declare it: ag.TensorSpec([None, None], ag.float32) is a matrix.",
            )
    given = [ArgumentType(operand.dtype.numpy_dtype, len(operand.shape)) for operand in operands]
    signature = function.signature(tuple(given))
    shapes = function.shapes(signature, [operand.shape for operand in operands])
    rows = zip(signature.results, shapes, strict=True)
    return tuple(Spec(FROM_NUMPY[type_.dtype], shape) for type_, shape in rows)


def _gradient(dy, y, *operands, function):
    if function.gradient is None:
        raise LookupError(
            f"{function.own_name}, which Numba compiled, has no gradient: state one with "
            "ag.numba_op(f, gradient=lambda dy, x: ...), or wrap its input in ag.stop_gradient"
        )
    found = function.gradient(*dy, *operands)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


@hidden_op
class NumbaCall:
    """Call a function that Numba compiled."""

    several = True
    accepts = {"operands": TYPES}
    inputs = ("*operands",)
    runs_python = True  # its errors are the user's: they propagate unchanged
    is_foreign = True
    parallel_safe = True
    kernel, result, gradient = _kernel, _result, _gradient

    def effect(attrs):
        return WRITES if attrs["function"].stateful else PURE


@hidden_op
class NumbaElement:
    """Call a function that Numba compiled for numbers, for the elements at each index."""

    several = True
    accepts = {"operands": TYPES}
    inputs = ("*operands",)
    runs_python = True
    is_foreign = True
    may_raise = True
    kernel, result, gradient = _kernel, _result, _gradient
    scalar = "{function.name}({count}, {operands})"


@public("numba_op")
def numba_op(function=None, *, shape=None, gradient=None, stateful=None):
    """A function of Numba's `@njit`, `@vectorize` or `@guvectorize` as an operation on tensors.

    In functions that `ag.function` decorates, such functions are operations anyway. This states
    what Numba does not know. Native code calls the compiled function, or inlines it.

    shape     the shapes of the results, or a function that gives them for those of the arguments.
              Native code needs it where a result of `@njit` is an array
    gradient  a function of a cotangent for each result, and of the arguments, which gives a
              cotangent for each argument, None where there is none
    stateful  whether calls do more than give results; by default those that draw random numbers or
              print

    The function must not write to its arguments. It may be one of C, from `cffi`, or from `ctypes`
    with `argtypes` and `restype`; native code calls it by its address, if it is stated that it is
    not `stateful`.

    >>> import allograph as ag
    >>> from numba import njit
    >>> @ag.numba_op(shape=lambda x: x, gradient=lambda dy, x: 2.0 * x * dy)
    ... @njit
    ... def squares(x):
    ...     return x * x
    >>> squares(ag.constant([1.0, 3.0])).numpy()
    array([1., 9.], dtype=float32)

    Raises InvalidArgumentError where the function is none of Numba's, and DTypeError where Numba
    does not compile it for the arguments.
    """
    options = {"shape": shape, "gradient": gradient, "stateful": stateful}
    if function is None:
        return functools.partial(numba_op, **options)
    if not (is_numba_function(function) or is_c_function(function)):
        raise InvalidArgumentError(
            "numba_op takes a function of Numba's @njit, @vectorize or @guvectorize, not "
            f"{function!r}",
            "Decorate it with @numba.njit first.",
        )
    made = numba_function(function, **options)

    @functools.wraps(getattr(function, "py_func", None) or (lambda *tensors: None))
    def call(*args, **kwargs):
        return numba_call(made, made.positional(args, kwargs))

    call.numba_function = made  # type: ignore[attr-defined] - for saved modules
    return call


def numba_call(function: NumbaFunction, arguments):
    """The results of a call on tensors, in the structure in which the function returns them."""
    function, tensors = with_constants(function, tuple(arguments))
    operands = _operands(function, tensors)
    fuses = function.is_elementwise and not function.stateful
    operation = NumbaElement if fuses else NumbaCall
    results = apply(operation, operands, {"function": function})
    types = (ArgumentType(operand.dtype.numpy_dtype, len(operand.dims)) for operand in operands)
    structure = function.signature(tuple(types)).structure
    return rebuilt(structure, iter(results if isinstance(results, (tuple, list)) else (results,)))


def _operands(function: NumbaFunction, arguments: tuple) -> tuple:
    """Tensors. Numbers of Python's have the data types of Numba. Beside the tensors of an
    element-wise function, they have those of NumPy.
    """
    found = [one if type(one) in _DTYPES else convert_to_tensor(one) for one in arguments]
    dtypes = [one.dtype.numpy_dtype for one in found if isinstance(one, Tensor)]
    for at, one in enumerate(found):
        if not isinstance(one, Tensor):
            is_weak = function.is_ufunc and dtypes
            dtype = FROM_NUMPY[np.result_type(*dtypes, one)] if is_weak else _DTYPES[type(one)]
            found[at] = convert_to_tensor(one, dtype)
    return tuple(found)


_DTYPES = {int: int64, float: float64, complex: complex128}


def replacement(function):
    """A function that records calls of a function of Numba on tensors; None for anything else."""
    if not (is_numba_function(function) or is_jitclass(function)):
        return None

    def call(*args, **kwargs):
        has_tensors = _holds_tensor((*args, *kwargs.values()))
        if has_tensors and is_jitclass(function):
            refuse_object(function)
        if not has_tensors or (kwargs and numba_function(function).is_ufunc):
            return function(*args, **kwargs)
        made = numba_function(function)
        return numba_call(made, made.positional(args, kwargs))

    return call


def _holds_tensor(value) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    return isinstance(value, Tensor)
