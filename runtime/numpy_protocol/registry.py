"""NumPy functions that trace: each has a form in operations of ours, under NumPy's parameters."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops  # noqa: F401 - their names are used below
from ..core.errors import SymbolicValueError, UnimplementedError
from ..core.public_names import PUBLIC, lookup
from ..tensors.apply import BUILDER
from ..tensors.numpy_behavior_switch import BEHAVIOR
from ..tensors.tensor import Operators, SymbolicTensor, Tensor

TRACED: dict[Any, Callable] = {}

# Parameters that NumPy's functions have, and graphs no use for: only their defaults are taken.
UNUSED = ("out", "where", "initial", "order", "casting", "subok", "kind", "like", "device")


class _Public:
    """The public names, as in `ag.reduce_sum`."""

    def __getattr__(self, name: str):
        found = lookup(name)
        if found is None:
            raise AttributeError(name)
        return found


ag = _Public()


def traces(*functions):
    """Register the traced form of NumPy functions; it has their parameters, in their order."""

    def register(form):
        form.signature = inspect.signature(form)
        for function in functions:
            TRACED[function] = form
        return form

    return register


def name_of(function) -> str:
    """What users call a NumPy function; a ufunc of another package has only its own name.

    >>> name_of(np.linalg.norm), name_of(np.frompyfunc(abs, 1, 1))
    ('np.linalg.norm', 'abs (vectorized)')
    """
    if isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is not function:
        return function.__name__
    module = getattr(function, "__module__", None) or "numpy"
    return f"np{module.removeprefix('numpy')}.{function.__name__}"


def apply_function(function, types, args, kwargs):
    """What `__array_function__` answers for tensors.

    With a symbolic tensor among the arguments the traced form is recorded; else NumPy computes on
    the arrays, and the result is NumPy's.
    """
    if not all(issubclass(kind, (np.ndarray, Operators)) for kind in types):
        return NotImplemented
    if is_symbolic(args) or is_symbolic(kwargs):
        return apply_form(function, args, kwargs)
    if BEHAVIOR.on and function in TRACED:
        with contextlib.suppress(UnimplementedError):
            return apply_form(function, args, kwargs)
    return function(*as_arrays(args), **as_arrays(kwargs))


def apply_form(function, args, kwargs):
    """The traced form on these arguments; where there is none, an error names the alternative."""
    form = TRACED.get(function)
    if form is None:
        raise SymbolicValueError(
            f"{name_of(function)} has no form that a graph can hold", alternative_to(function)
        )
    given = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    try:
        bound = form.signature.bind(*args, **given)
    except TypeError as error:
        raise UnimplementedError(
            f"{name_of(function)} on symbolic tensors: {error}", alternative_to(function)
        ) from None
    _check_unused(function, form.signature, bound)
    return form(*bound.args, **bound.kwargs)


def _check_unused(function, signature, bound) -> None:
    for name in UNUSED:
        if name not in bound.arguments:
            continue
        given, default = bound.arguments[name], signature.parameters[name].default
        if given is not default and not (isinstance(given, str) and given in ("C", "K", "A")):
            raise UnimplementedError(
                f"{name_of(function)} on symbolic tensors takes no '{name}'",
                alternative_to(function),
            )


ROOMS = ("math", "linalg", "nn", "random")


def alternative_to(function) -> str:
    """What to write in place of a NumPy function that does not trace."""
    name = function.__name__
    wanted = (name, "reduce_" + name)
    same = [
        public
        for public in PUBLIC
        if public.split(".")[-1] in wanted and public.partition(".")[0] in {*wanted, *ROOMS}
    ]
    if same:
        return f"Use ag.{min(same, key=len)}."
    return (
        f"Call it when the graph runs: ag.numpy_function({name_of(function)}, [x], Tout=x.dtype)."
    )


# ---- arguments -------------------------------------------------------------------------------


def is_symbolic(value) -> bool:
    """Whether a value is, or holds, a tensor that has no value yet."""
    if isinstance(value, Operators):
        return isinstance(value, SymbolicTensor) or (
            not isinstance(value, Tensor) and BUILDER.get() is not None
        )
    if isinstance(value, (list, tuple)):
        return any(map(is_symbolic, value))
    return isinstance(value, dict) and any(map(is_symbolic, value.values()))


def as_arrays(value):
    """The same structure with NumPy arrays in place of tensors."""
    if isinstance(value, Operators):
        return np.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(map(as_arrays, value))
    if type(value) is dict:
        return {key: as_arrays(item) for key, item in value.items()}
    return value


def rank_of(tensor) -> int:
    """The rank, which a traced form has to know."""
    if tensor.dims is None:
        raise SymbolicValueError(
            f"the rank of {tensor} is not known while tracing",
            "Tell it: x = ag.ensure_shape(x, [None, None]).",
        )
    return len(tensor.dims)


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front; NumPy's AxisError where there is none."""
    return np.lib.array_utils.normalize_axis_index(axis, rank)


def axes_of(axis, rank: int) -> tuple[int, ...]:
    return np.lib.array_utils.normalize_axis_tuple(axis, rank)


def sizes_of(tensor) -> list:
    """The size of each axis: an integer, or a scalar tensor where it is known only later."""
    shape = tensor.dims
    return [
        ag.shape(tensor)[place] if size is None else size
        for place, size in enumerate(shape or [None] * rank_of(tensor))
    ]
