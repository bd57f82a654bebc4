"""Constants, and operations that return their operand."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import FROM_NUMPY, as_dtype
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import as_shape, is_compatible, merge, show
from ...ir.op import Spec, no_gradient
from ...tensors.apply import BEHAVIOR, constant_of, convert_to_tensor, executing_eagerly, tensor_of
from ...tensors.array_conversion import is_python_number, to_array
from ...tensors.operation import hidden_op, op
from ...tensors.tensor import SymbolicTensor, out_of_scope


@hidden_op
class Const:
    """A value that is part of the graph."""

    is_constant = True
    may_raise = False
    moves_only = True
    parallel_safe = True

    def kernel(*, value):
        return value

    def result(*, value):
        return Spec(FROM_NUMPY[value.dtype], value.shape)

    def partial(*, value):
        return value


@op
class Identity:
    """The same value.

    >>> ag.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """

    public = ("identity",)
    scalar = "{x}"
    componentwise = True
    may_return_operand = True

    def kernel(x):
        return x

    def result(x):
        return Spec(x.dtype, x.shape)

    def partial(x):
        return x.constant

    def gradient(dy, y, x):
        return (dy,)


@op
class StopGradient:
    """The same value, but a constant for every gradient.

    >>> x = ag.constant(3.0)
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * ag.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0
    """

    public = ("stop_gradient",)
    scalar = "{x}"
    componentwise = True
    may_return_operand = True
    gradient = no_gradient
    kernel = Identity.kernel
    result = Identity.result
    partial = Identity.partial


@op
class EnsureShape:
    """The same value, checked to have the shape `shape`. None matches any size.

    >>> ag.ensure_shape([1, 2], [None]).shape
    TensorShape([2])

    Raises ShapeError, when the program runs, unless the shapes are compatible.
    """

    public = ("ensure_shape",)
    moves_only = True
    parallel_safe = True
    any_rows = True
    native_result = "view"

    def kernel(x, *, shape):
        if not is_compatible(x.shape, as_shape(shape)):
            raise ShapeError(
                f"ensure_shape: the shape is {show(x.shape)}, not {show(as_shape(shape))}"
            )
        return x

    def result(x, *, shape):
        try:
            return Spec(x.dtype, merge(x.shape, as_shape(shape)))
        except ValueError as error:
            raise ShapeError(f"ensure_shape: {error}") from None

    def gradient(dy, y, x, *, shape):
        return (dy,)


@public("constant")
def constant(value, dtype=None, shape=None, name=None):
    """A tensor of a scalar, string, NumPy array or nested list.

    Python ints become int32, floats float32, and str UTF-8 encoded strings. NumPy arrays keep
    their dtype. `shape` reshapes the value, or repeats a single element.

    >>> ag.constant([1, 2, 3], dtype="float32").numpy()
    array([1., 2., 3.], dtype=float32)
    >>> ag.constant(7, shape=[2]).numpy()
    array([7, 7], dtype=int32)

    Raises TypeError or ValueError if `value` cannot be converted to `dtype` and `shape`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if BEHAVIOR.weaken is not None and wanted is None and is_python_number(value):
        return BEHAVIOR.weaken(constant(value, to_array(value).dtype, shape, name))
    if not isinstance(value, (int, float, str, bytes, np.ndarray)) or tensor_of(value) is not None:
        tensor = convert_to_tensor(value, wanted)
        if isinstance(tensor, SymbolicTensor) and executing_eagerly():
            raise out_of_scope(tensor)
        if shape is None:
            return tensor
        value = np.asarray(tensor)
    array = to_array(value, wanted)
    if shape is not None:
        shape = as_shape(shape)
        array = np.full(shape, array, array.dtype) if array.size == 1 else array.reshape(shape)
    return constant_of(array, name)
