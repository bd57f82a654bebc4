"""`enable_numpy_behavior`: tensors with the methods of NumPy arrays and NumPy's type promotion."""

from __future__ import annotations

import numpy as np

from ..core.public_names import public
from ..tensors.numpy_behavior_switch import BEHAVIOR
from ..tensors.tensor import ARRAY_METHODS, Operators
from .promotion import promoted_inputs, tensor
from .registry import ag, apply_function, sizes_of


@public(
    "experimental.numpy.experimental_enable_numpy_behavior", "experimental.enable_numpy_behavior"
)
def enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy", enabled: bool = True
) -> None:
    """Make tensors behave like NumPy arrays, in the whole process.

    Operands of different dtypes are promoted by NumPy's rules instead of raising an error. Tensors
    have the methods of arrays: `x.T`, `x.reshape(2, 3)`, `x.astype("int32")`, `x.sum()`. NumPy's
    functions return tensors. With `prefer_float32`, results are float32 where NumPy gives
    float64, unless an argument is an array of float64 or names that dtype. The only
    `dtype_conversion_mode` is "legacy", which is NumPy's. `enabled=False` switches all of it off.

    >>> import allograph as ag
    >>> ag.experimental.enable_numpy_behavior()
    >>> x = ag.constant([[1, 2], [3, 4]])
    >>> (x.T + ag.constant(0.5)).sum().dtype
    ag.float64
    >>> ag.experimental.enable_numpy_behavior(enabled=False)

    Raises ValueError for another `dtype_conversion_mode`.
    """
    if dtype_conversion_mode != "legacy":
        raise ValueError(f"dtype_conversion_mode is 'legacy', not {dtype_conversion_mode!r}")
    from . import traced_implementations  # noqa: F401 - 1,300 lines that most programs never use

    BEHAVIOR.on = enabled
    BEHAVIOR.promote = promoted_inputs
    BEHAVIOR.prefer_float32 = enabled and prefer_float32
    for name in ARRAY_METHODS:
        if enabled:
            setattr(Operators, name, MEMBERS[name])
        elif name in vars(Operators):
            delattr(Operators, name)


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
    return ag.cast(self, dtype)


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
    return int(np.prod(sizes)) if all(isinstance(one, int) for one in sizes) else ag.size(self)


FUNCTIONS = {
    "all": np.all, "any": np.any, "argmax": np.argmax, "argmin": np.argmin, "argsort": np.argsort,
    "clip": np.clip, "copy": np.copy, "cumprod": np.cumprod,
    "cumsum": np.cumsum, "diagonal": np.diagonal, "dot": np.dot, "flatten": np.ravel,
    "max": np.max, "mean": np.mean, "min": np.min, "nonzero": np.nonzero, "prod": np.prod,
    "ravel": np.ravel, "repeat": np.repeat, "round": np.round, "searchsorted": np.searchsorted,
    "squeeze": np.squeeze, "std": np.std, "sum": np.sum, "swapaxes": np.swapaxes, "take": np.take,
    "trace": np.trace, "var": np.var,
}  # fmt: skip
MEMBERS = {
    **{name: _method(function) for name, function in FUNCTIONS.items()},
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
