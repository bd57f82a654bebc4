"""`enable_numpy_behavior`: tensors with the methods of NumPy arrays and NumPy's type promotion."""

from __future__ import annotations

import numpy as np

from ..core.public_names import public
from ..tensors.apply import BEHAVIOR
from ..tensors.missing_members import MissingMember
from ..tensors.tensor import Operators
from . import weak_types
from .promotion import named_dtype, promoted_inputs, tensor
from .registry import METHODS, ag, apply_function, sizes_of


@public("experimental.enable_numpy_behavior")
def enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy", enabled: bool = True
) -> None:
    """Make tensors behave like NumPy arrays, in the whole process.

    Operands of different dtypes are promoted by NumPy's rules instead of raising an error. Tensors
    have the methods of arrays: `x.T`, `x.reshape(2, 3)`, `x.astype("int32")`, `x.sum()`. NumPy's
    functions return tensors. With `prefer_float32`, results are float32 where NumPy gives
    float64, unless an argument is an array of float64 or names that dtype. `enabled=False` switches
    all of it off.

    `dtype_conversion_mode` is "legacy", "all" or "safe". With "legacy" promotion is NumPy's. With
    "all", Python numbers, and constants made of them, have weak types, which adopt those of other
    operands: float32 beside a Python float stays float32. What is computed of weak types alone is
    weak. With "safe", promotion to a type that is wider than both, or less precise, is an error.
    Arguments of decorated functions are weak where they are outside; results of these functions
    are not.

    >>> ag.experimental.enable_numpy_behavior()
    >>> x = ag.constant([[1, 2], [3, 4]])
    >>> (x.T + ag.constant(0.5)).sum().dtype
    ag.float64
    >>> ag.experimental.enable_numpy_behavior(enabled=False)

    Raises ValueError for another `dtype_conversion_mode`, and for `prefer_float32` with one of weak
    types.
    """
    mode = str(getattr(dtype_conversion_mode, "value", dtype_conversion_mode)).lower()
    if mode not in ("legacy", "all", "safe"):
        raise ValueError(
            f"dtype_conversion_mode is 'legacy', 'all' or 'safe', not {dtype_conversion_mode!r}"
        )
    if prefer_float32 and mode != "legacy":
        raise ValueError("prefer_float32 goes with dtype_conversion_mode='legacy'")
    BEHAVIOR.on = enabled
    is_weak = enabled and mode != "legacy"
    BEHAVIOR.mode = mode if enabled else "legacy"
    BEHAVIOR.promote = weak_types.promoted_inputs if is_weak else promoted_inputs
    BEHAVIOR.note = weak_types.marked if is_weak else None
    BEHAVIOR.weaken = weak_types.weakened if is_weak else None
    BEHAVIOR.is_weak = weak_types.is_weak if is_weak else None
    BEHAVIOR.prefer_float32 = enabled and prefer_float32
    for name in MEMBERS:
        setattr(Operators, name, MEMBERS[name] if enabled else MissingMember(name))


def _method(function):
    def method(self, *args, **kwargs):
        return apply_function(function, (), (self, *args), kwargs)

    method.__name__ = function.__name__
    method.__doc__ = f"The same as `np.{function.__name__}`."
    return method


def _reshape(self, *shape, order="C"):
    """The same elements in another shape: `x.reshape(2, 3)` or `x.reshape([2, 3])`."""
    return ag.reshape(self, shape[0] if len(shape) == 1 else list(shape))


def _transpose(self, *axes):
    """The axes permuted, by default reversed."""
    order = axes[0] if len(axes) == 1 else axes or None
    return apply_function(np.transpose, (), (self, order), {})


def _astype(self, dtype):
    """The elements converted to another dtype."""
    return ag.cast(self, named_dtype(dtype))


def _tolist(self):
    """The elements as nested lists of Python scalars."""
    return np.asarray(self).tolist()


def _compress(self, condition, axis=None):
    """The slices along an axis for which `condition` is true."""
    return apply_function(np.compress, (), (condition, self, axis), {})


def _conj(self):
    """The complex conjugate of each element."""
    return np.conjugate(self)


def _size(self):
    sizes = sizes_of(tensor(self))
    return int(np.prod(sizes)) if all(isinstance(size, int) for size in sizes) else ag.size(self)


MEMBERS = {
    **{name: _method(function) for name, function in METHODS.items()},
    "T": property(ag.transpose, doc="The axes in reverse order."),
    "real": property(lambda self: apply_function(np.real, (), (self,), {}), doc="The real part."),
    "imag": property(lambda self: apply_function(np.imag, (), (self,), {}), doc="Imaginary part."),
    "size": property(_size, doc="The number of elements."),
    "itemsize": property(lambda self: self.dtype.size, doc="The size of an element in bytes."),
    "nbytes": property(lambda self: self.size * self.dtype.size, doc="The size in bytes."),
    "compress": _compress,
    "conj": _conj,
    "astype": _astype,
    "reshape": _reshape,
    "tolist": _tolist,
    "transpose": _transpose,
}
