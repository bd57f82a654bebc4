"""The leaves of state: tensors, values that can become tensors, and deferred tensors."""

from __future__ import annotations

import numpy as np

from ...runtime.core.dtypes import FROM_NUMPY, bool_, string
from ...runtime.core.shapes import show
from ...runtime.core.user_source import users_test
from ...runtime.ir.graph import describe
from ...runtime.ops.control.loop_results import NONE_BEFORE
from ...runtime.tensors.apply import convert_to_tensor, tensor_of
from ...runtime.tensors.array_conversion import to_array
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.operation import ops
from ...runtime.tensors.python_numbers import as_number, is_range, note_types, represents
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from . import nest
from .errors import InconsistentBranchError

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


class Deferred:
    """A leaf whose tensor is created when its shape is known, by `tensor(shape)`."""

    dtype = None

    def of_type(self, dtype) -> Deferred:
        """The same leaf, with this dtype unless it has one."""
        self.dtype = self.dtype or dtype
        return self

    def tensor(self, shape) -> Tensor:
        raise NotImplementedError


class DeferredInLoop(Deferred):
    """A deferred leaf inside a loop: its tensor is loop-carried, and created on first use."""

    def __init__(self, start: Deferred, builder: Builder, name: str):
        self.start = start
        self.dtype = start.dtype
        self.builder = builder
        self.name = name
        self.carried: Tensor | None = None

    def of_type(self, dtype) -> Deferred:
        self.dtype = self.start.of_type(dtype).dtype
        return self

    def tensor(self, shape) -> Tensor:
        if self.carried is None:
            self.carried = self.builder.input(self.dtype, shape, self.name)
        return self.carried


def still_none(value):
    """Whether a value is still the None before a loop that sets it: a truth of the graph, or False
    where no loop does.
    """
    for leaf in nest.flatten(value):
        node = leaf.op if isinstance(leaf, SymbolicTensor) else None
        if node is not None and node.type == "SetByLoop" and node.attrs["reason"] == NONE_BEFORE:
            return ops.logical_not(SymbolicTensor(node.inputs[1], leaf.builder))
    return False


def as_test(value) -> Tensor:
    """A boolean scalar by Python's truth rules: nonzero numbers and nonempty strings are true.

    As in NumPy, a tensor with axes has a truth if it has one element; this is checked when the
    graph runs, where it is not known before.
    """
    if hasattr(type(value), "__tf_truth__"):
        return value.__tf_truth__()
    if isinstance(value, tuple):  # that a loop has set, or else it is still None
        is_none = still_none(value)
        return ops.logical_not(not value if is_none is False else is_none)
    tensor = convert_to_tensor(value)
    if is_range(tensor):
        return ops.shape(tensor)[0] > 0  # type: ignore[operator]
    if tensor.dims and set(tensor.dims) <= {1, None}:
        tensor = ops.ensure_shape(tensor, shape=(1,) * len(tensor.dims))  # type: ignore[operator]
        tensor = ops.reshape(tensor, [])  # type: ignore[operator]
    if tensor.dims not in ((), None):
        test = (users_test() or "x") + ("" if tensor.dtype is bool_ else " != 0")
        raise InconsistentBranchError(
            f"the truth of a tensor of shape {show(tensor.dims)} is ambiguous",
            f"Reduce it first, for example with ag.reduce_any({test}) or ag.reduce_all({test}). "
            "For each element, write ag.where(test, a, b), and `&`, `|`, `~` for `and`, `or`, "
            "`not`.",
        )
    if tensor.dtype is bool_:
        return tensor
    return tensor != ("" if tensor.dtype is string else 0)


def adopt(leaf, hint):
    """A leaf as a tensor, or None. A Python number becomes a `hint` that can represent it."""
    tensor = tensor_of(leaf)
    if tensor is not None:
        return tensor if hint is None else as_number(tensor, hint)
    if not isinstance(leaf, (*NUMBERS, str, bytes)):
        return None
    tensor = convert_to_tensor(to_array(leaf))
    is_number = type(leaf) in (int, float) and hint is not None and hint is not tensor.dtype
    if is_number and represents(hint, leaf):
        tensor = convert_to_tensor(to_array(leaf, hint))
    note_types(tensor, leaf)
    return tensor


def dtype_of_number(leaf):
    """The data type that a Python leaf gets as a tensor, or None."""
    if not isinstance(leaf, (*NUMBERS, str, bytes)):
        return None
    return FROM_NUMPY[to_array(leaf).dtype]


def blank(leaf, builder, name) -> Tensor:
    """A placeholder of the same type and shape, for a value that this side does not set."""
    leaf = _unchecked(leaf)
    tensor = tensor_of(leaf)
    dtype = tensor.dtype if tensor is not None else dtype_of_number(leaf)
    if dtype is None:
        return leaf
    shape = () if tensor is None else tuple(size or 0 for size in tensor.dims or ())
    with builder:
        blank = (
            np.full(shape, b"", object) if dtype is string else np.zeros(shape, dtype.numpy_dtype)
        )
        filled = builder.constant(blank)
    note_types(filled, leaf)
    return filled


def dtype_of(leaf):
    tensor = tensor_of(leaf)
    return None if tensor is None else tensor.dtype


def _unchecked(leaf):
    """A leaf, or what it is if it is not None: asking for its type records no check."""
    unchecked = getattr(type(leaf), "__tf_unchecked__", None)
    return leaf if unchecked is None else unchecked(leaf)


def is_tensor(leaf) -> bool:
    return tensor_of(_unchecked(leaf)) is not None


def can_be_tensor(leaf) -> bool:
    return is_tensor(leaf) or dtype_of_number(leaf) is not None


def holds_tensor(value) -> bool:
    return any(map(is_tensor, nest.flatten(value)))


def described(value) -> str:
    """How messages name a value: `float32 with shape (3,)`, `None`, `a list`."""
    tensor = tensor_of(value)
    if tensor is not None:
        return describe(tensor)  # type: ignore[arg-type]  # it reads what tensors have too
    if value is None:
        return "None"
    return f"the {type(value).__name__} {value!r}"
