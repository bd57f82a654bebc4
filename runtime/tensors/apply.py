"""The one door through which every operation goes: run it now, or record it into a graph."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.dtypes import FROM_NUMPY, DType, as_dtype, conversion, float32
from ..core.errors import Error, InvalidArgumentError
from ..core.floating_point_state import enter_errstate, restore
from ..core.numpy_dtypes import is_floating
from ..core.public_names import public
from ..core.tracebacks import REFUSALS, call_for_composites, is_from_handler
from ..core.user_source import in_users_words, users_operands
from ..ir.constant_values import full_constant
from ..ir.graph import Value, describe
from ..ir.op import Op
from .array_conversion import is_python_number, to_array
from .late_binding import late
from .listeners import OBSERVERS, TAPES, note, run_observed
from .tensor import EagerTensor, SymbolicTensor, Tensor, out_of_scope

if TYPE_CHECKING:
    from .graph_builder import Builder


class Behavior:
    """Whether tensors behave as NumPy arrays, and how their data types are promoted then."""

    def __init__(self):
        self.on = False
        self.prefer_float32 = False
        self.mode = "legacy"
        self.promote: Callable | None = None  # promote(op, inputs) gives inputs of one data type
        # Where data types can be weak: note(op, inputs, result) and weaken(tensor) note it,
        # is_weak(tensor) asks.
        self.note: Callable | None = None
        self.weaken: Callable | None = None
        self.is_weak: Callable | None = None


BEHAVIOR = Behavior()


BUILDER: ContextVar[Builder | None] = ContextVar("allograph_builder", default=None)
RUNNERS: list[Any] = []  # run(op, tensors, attrs): the last one runs eager operations
ENTERED: list[Builder] = []  # those of all threads: where it is empty, there is none here either


def apply(op: Op, inputs: tuple, attrs: dict[str, Any], name: str | None = None) -> Any:
    """Apply `op`: a Tensor, or a tuple of them where the operation has several outputs."""
    builder = BUILDER.get()
    try:
        tensors = convert_inputs(op, inputs)
        if builder is not None:
            result = builder.record(op, tensors, attrs, name)
            return result if BEHAVIOR.note is None else BEHAVIOR.note(op, inputs, result)
    except REFUSALS as error:
        result = call_for_composites(op, inputs, attrs)
        if result is not NotImplemented:
            return result
        if builder is None or not isinstance(error, TypeError):
            raise
        adopted = builder.promoted(op, inputs)
        if adopted is None:
            error.operands = inputs  # type: ignore[attr-defined]  # a loop may widen them
            raise
        return apply(op, adopted, attrs, name)
    result = RUNNERS[-1](op, tensors, attrs) if RUNNERS else run_by_kernel(op, tensors, attrs)
    return result if BEHAVIOR.note is None else BEHAVIOR.note(op, inputs, result)


def convert_inputs(op: Op, inputs: tuple) -> list:
    """Tensors, and NumPy arrays for what was written as a number: they adopt the tensors' types."""
    if BEHAVIOR.on and len(inputs) > 1:
        inputs = BEHAVIOR.promote(op, inputs)  # type: ignore[misc]  # set where it is on
    converted: list = [None] * len(inputs)
    hint: DType | None = None
    for index, item in enumerate(inputs):
        if not isinstance(item, Tensor):
            if type(item) in _LITERALS:
                continue
            item = tensor_of(item)
            if item is None:
                continue
        converted[index] = item
        if hint is None and op.alike[op.input_index(index)]:
            hint = item.dtype
    for index, item in enumerate(inputs):
        if converted[index] is None:
            position = op.input_index(index)
            converted[index] = array = _literal(
                op, position, item, hint if op.alike[position] else None
            )
            if hint is None and op.alike[position]:
                hint = array.dtype if isinstance(array, Tensor) else FROM_NUMPY[array.dtype]
    return converted


_LITERALS = {int, float, bool, str, bytes, complex, np.ndarray}


def _literal(op: Op, position: int, item, hint: DType | None):
    """A value that is no tensor yet, as an array of the type it should adopt."""
    if isinstance(item, (list, tuple)) and holds_tensor(item):
        return pack(item, hint)
    if isinstance(item, (list, tuple)) and not item and float32 not in op.accepts[position]:
        return np.zeros(0, np.int32)  # [] says nothing of its type, and may well be a shape
    try:
        if hint is not None and hint.is_floating and isinstance(item, (np.ndarray, np.generic)):
            item = np.asarray(item)
            if is_floating(item.dtype):
                return item.astype(hint.numpy_dtype)
        return to_array(item, hint)
    except TypeError as error:
        cure = _cure_of_literal(item, hint)
        raise TypeError(f"{op.name}: '{op.inputs[position]}': {error}{cure}") from None


def _cure_of_literal(item, hint: DType | None) -> str:
    """The cast with which a float beside an integer tensor becomes an operand."""
    if hint is None or not hint.is_integer or not isinstance(item, float):
        return ""
    operands = [operand for operand in users_operands(2) or () if operand != repr(item)]
    cure = f"\nCast the tensor: ag.cast({operands[0]}, ag.float32)" if operands else ""
    return in_users_words(cure)


def tensor_of(item) -> Tensor | None:
    """The tensor that an object stands for (a variable's value, say), or None."""
    if isinstance(item, Tensor):
        return item
    convert = getattr(type(item), "__tf_tensor__", None)
    return None if convert is None else convert(item)


def holds_tensor(item) -> bool:
    tensor = tensor_of(item)
    return tensor is not None or (isinstance(item, (list, tuple)) and any(map(holds_tensor, item)))


def pack(items, dtype: DType | None = None) -> Tensor:
    """A list that holds tensors, stacked into one tensor."""
    return late.stack(
        [
            pack(item, dtype)
            if isinstance(item, (list, tuple)) and tensor_of(item) is None
            else item
            for item in items
        ]
    )


def run_by_kernel(op: Op, tensors: list, attrs: dict[str, Any]):
    arrays = []
    for index, tensor in enumerate(tensors):
        if type(tensor) is SymbolicTensor:
            raise out_of_scope(tensor)
        if type(tensor) is not EagerTensor and not isinstance(tensor, EagerTensor):
            tensors[index] = tensor = EagerTensor(tensor)
        arrays.append(tensor.array)
    op.check_types(tensors)
    token = enter_errstate()
    try:
        result = run_observed(op, arrays, attrs) if OBSERVERS else op.kernel(*arrays, **attrs)
    except (ValueError, TypeError, IndexError) as error:
        if isinstance(error, Error) or op.runs_python or is_from_handler(error):
            raise
        _explain(op, arrays, attrs, error)
    finally:
        restore(token)
    results: EagerTensor | tuple[EagerTensor, ...]
    if type(result) is tuple:
        results = tuple(
            EagerTensor(part if hasattr(part, "dtype") else object_array(part)) for part in result
        )
    else:
        results = EagerTensor(result if hasattr(result, "dtype") else object_array(result))
    if TAPES:
        note(None, op, tensors, attrs, results if isinstance(results, tuple) else (results,))
    return results


def object_array(result) -> np.ndarray:
    """NumPy gives bare Python objects for rank 0 of object arrays, which hold texts."""
    return np.array(result) if isinstance(result, bool) else np.array(result, object)


def _explain(op: Op, arrays, attrs, error: Exception):
    """Raise what the result rule says of these shapes, or the kernel's own words."""
    values = [
        Value(FROM_NUMPY[array.dtype], array.shape, name, np.asarray(array))
        for array, name in zip(arrays, op.inputs * len(arrays), strict=False)
    ]
    op.result_of(values, attrs)
    described = ", ".join(describe(value) for value in values)
    raise InvalidArgumentError(f"{op.name}({described}): {error}") from None


@public("convert_to_tensor")
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """A tensor of `value`: tensors pass through, numbers and arrays are copied.

    Raises TypeError where `value` is a tensor of another type than `dtype`, or cannot be converted.

    >>> ag.convert_to_tensor([1, 2]).dtype
    ag.int32
    """
    target = None if dtype is None else as_dtype(dtype)
    tensor = tensor_of(value)
    if tensor is None and isinstance(value, (list, tuple)) and holds_tensor(value):
        tensor = pack(value, target)
    if tensor is not None:
        if target is not None and tensor.dtype is not target:
            cure = conversion("x", tensor.dtype, target)
            wanted = f"a tensor of {tensor.dtype.name} was given where {target.name} is asked for"
            raise ValueError(in_users_words(f"{wanted}: {cure}"))
        return tensor
    if target is None and dtype_hint is not None:
        try:
            return constant_of(to_array(value, as_dtype(dtype_hint)))
        except TypeError:
            pass
    tensor = constant_of(to_array(value, target))
    if BEHAVIOR.weaken is not None and target is None and is_python_number(value):
        BEHAVIOR.weaken(tensor)
    return tensor


def constant_of(array, name: str | None = None) -> Tensor:
    """A tensor of an array: eager, or a constant node of the graph being built."""
    builder = BUILDER.get()
    return EagerTensor(array) if builder is None else builder.constant(array, name)


@public("get_static_value")
def get_static_value(tensor, partial: bool = False):
    """The value of a tensor as a NumPy array where it is known now, else None.

    While a function is traced it is known of constants, and of what is computed of them. With
    `partial`, unknown elements of a vector of sizes are None.

    >>> ag.get_static_value(ag.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    tensor = convert_to_tensor(tensor)
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    constant = tensor.graph_value.constant
    return constant if partial or constant is None else full_constant(tensor.graph_value)


@public("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether operations run at once (True), or are recorded into a graph (False)."""
    return BUILDER.get() is None


@public("inside_function")
def inside_function() -> bool:
    """Whether a graph is being built here."""
    return BUILDER.get() is not None


@public("is_tensor")
def is_tensor(x) -> bool:
    """Whether `x` is a tensor, ragged or sparse ones included, or stands for one as variables do.

    >>> ag.is_tensor(ag.constant(1)), ag.is_tensor(ag.Variable(1)), ag.is_tensor(1)
    (True, True, False)
    """
    stands = hasattr(type(x), "__tf_tensor__") or hasattr(type(x), "__tf_differentiable__")
    return isinstance(x, Tensor) or stands


@public("is_symbolic_tensor")
def is_symbolic_tensor(tensor) -> bool:
    """Whether `tensor` is one of a graph, whose value is known only when the graph runs."""
    return isinstance(tensor, SymbolicTensor)
