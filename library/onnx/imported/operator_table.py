"""The operators of ONNX that `onnx.load` reads, each as a function of tensors.

Operands are tensors, or arrays where the model stores them; an optional operand that is left out is
None. Attributes of ONNX are keywords.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import helper, numpy_helper

from .... import DType, convert_to_tensor, string
from ....extend.errors import UnimplementedError
from ....extend.operations import ops
from ....extend.specs import FROM_NUMPY
from ....extend.tensors import EagerTensor, SymbolicTensor

OPERATORS: dict[str, Callable] = {}
SAME = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Pow": "pow", "Neg": "negative",
    "Abs": "abs", "Sign": "sign", "Sqrt": "sqrt", "Exp": "exp", "Log": "log", "Floor": "floor",
    "Ceil": "ceil", "Round": "round", "Reciprocal": "reciprocal", "Tanh": "tanh",
    "Sigmoid": "sigmoid", "Softplus": "softplus", "Softsign": "softsign", "Erf": "erf",
    "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
    "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh",
    "Equal": "equal", "Less": "less", "LessOrEqual": "less_equal", "Greater": "greater",
    "GreaterOrEqual": "greater_equal", "And": "logical_and", "Or": "logical_or",
    "Xor": "logical_xor", "Not": "logical_not", "Where": "select", "MatMul": "matmul",
    "IsNaN": "is_nan", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor", "BitwiseNot": "invert", "Det": "det", "StringConcat": "add",
    "Tile": "tile",
}  # fmt: skip


def operator(*op_types: str):
    def enter(function: Callable) -> Callable:
        for op_type in op_types:
            OPERATORS[op_type] = function
        return function

    return enter


def known(value) -> np.ndarray | None:
    """The value of an operand, if it does not depend on the inputs of the model."""
    if isinstance(value, (np.ndarray, list)):  # a list: an attribute of an older operator
        return np.asarray(value)
    if isinstance(value, EagerTensor):
        return value.array
    constant = value.graph_value.constant if isinstance(value, SymbolicTensor) else None
    return None if constant is None or constant.dtype == object else constant


def numbers(value, what: str) -> list[int]:
    """The integers of an operand that has to be known."""
    found = known(value)
    if found is None:
        raise UnimplementedError(f"the {what} of a node of the model is computed, not stored")
    return np.atleast_1d(found).tolist()


for _op_type, _name in SAME.items():
    OPERATORS[_op_type] = getattr(ops, _name)


def dtype_of(number: int) -> DType:
    """The data type that ONNX knows by a number."""
    numpy_dtype = np.dtype(helper.tensor_dtype_to_np_dtype(number))
    return string if numpy_dtype.hasobject or numpy_dtype.kind in "US" else FROM_NUMPY[numpy_dtype]


@operator("Identity")
def identity(x):
    """Lists among them, which are tuples."""
    return x if isinstance(x, tuple) else ops.identity(x)


@operator("Dropout")
def dropout(x, ratio=None, training_mode=None, **older):
    if training_mode is not None and (known(training_mode) is None or known(training_mode).any()):
        raise UnimplementedError("Dropout in training mode")
    return ops.identity(x)


@operator("Div")
def divide(x, y):
    x = convert_to_tensor(x)
    return ops.divide(x, y) if x.dtype.is_floating else ops.truncate_divide(x, y)


@operator("Mod")
def mod(x, y, *, fmod=0):
    if not fmod:
        return ops.floor_mod(x, y)
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        return ops.truncate_mod(x, y)
    rest = ops.floor_mod(ops.abs(x), ops.abs(convert_to_tensor(y)))
    return ops.select(ops.less(x, ops.multiply(x, 0)), ops.negative(rest), rest)


@operator("Max", "Min", "Sum", "Mean")
def folded(first, *others, op_type=""):
    """Of any number of operands."""
    name = {"Max": "maximum", "Min": "minimum"}.get(op_type, "add")
    result = convert_to_tensor(first)
    for other in others:
        result = getattr(ops, name)(result, other)
    return ops.divide(result, like(1 + len(others), result)) if op_type == "Mean" else result


def like(number, x):
    """A number in the data type of a tensor."""
    return convert_to_tensor(np.asarray(number, x.dtype.numpy_dtype))


@operator("IsInf")
def is_inf(x, *, detect_negative=1, detect_positive=1):
    signs = ([np.inf] if detect_positive else []) + ([-np.inf] if detect_negative else [])
    found = [ops.equal(x, like(one, x)) for one in signs]
    return found[0] if len(found) == 1 else ops.logical_or(*found)


@operator("Relu")
def relu(x):
    return ops.maximum(x, like(0, x))


@operator("LeakyRelu")
def leaky_relu(x, *, alpha=0.01):
    return ops.select(ops.less(x, like(0, x)), ops.multiply(x, like(alpha, x)), x)


@operator("Elu")
def elu(x, *, alpha=1.0):
    below = ops.multiply(like(alpha, x), ops.expm1(x))
    return ops.select(ops.less(x, like(0, x)), below, x)


@operator("Clip")
def clip(x, low=None, high=None, *, min=None, max=None):
    low, high = (min if low is None else low), (max if high is None else high)
    x = x if low is None else ops.maximum(x, _cast_like(low, x))
    return x if high is None else ops.minimum(x, _cast_like(high, x))


def _cast_like(value, x):
    return value if isinstance(value, SymbolicTensor) else like(value, x)


@operator("Gemm")
def gemm(a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0):  # noqa: N803 - ONNX's names
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    a = ops.transpose(a, perm=None) if transA else a
    b = ops.transpose(b, perm=None) if transB else b
    result = ops.matmul(a, b)
    result = result if alpha == 1 else ops.multiply(result, like(alpha, result))
    if c is None or beta == 0:
        return result
    return ops.add(result, c if beta == 1 else ops.multiply(c, like(beta, result)))


@operator("Softmax", "LogSoftmax")
def softmax(x, *, axis=None, op_type="", opset=13):
    """Before version 13 the axes from `axis` on are one."""
    axis = (1 if opset < 13 else -1) if axis is None else axis
    rank = len(x.dims)
    axes = tuple(range(axis % rank, rank)) if opset < 13 else (axis,)
    shifted = ops.subtract(x, ops.reduce_max(x, axis=axes, keepdims=True))
    total = ops.reduce_sum(ops.exp(shifted), axis=axes, keepdims=True)
    if op_type == "LogSoftmax":
        return ops.subtract(shifted, ops.log(total))
    return ops.divide(ops.exp(shifted), total)


@operator("ReduceSum", "ReduceProd", "ReduceMean", "ReduceMax", "ReduceMin")
def reduced(x, axes_operand=None, *, axes=None, keepdims=1, noop_with_empty_axes=0, op_type=""):
    if axes_operand is not None:
        is_open = known(axes_operand) is None and keepdims and noop_with_empty_axes
        if is_open and op_type == "ReduceSum":
            return _summed(x, axes_operand)
        axes = numbers(axes_operand, "axes")
    if not axes and noop_with_empty_axes:
        return ops.identity(x)
    name = "reduce_" + op_type.removeprefix("Reduce").lower()
    return getattr(ops, name)(x, axis=tuple(axes) if axes else None, keepdims=bool(keepdims))


def _summed(x, axes):
    """The sum along axes that are computed, which have the size 1 afterwards."""
    own = ops.shape(x, dtype=dtype_of(7))
    places = ops.expand_dims(ops.floor_mod(axes, np.int64(len(x.dims))), axis=1)
    ones = ops.fill(ops.shape(axes, dtype=dtype_of(7)), np.int64(1))
    return ops.sum_to_shape(x, ops.tensor_scatter_nd_update(own, places, ones))


@operator("ArgMax", "ArgMin")
def argmax(x, *, axis=0, keepdims=1, select_last_index=0, op_type=""):
    if select_last_index:
        raise UnimplementedError(f"{op_type} with select_last_index")
    found = getattr(ops, op_type.lower())(x, axis=axis, dtype=FROM_NUMPY[np.dtype(np.int64)])
    return ops.expand_dims(found, axis=axis) if keepdims else found


@operator("CumSum")
def cumsum(x, axis, *, exclusive=0, reverse=0):
    (at,) = numbers(axis, "axis")
    return ops.cumsum(x, axis=at, exclusive=bool(exclusive), reverse=bool(reverse))


@operator("Einsum")
def einsum(*operands, equation):
    return ops.einsum(*operands, equation=equation)


@operator("BatchNormalization")
def batch_normalization(x, scale, bias, mean, variance, *, epsilon=1e-5, training_mode=0, **others):
    if training_mode or not others.get("spatial", 1):
        raise UnimplementedError("BatchNormalization in training mode, or not for channels")
    shape = [1, -1, *[1] * (len(x.dims) - 2)]
    scale, bias, mean, variance = (
        ops.reshape(one, np.array(shape, np.int64)) for one in (scale, bias, mean, variance)
    )
    factor = ops.multiply(scale, ops.rsqrt(ops.add(variance, like(epsilon, x))))
    return ops.add(ops.multiply(ops.subtract(x, mean), factor), bias)


@operator("Constant")
def constant(*, value=None, **others):
    if value is not None:
        return value
    ((name, number),) = others.items()
    dtype = {"value_float": np.float32, "value_floats": np.float32}.get(name, np.int64)
    return np.asarray(number, dtype)


def array_of(tensor) -> np.ndarray:
    """The array of a tensor that a model stores."""
    array = numpy_helper.to_array(tensor)
    if array.dtype.kind in "US" or array.dtype.hasobject:
        rows = [one if isinstance(one, bytes) else str(one).encode() for one in array.flat]
        found = np.empty(len(rows), object)
        found[:] = rows
        return found.reshape(array.shape)
    return array
