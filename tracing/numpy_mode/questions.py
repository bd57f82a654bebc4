"""What a value of the graph is asked about itself: its class, its attributes, which object it is.

The answer is that for the value that it stands for in Python, or the trace is refused.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from ...autograph.operators.undefined import Undefined
from ...runtime.ir.op import TABLE as OPS
from .calls.samples import sample_number
from .iteration import TracedRange
from .lists.deques import GrowingDeque
from .lists.record_arrays import TracedRecords
from .lists.traced_list import TracedList
from .lists.traced_tables import TracedDict, TracedTable
from .refusal import RefusedError, WithoutText, noun, numpy_trace
from .statements.tuples import Maybe
from .traced_array import TracedArray
from .traced_scalar import TracedScalar, is_mixed

PACKAGE = __name__.partition(".")[0]


def sample_of(value):
    """A value of the class that a value of the graph has in Python; other values as they are."""
    if isinstance(value, TracedArray):
        return np.zeros((1,) * value.ndim, value.dtype)
    if type(value) is TracedScalar:
        if value.others or value.none is not None:
            raise RefusedError("the class of a number that is of one of two types")
        return sample_number(value, 1)
    if isinstance(value, TracedTable):
        return value.cls() if type(value) is TracedDict else set()
    if isinstance(value, TracedList):
        return deque([0]) if type(value) is GrowingDeque else [0]
    if isinstance(value, TracedRecords):
        array = np.zeros((1,) * value.first.ndim, value.dtype).view(value.cls)
        return array if value.key is None else array[(0,) * array.ndim]
    if isinstance(value, TracedRange):
        return range(1)
    if isinstance(value, Undefined):
        raise value.error()
    if _is_stand_in(value):
        raise RefusedError(f"the class of {noun(value)}")
    return value


def _is_stand_in(value) -> bool:
    """Whether a value is one of the trace's own, which stands for another one."""
    is_own = type(value).__module__.partition(".")[0] == PACKAGE
    return is_own and not getattr(type(value), "is_jit_function", False)


def _noted(name: str) -> str:
    """The name of an attribute, which may be computed, for guards to compare."""
    numpy_trace().guards.asked.add(name)
    return name


def attribute_of(value, name: str, *default):
    if not isinstance(value, (Undefined, WithoutText)):
        return getattr(value, _noted(name), *default)
    sample = sample_of(value)
    if isinstance(value, TracedRecords) and name in value.fields and hasattr(sample, name):
        return value[name]
    if name == "__class__" or not hasattr(sample, name):
        return getattr(sample, name, *default)  # which may raise
    if name.startswith("__") or not hasattr(value, name):
        raise RefusedError(f"the attribute {name!r} of a computed value")
    return getattr(value, name)


# Classes that patterns of sequences and mappings match; NumPy's arrays since NumPy 2.5.
_MATCHED = tuple(
    cls for cls in (list, deque, range, dict, np.ndarray) if cls.__flags__ & (1 << 5 | 1 << 6)
)


def matched(value):
    """A value that Python matches with a pattern, of the same kind of container as in Python."""
    if isinstance(sample_of(value), _MATCHED) and _is_stand_in(value):
        raise RefusedError(f"{noun(value)} of computed items is matched with a pattern")
    return value


# ---- identity --------------------------------------------------------------------------------

# Equal values of other classes may be one object in one call, and two in another one.
_WITH_IDENTITY = (
    bool, type, Enum, types.ModuleType, types.BuiltinFunctionType, types.NotImplementedType,
    types.EllipsisType, np.ufunc,
)  # fmt: skip


def _has_identity(value) -> bool:
    """Whether a value is the same object in each call that the trace serves, and no stand-in."""
    is_known = type(value) is object or isinstance(value, _WITH_IDENTITY)
    return is_known and not _is_stand_in(value)


def is_(left, right):
    """`left is right`, or a number that says whether it is."""
    if left is None or right is None:
        return _is_none(right if left is None else left)
    for value, truth in ((left, right), (right, left)):
        if isinstance(value, Undefined):
            raise value.error()
        if type(value) is TracedScalar and type(truth) is bool:
            return _is_truth(value, truth)
    if left is right and isinstance(left, (TracedArray, types.FunctionType)):
        return True
    if _has_identity(left) or _has_identity(right):
        return left is right
    if _code_of(left) is not _code_of(right):
        return False
    raise RefusedError(f"whether {noun(left)} and {noun(right)} are one object")


def _code_of(value):
    return value.__code__ if type(value) is types.FunctionType else None


def _is_truth(value: TracedScalar, truth: bool):
    """Whether a number is this one of Python's truths."""
    if value.others:
        raise RefusedError("whether a number of one of two types is True or False")
    if value.python is not bool:
        return False
    holds = value.unchecked if truth else OPS["logical_not"](value.unchecked)
    if value.none is not None:
        holds = OPS["logical_and"](OPS["logical_not"](value.none), holds)
    return TracedScalar(holds, bool, 1)


def _is_none(value):
    if value is None:
        return True
    if isinstance(value, Undefined):
        raise value.error()
    is_either = type(value) in (TracedScalar, Maybe) and value.none is not None
    return TracedScalar(value.none, bool, 1) if is_either else False


def _is_instance(value, classes) -> bool:
    """`isinstance`, which may be the same for all types that a number has."""
    if type(value) is TracedScalar and is_mixed(value) and value.none is None:
        answers = {issubclass(cls, classes) for cls in value.types}
        if len(answers) == 1:
            return answers.pop()
    return isinstance(sample_of(value), classes)


INSPECTIONS: dict[Any, Callable] = {
    isinstance: _is_instance,
    type: lambda value, *more: type(value, *more) if more else type(sample_of(value)),
    callable: lambda value: callable(sample_of(value)),
    hasattr: lambda value, name: hasattr(sample_of(value), _noted(name)),
    getattr: attribute_of,
}
