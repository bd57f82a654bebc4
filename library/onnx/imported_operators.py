"""The operators of ONNX that `onnx.load` reads, each as a function of tensors.

Operands are tensors, or arrays where the model stores them; an optional operand that is left out is
None. Attributes of ONNX are keywords.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import helper, numpy_helper

from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.errors import UnimplementedError
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.operation import ops
from ...runtime.tensors.tensor import EagerTensor, SymbolicTensor

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


@operator("Identity", "Dropout")
def identity(x, *options, **attributes):
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
    for one in others:
        result = getattr(ops, name)(result, one)
    return ops.divide(result, _like(1 + len(others), result)) if op_type == "Mean" else result


def _like(number, x):
    return convert_to_tensor(np.asarray(number, x.dtype.numpy_dtype))


@operator("IsInf")
def is_inf(x, *, detect_negative=1, detect_positive=1):
    signs = ([np.inf] if detect_positive else []) + ([-np.inf] if detect_negative else [])
    found = [ops.equal(x, _like(one, x)) for one in signs]
    return found[0] if len(found) == 1 else ops.logical_or(*found)


@operator("Relu")
def relu(x):
    return ops.maximum(x, _like(0, x))


@operator("LeakyRelu")
def leaky_relu(x, *, alpha=0.01):
    return ops.select(ops.less(x, _like(0, x)), ops.multiply(x, _like(alpha, x)), x)


@operator("Elu")
def elu(x, *, alpha=1.0):
    below = ops.multiply(_like(alpha, x), ops.expm1(x))
    return ops.select(ops.less(x, _like(0, x)), below, x)


@operator("Clip")
def clip(x, low=None, high=None, *, min=None, max=None):
    low, high = (min if low is None else low), (max if high is None else high)
    x = x if low is None else ops.maximum(x, _cast_like(low, x))
    return x if high is None else ops.minimum(x, _cast_like(high, x))


def _cast_like(value, x):
    return value if isinstance(value, SymbolicTensor) else _like(value, x)


@operator("Gemm")
def gemm(a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0):  # noqa: N803 - ONNX's names
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    a = ops.transpose(a, perm=None) if transA else a
    b = ops.transpose(b, perm=None) if transB else b
    result = ops.matmul(a, b)
    result = result if alpha == 1 else ops.multiply(result, _like(alpha, result))
    if c is None or beta == 0:
        return result
    return ops.add(result, c if beta == 1 else ops.multiply(c, _like(beta, result)))


@operator("Softmax", "LogSoftmax")
def softmax(x, *, axis=-1, op_type=""):
    shifted = ops.subtract(x, ops.reduce_max(x, axis=axis, keepdims=True))
    total = ops.reduce_sum(ops.exp(shifted), axis=axis, keepdims=True)
    if op_type == "LogSoftmax":
        return ops.subtract(shifted, ops.log(total))
    return ops.divide(ops.exp(shifted), total)


@operator("ReduceSum", "ReduceProd", "ReduceMean", "ReduceMax", "ReduceMin")
def reduced(x, axes_operand=None, *, axes=None, keepdims=1, noop_with_empty_axes=0, op_type=""):
    if axes_operand is not None:
        axes = numbers(axes_operand, "axes")
    if not axes and noop_with_empty_axes:
        return ops.identity(x)
    name = "reduce_" + op_type.removeprefix("Reduce").lower()
    return getattr(ops, name)(x, axis=tuple(axes) if axes else None, keepdims=bool(keepdims))


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
    if training_mode:
        raise UnimplementedError("BatchNormalization in training mode")
    shape = [1, -1, *[1] * (len(x.dims) - 2)]
    scale, bias, mean, variance = (
        ops.reshape(one, np.array(shape, np.int64)) for one in (scale, bias, mean, variance)
    )
    factor = ops.multiply(scale, ops.rsqrt(ops.add(variance, _like(epsilon, x))))
    return ops.add(ops.multiply(ops.subtract(x, mean), factor), bias)


# ---- shapes and indices ----------------------------------------------------------------------


@operator("Shape")
def shape(x, *, start=0, end=None):
    return ops.shape(x, dtype=FROM_NUMPY[np.dtype(np.int64)])[start:end]


@operator("Size")
def size(x):
    return ops.size(x, dtype=FROM_NUMPY[np.dtype(np.int64)])


@operator("Reshape")
def reshape(x, sizes, *, allowzero=0):
    target = known(sizes)
    if target is not None and not allowzero and (target == 0).any():
        own = ops.shape(x, dtype=FROM_NUMPY[np.dtype(np.int64)])
        rows = [own[at] if one == 0 else np.int64(one) for at, one in enumerate(target.tolist())]
        sizes = ops.stack(*rows, axis=0)
    return ops.reshape(x, sizes)


@operator("Flatten")
def flatten(x, *, axis=1):
    sizes = ops.shape(x, dtype=FROM_NUMPY[np.dtype(np.int64)])
    first = ops.reduce_prod(sizes[:axis], axis=None, keepdims=False)
    return ops.reshape(x, ops.stack(first, np.int64(-1), axis=0))


@operator("Transpose")
def transpose(x, *, perm=None):
    return ops.transpose(x, perm=None if perm is None else list(perm))


@operator("Unsqueeze")
def unsqueeze(x, axes_operand=None, *, axes=None):
    x = convert_to_tensor(x)
    axes = numbers(axes_operand, "axes") if axes is None else axes
    rank = len(x.dims) + len(axes)
    for axis in sorted(one % rank for one in axes):
        x = ops.expand_dims(x, axis=axis)
    return x


@operator("Squeeze")
def squeeze(x, axes_operand=None, *, axes=None):
    if axes_operand is not None:
        axes = numbers(axes_operand, "axes")
    return ops.squeeze(x, axis=None if axes is None else tuple(axes))


@operator("Concat")
def concat(*values, axis):
    return ops.concat(*values, axis=axis)


@operator("Split")
def split(x, sizes=None, *, axis=0, num_outputs=None, split=None, count=0):
    if split is not None:
        sizes = np.array(split, np.int64)
    if sizes is None:
        sizes = np.full(count, -1, np.int64)
    return ops.split(x, sizes, num=count, axis=axis)


@operator("Slice")
def slice_(x, starts, ends, axes=None, steps=None):
    x = convert_to_tensor(x)
    count = len(x.dims)
    firsts, lasts = (_items(one) for one in (starts, ends))
    where = range(len(firsts)) if axes is None else numbers(axes, "axes")
    by = [1] * len(firsts) if steps is None else numbers(steps, "steps")
    index = [slice(None)] * count
    for axis, start, end, step in zip(where, firsts, lasts, by, strict=True):
        if isinstance(end, int) and step < 0 and end < -(1 << 31):
            end = None
        if isinstance(start, int) and step < 0 and start >= (1 << 31) - 1:
            start = None
        if isinstance(end, int) and step > 0 and end >= (1 << 31) - 1:
            end = None
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _items(value) -> list:
    """The elements of a vector: integers where they are known."""
    found = known(value)
    if found is not None:
        return np.atleast_1d(found).tolist()
    return [value[at] for at in range(value.dims[0])]


@operator("Gather")
def gather(x, indices, *, axis=0):
    x, found = convert_to_tensor(x), known(indices)
    at = axis % len(x.dims)
    if found is None or (found < 0).any():
        indices = convert_to_tensor(indices)
        length = ops.cast(ops.shape(x)[at], dtype=indices.dtype)
        indices = ops.floor_mod(indices, length) if found is not None else indices
    return ops.gather(x, indices, axis=at, batch_dims=0)


@operator("GatherND")
def gather_nd(x, indices, *, batch_dims=0):
    return ops.gather_nd(x, indices, batch_dims=batch_dims)


@operator("ScatterND")
def scatter_nd(x, indices, updates, *, reduction="none"):
    name = {"none": "update"}.get(reduction, reduction)
    return getattr(ops, f"tensor_scatter_nd_{name}")(x, indices, updates)


@operator("ScatterElements")
def scatter_elements(x, indices, updates, *, axis=0, reduction="none"):
    if len(x.dims) != 1:
        raise UnimplementedError("ScatterElements on several axes")
    return scatter_nd(x, ops.expand_dims(indices, axis=1), updates, reduction=reduction)


@operator("Expand")
def expand(x, sizes):
    """Sizes of 1 keep what the operand has."""
    own = ops.shape(convert_to_tensor(x), dtype=FROM_NUMPY[np.dtype(np.int64)])
    return ops.broadcast_to(x, ops.broadcast_dynamic_shape(own, sizes))


@operator("ConstantOfShape")
def constant_of_shape(sizes, *, value=None):
    number = np.zeros(1, np.float32) if value is None else value
    return ops.fill(sizes, number.reshape(()))


@operator("Range")
def range_(start, limit, delta):
    return ops.range(start, limit, delta)


@operator("Cast")
def cast(x, *, to, saturate=1, round_mode="up"):
    return ops.cast(x, dtype=FROM_NUMPY[np.dtype(helper.tensor_dtype_to_np_dtype(to))])


@operator("Pad")
def pad(x, pads=None, value=None, axes=None, *, mode="constant", **older):
    if axes is not None or mode not in ("constant", "reflect"):
        raise UnimplementedError(f"Pad with mode={mode!r}")
    x = convert_to_tensor(x)
    sides = older.get("pads") if pads is None else pads
    sides = ops.transpose(ops.reshape(np.asarray(sides) if pads is None else sides,
                                      np.array([2, -1], np.int64)), perm=None)  # fmt: skip
    filling = _like(older.get("value", 0), x) if value is None else ops.reshape(
        value, np.zeros(0, np.int64))  # fmt: skip
    return ops.pad(x, sides, filling, mode=mode.upper())


@operator("NonZero")
def nonzero(x):
    return ops.transpose(ops.cast(ops.nonzero(x), dtype=FROM_NUMPY[np.dtype(np.int64)]), perm=None)


@operator("Compress")
def compress(x, condition, *, axis=None):
    if axis is None:
        x, axis = ops.reshape(x, np.array([-1], np.int64)), 0
    return ops.boolean_mask(x, condition, axis=axis)


@operator("TopK")
def top_k(x, k, *, axis=-1, largest=1, sorted=1):
    order = ops.argsort(x, axis=axis, descending=bool(largest))
    values = ops.sort(x, axis=axis, descending=bool(largest))
    (count,) = _items(k)
    index = [slice(None)] * len(x.dims)
    index[axis] = slice(None, count)
    places = ops.cast(order, dtype=FROM_NUMPY[np.dtype(np.int64)])
    return values[tuple(index)], places[tuple(index)]


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
