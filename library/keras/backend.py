"""`keras.backend`: settings, and the functions that losses and layers of older programs call."""

from __future__ import annotations

import numpy as np

from ... import as_dtype
from ...extend.operations import ag
from ...extend.registration import expose, public
from .layers.call_context import unique_name
from .mixed_precision import floatx
from .models.functional_api import KerasTensor
from .ops.promotion import as_operand, common_dtype

# ---- settings --------------------------------------------------------------------------------


class _Settings:
    epsilon = 1e-7


@public("keras.backend.epsilon", "keras.config.epsilon")
def epsilon() -> float:
    """The small number that keeps divisors and arguments of logarithms from 0.

    >>> ag.keras.backend.epsilon()
    1e-07
    """
    return _Settings.epsilon


@public("keras.backend.set_epsilon", "keras.config.set_epsilon")
def set_epsilon(value: float) -> None:
    """Set what `epsilon()` returns."""
    _Settings.epsilon = float(value)


@public("keras.backend.image_data_format", "keras.config.image_data_format")
def image_data_format() -> str:
    """The layout of images where none is given: channels are the last axis."""
    return "channels_last"


@public("keras.backend.set_image_data_format", "keras.config.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    """Accept "channels_last". Raises ValueError otherwise: give layers their data_format."""
    if data_format != "channels_last":
        raise ValueError(
            f"the layout of images is 'channels_last', not {data_format!r}: write "
            "data_format='channels_first' where a layer is made"
        )


@public("keras.backend.backend", "keras.config.backend")
def backend() -> str:
    """The name of the vocabulary that layers are written in: "tensorflow"."""
    return "tensorflow"


@public("keras.backend.get_uid")
def get_uid(prefix: str = "") -> int:
    """A number that is new for this prefix."""
    name = unique_name(prefix or "uid")
    return int(name.rpartition("_")[2]) + 1 if name != (prefix or "uid") else 1


# ---- data types ------------------------------------------------------------------------------


@public("keras.backend.standardize_dtype", "keras.utils.standardize_dtype")
def standardize_dtype(dtype) -> str:
    """The name of a data type; None is that of layers.

    >>> ag.keras.backend.standardize_dtype(np.float32)
    'float32'
    """
    return floatx() if dtype is None else as_dtype(dtype).name


@public("keras.backend.result_type")
def result_type(*dtypes) -> str:
    """The name of the data type in which `keras.ops` computes with these types.

    >>> ag.keras.backend.result_type("int64", "float16")
    'float16'
    """
    samples = [dtype(1) if dtype in (int, float) else np.zeros((), as_dtype(dtype).name)
               for dtype in dtypes]  # fmt: skip
    return common_dtype(*samples).name


@public("keras.backend.is_float_dtype")
def is_float_dtype(dtype) -> bool:
    """Whether a data type is one of floats."""
    return as_dtype(dtype).is_floating


@public("keras.backend.is_int_dtype")
def is_int_dtype(dtype) -> bool:
    """Whether a data type is one of integers."""
    return as_dtype(dtype).is_integer


@public("keras.backend.is_keras_tensor", "keras.utils.is_keras_tensor")
def is_keras_tensor(x) -> bool:
    """Whether an object is a placeholder of the functional API."""
    return isinstance(x, KerasTensor)


# ---- functions of older programs -------------------------------------------------------------

# Names of `keras.backend`, and those of the same functions elsewhere.
SAME = {
    "abs": "abs",
    "clip": "clip_by_value", "constant": "constant", "cos": "cos", "elu": "keras.activations.elu",
    "equal": "equal", "exp": "exp", "foldl": "foldl", "foldr": "foldr",
    "gather": "gather", "greater": "greater", "greater_equal": "greater_equal",
    "hard_sigmoid": "keras.activations.hard_sigmoid",
    "l2_normalize": "nn.l2_normalize", "less": "less", "less_equal": "less_equal",
    "log": "math.log", "maximum": "maximum", "minimum": "minimum",
    "name_scope": "name_scope",
    "not_equal": "not_equal", "one_hot": "one_hot", "pow": "pow", "relu": "keras.activations.relu",
    "reshape": "reshape", "reverse": "reverse", "round": "round", "shape": "shape",
    "sigmoid": "sigmoid", "sign": "sign", "sin": "sin", "softmax": "nn.softmax",
    "softplus": "nn.softplus", "softsign": "nn.softsign", "square": "square", "squeeze": "squeeze",
    "stack": "stack", "stop_gradient": "stop_gradient", "tanh": "tanh",
    "transpose": "transpose", "random_normal": "random.normal", "random_uniform": "random.uniform",
    "truncated_normal": "random.truncated_normal", "zeros_like": "zeros_like",
    "ones_like": "ones_like", "ones": "ones", "zeros": "zeros",
}  # fmt: skip
# Parameters that Keras names otherwise, in order.
PARAMETERS = {
    "clip": ("x", "min_value", "max_value"), "one_hot": ("indices", "num_classes"),
    "gather": ("reference", "indices"), "reverse": ("x", "axes"), "pow": ("x", "a"),
    "reshape": ("x", "shape"), "softmax": ("x", "axis"), "squeeze": ("x", "axis"),
    "stack": ("x", "axis"),
}  # fmt: skip
REDUCTIONS = {
    "all": "reduce_all", "any": "reduce_any", "max": "reduce_max", "mean": "reduce_mean",
    "min": "reduce_min", "prod": "reduce_prod", "std": "math.reduce_std", "sum": "reduce_sum",
    "var": "math.reduce_variance",
}  # fmt: skip


def _member(path: str):
    result = ag
    for name in path.split("."):
        result = getattr(result, name)
    return result


def _same(name: str, path: str) -> None:
    names = PARAMETERS.get(name, ("x",))

    def call(*args, **kwargs):
        named = [kwargs.pop(name) for name in names[len(args) :] if name in kwargs]
        return _member(path)(*args, *named, **kwargs)

    call.__name__, call.__doc__ = name, f"See `{path}`."
    public(f"keras.backend.{name}")(call)


def _reduction(name: str, path: str) -> None:
    def call(x, axis=None, keepdims=False):
        x = as_operand(x)
        if name in ("mean", "std", "var") and x.dtype.is_bool:
            x = ag.cast(x, floatx())
        return _member(path)(x, axis, keepdims)

    call.__name__, call.__doc__ = name, f"See `{path}`."
    public(f"keras.backend.{name}")(call)


for _name, _path in SAME.items():
    _same(_name, _path)
for _name, _path in REDUCTIONS.items():
    _reduction(_name, _path)


@public("keras.backend.batch_normalization")
def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """Elements less the mean, over the deviation, times gamma, plus beta, along an axis.

    >>> moments = [1.0], [4.0], [0.5], [2.0]
    >>> ag.keras.backend.batch_normalization([[3.0]], *moments, epsilon=0.0).numpy().tolist()
    [[2.5]]
    """
    x = as_operand(x)
    vectors = mean, var, beta, gamma
    rows = [None if vector is None else _along(x, axis, vector) for vector in vectors]
    return ag.nn.batch_normalization(x, *rows, epsilon)


def _along(x, axis: int, vector):
    """A vector in the shape that lies along an axis of x."""
    shape = [1] * x.ndim
    shape[axis] = -1
    return ag.reshape(vector, shape)


@public("keras.backend.bias_add")
def bias_add(x, bias, data_format=None):
    """x plus a vector along its channels, which are the last axis unless `data_format` is
    "channels_first".
    """
    x = as_operand(x)
    return x + _along(x, 1 if data_format == "channels_first" else -1, bias)


@public("keras.backend.eye")
def eye(size, dtype=None, name=None):
    """The unit matrix of a size, or (rows, columns)."""
    rows, columns = size if isinstance(size, (list, tuple)) else (size, size)
    return ag.eye(rows, columns, dtype=as_dtype(dtype or floatx()))


@public("keras.backend.in_top_k")
def in_top_k(predictions, targets, k):
    """Whether each target is the index of one of the `k` largest predictions."""
    return ag.math.in_top_k(targets, predictions, k)


@public("keras.backend.map_fn")
def map_fn(fn, elems, name=None, dtype=None):
    """The results of a function for each item along the first axis."""
    return ag.map_fn(fn, elems, dtype)


@public("keras.backend.tile")
def tile(x, n):
    """x repeated `n` times along each axis; one number is for all axes."""
    x = as_operand(x)
    return ag.tile(x, [n] * x.ndim if isinstance(n, int) else n)


@public("keras.backend.sqrt")
def sqrt(x):
    """The root of each element; that of negative ones is 0."""
    return ag.sqrt(ag.maximum(as_operand(x), 0.0))


@public("keras.backend.dot")
def dot(x, y):
    """The matrix product, over the last axis of x and the last but one of y."""
    x, y = as_operand(x), as_operand(y)
    if x.ndim <= 2 and y.ndim <= 2:
        return ag.matmul(x, y)
    return ag.tensordot(x, y, [[x.ndim - 1], [max(y.ndim - 2, 0)]])


@public("keras.backend.concatenate")
def concatenate(tensors, axis=-1):
    """Tensors joined along an axis."""
    return ag.concat(tensors, axis)


@public("keras.backend.cast")
def cast(x, dtype):
    """A tensor with its elements converted."""
    return ag.cast(x, dtype)


@public("keras.backend.arange")
def arange(start, stop=None, step=1, dtype="int32"):
    """Numbers from `start` to before `stop`."""
    start, stop = (0, start) if stop is None else (start, stop)
    return ag.range(start, stop, step, dtype)


@public("keras.backend.argmax")
def argmax(x, axis=-1):
    """The index of the largest element along an axis."""
    return ag.argmax(x, axis)


@public("keras.backend.argmin")
def argmin(x, axis=-1):
    """The index of the smallest element along an axis."""
    return ag.argmin(x, axis)


@public("keras.backend.cumsum")
def cumsum(x, axis=0):
    """The running sums along an axis."""
    return ag.cumsum(x, axis)


@public("keras.backend.cumprod")
def cumprod(x, axis=0):
    """The running products along an axis."""
    return ag.math.cumprod(x, axis)


@public("keras.backend.expand_dims")
def expand_dims(x, axis=-1):
    """A tensor with a new axis of size 1."""
    return ag.expand_dims(x, axis)


@public("keras.backend.permute_dimensions")
def permute_dimensions(x, pattern):
    """A tensor with its axes in another order."""
    return ag.transpose(x, pattern)


@public("keras.backend.flatten")
def flatten(x):
    """All elements as a vector."""
    return ag.reshape(x, [-1])


@public("keras.backend.batch_flatten")
def batch_flatten(x):
    """All axes after the first flattened into one."""
    x = as_operand(x)
    return ag.reshape(x, [ag.shape(x)[0], -1])


@public("keras.backend.repeat_elements")
def repeat_elements(x, rep, axis):
    """Each slice along an axis repeated."""
    return ag.repeat(x, rep, axis)


@public("keras.backend.switch")
def switch(condition, then_expression, else_expression):
    """One of two values, or of the results of two functions, by a condition."""
    if callable(then_expression):
        return ag.cond(condition, then_expression, else_expression)
    then, other, test = map(as_operand, (then_expression, else_expression, condition))
    while test.ndim < then.ndim:
        test = ag.expand_dims(test, -1)
    return ag.where(test, then, other)


@public("keras.backend.dropout")
def dropout(x, level, noise_shape=None, seed=None):
    """Elements set to 0 with probability `level`, the others scaled up."""
    return ag.nn.dropout(x, level, noise_shape, seed)


@public("keras.backend.binary_crossentropy")
def binary_crossentropy(target, output, from_logits=False):
    """The cross entropy of each element."""
    return ag.keras.ops.binary_crossentropy(target, output, from_logits)


@public("keras.backend.categorical_crossentropy")
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy along an axis."""
    return ag.keras.ops.categorical_crossentropy(target, output, from_logits, axis)


@public("keras.backend.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of class numbers."""
    return ag.keras.ops.sparse_categorical_crossentropy(target, output, from_logits, axis)


@public("keras.backend.int_shape")
def int_shape(x) -> tuple:
    """The sizes of the axes, None where they are unknown."""
    return tuple(as_operand(x).dims if not hasattr(x, "dims") else x.dims)


@public("keras.backend.ndim")
def ndim(x) -> int:
    """The number of axes."""
    return len(int_shape(x))


@public("keras.backend.dtype")
def dtype(x) -> str:
    """The name of the data type."""
    return as_dtype(x.dtype).name


@public("keras.backend.variable")
def variable(value, dtype=None, name=None, constraint=None):
    """A new variable."""
    return ag.Variable(as_operand(value, as_dtype(dtype or floatx())), name=name,
                       constraint=constraint)  # fmt: skip


@public("keras.backend.get_value", "keras.backend.eval")
def get_value(x):
    """The value of a tensor or a variable as a NumPy array."""
    return as_operand(x).numpy()


@public("keras.backend.set_value", "keras.backend.update")
def set_value(x, value):
    """Assign a value to a variable."""
    return x.assign(as_operand(value, x.dtype))


@public("keras.backend.update_add")
def update_add(x, increment):
    """Add to a variable."""
    return x.assign_add(increment)


@public("keras.backend.update_sub")
def update_sub(x, decrement):
    """Subtract from a variable."""
    return x.assign_sub(decrement)


@public("keras.backend.count_params")
def count_params(x) -> int:
    """The number of elements."""
    return int(np.prod(int_shape(x)))


# ---- variables -------------------------------------------------------------------------------


def variable_of_keras(
    initializer, shape=None, dtype=None, trainable=True, autocast=True, aggregation="none",
    synchronization="auto", name=None, **kwargs,
):  # fmt: skip
    """A variable of a value, or of an initializer and a shape.

    >>> ag.keras.Variable(ag.keras.initializers.Ones(), shape=[2]).numpy()
    array([1., 1.], dtype=float32)
    """
    if isinstance(initializer, str) or callable(initializer):
        start = ag.keras.initializers.get(initializer)(shape or (), dtype or floatx())
    else:
        start = as_operand(initializer, None if dtype is None else as_dtype(dtype))
        if dtype is None and start.dtype.name == "int64":
            start = ag.cast(start, "int32")
    return ag.Variable(start, trainable=trainable, name=name)


expose(variable_of_keras, "keras.Variable")


@public("keras.version")
def version() -> str:
    """The version of the vocabulary of layers."""
    return "3"
