"""Constraints: functions of weights that optimizers apply after each step."""

from __future__ import annotations

from .... import cast, clip_by_value, convert_to_tensor, reduce_sum
from ..registry import Configured, finder, keras_class

constraint = keras_class("constraints")
TINY = 1e-7  # keeps quotients finite


class Constraint(Configured):
    """Base class of constraints: `constraint(w)` gives the weights that replace `w`."""

    def __call__(self, w):
        raise NotImplementedError(f"{type(self).__name__} does not define `__call__`")


constraint(Constraint)


def _norms(w, axis):
    return reduce_sum(w * w, axis=axis, keepdims=True) ** 0.5


@keras_class("constraints", "max_norm")
class MaxNorm(Constraint):
    """Scales vectors along `axis` down to a norm of at most `max_value`.

    >>> ag.keras.constraints.MaxNorm(1.0)([[3.0], [4.0]]).numpy().round(2)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        w = convert_to_tensor(w)
        norms = _norms(w, self.axis)
        return w * (clip_by_value(norms, 0, self.max_value) / (norms + TINY))


@keras_class("constraints", "non_neg")
class NonNeg(Constraint):
    """Replaces negative weights by 0.

    >>> ag.keras.constraints.NonNeg()([0.5, 2.0]).numpy()
    array([0.5, 2. ], dtype=float32)
    """

    def __call__(self, w):
        w = convert_to_tensor(w)
        return w * cast(w >= 0, w.dtype)


@keras_class("constraints", "unit_norm")
class UnitNorm(Constraint):
    """Scales vectors along `axis` to norm 1.

    >>> ag.keras.constraints.UnitNorm()([[3.0], [4.0]]).numpy().round(2)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        w = convert_to_tensor(w)
        return w / (_norms(w, self.axis) + TINY)


@keras_class("constraints", "min_max_norm")
class MinMaxNorm(Constraint):
    """Moves the norms of vectors along `axis` into a range, by the share `rate`.

    >>> ag.keras.constraints.MinMaxNorm(0.0, 1.0)([[3.0], [4.0]]).numpy().round(2)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w):
        w = convert_to_tensor(w)
        norms = _norms(w, self.axis)
        wanted = clip_by_value(norms, self.min_value, self.max_value)
        return w * ((self.rate * wanted + (1 - self.rate) * norms) / (norms + TINY))


get = finder("constraints")
