"""What public functions mean for extension types: `experimental.dispatch_for_api` and its family.

A function is asked first, so calls with tensors pay nothing. When it refuses an extension value,
the functions registered for it are tried; see `runtime.core.tracebacks`.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from ...extend.operations import (
    Operation,
    bool_like_input,
    broadcast_to_bool,
    broadcast_together,
    real_like_input,
    same_as_input,
)
from ...extend.registration import public

ELEMENTWISE = {
    same_as_input, bool_like_input, real_like_input, broadcast_together, broadcast_to_bool
}  # fmt: skip


class _Target(NamedTuple):
    """A function registered for an API, and the types that its parameters need."""

    function: Callable
    types: dict[str, Any]


_TARGETS: dict[Any, list[_Target]] = {}
_FOR_ELEMENTS: dict[int, list[tuple[Callable, tuple]]] = {1: [], 2: []}


def _declared(api):
    """The function or operation behind a public name."""
    return getattr(api, "__wrapped__", api)


def _fits(value, wanted) -> bool:
    """Whether a value has a type, a union of types, or is a list of them."""
    origin = typing.get_origin(wanted)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in typing.get_args(wanted))
    if origin in (list, tuple) or (origin is not None and issubclass(origin, typing.Iterable)):
        (item, *_) = typing.get_args(wanted)
        return isinstance(value, (list, tuple)) and all(_fits(one, item) for one in value)
    return isinstance(value, wanted) if isinstance(wanted, type) else True


def _is_elementwise(api, count: int) -> bool:
    """Whether an API computes each element of its result from an element of `count` tensors."""
    if isinstance(api, Operation):
        return len(api.inputs) == count and api.result in ELEMENTWISE
    return getattr(api, "__tf_elementwise__", 0) == count


def dispatch(api, args, kwargs):
    """The result of the function registered for these arguments, else NotImplemented."""
    parameters = list(inspect.signature(api).parameters)
    given = {**dict(zip(parameters, args, strict=False)), **kwargs}
    for target in reversed(_TARGETS.get(api, ())):
        if all(name in given and _fits(given[name], type_) for name, type_ in target.types.items()):
            return target.function(*args, **kwargs)
    for count, handlers in _FOR_ELEMENTS.items():
        operands = [given[name] for name in parameters[:count] if name in given]
        if len(operands) < count or not _is_elementwise(api, count):
            continue
        rest = {name: one for name, one in given.items() if name not in parameters[:count]}
        rest.pop("name", None)
        for handler, wanted in reversed(handlers):
            if all(map(_fits, operands, wanted)):
                return handler(_with_options(api, rest), *operands)
    return NotImplemented


def _with_options(api, options: dict):
    """The API as a function of tensors alone."""
    return (lambda *operands: api(*operands, **options)) if options else api


@public("experimental.dispatch_for_api")
def dispatch_for_api(api, *signatures):
    """Decorator for a function that says what the public function `api` means for extension types.

    A signature is a dict of parameter names (or positions) and types; without one, the annotations
    of the function are it. The function has the parameters of `api`.

    >>> import allograph as ag
    >>> class Masked(ag.experimental.ExtensionType):
    ...     values: ag.Tensor
    ...     mask: ag.Tensor
    >>> @ag.experimental.dispatch_for_api(ag.add)
    ... def add_masked(x: Masked, y: Masked, name=None):
    ...     return Masked(x.values + y.values, x.mask & y.mask)
    >>> m = Masked([1, 2], [True, False])
    >>> ag.add(m, m).values.numpy()
    array([2, 4], dtype=int32)

    Raises ValueError if no parameter has a type.
    """
    api = _declared(api)
    names = list(inspect.signature(api).parameters)

    def register(function):
        wanted = [dict(one) for one in signatures] or [_annotated(function)]
        for one in wanted:
            by_name = {names[key] if isinstance(key, int) else key: one[key] for key in one}
            if not by_name:
                raise ValueError(f"{function.__name__}: no parameter has a type; annotate them")
            _TARGETS.setdefault(api, []).append(_Target(function, by_name))
        return function

    return register


def _annotated(function) -> dict:
    hints = typing.get_type_hints(function)
    return {name: type_ for name, type_ in hints.items() if name not in ("return", "name")}


@public("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type):
    """Decorator for a function that says what functions of each element mean for a type.

    It gets the function of tensors, and the value.

    >>> import allograph as ag
    >>> class Scaled(ag.experimental.ExtensionType):
    ...     values: ag.Tensor
    >>> @ag.experimental.dispatch_for_unary_elementwise_apis(Scaled)
    ... def on_values(function, x):
    ...     return Scaled(function(x.values))
    >>> ag.abs(Scaled([-1, 2])).values.numpy()
    array([1, 2], dtype=int32)
    """
    return _registering(1, (x_type,))


@public("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """Decorator for a function that says what functions of two elements mean for two types.

    It gets the function of tensors, and both values; see `dispatch_for_unary_elementwise_apis`.
    """
    return _registering(2, (x_type, y_type))


def _registering(count: int, wanted: tuple):
    def register(handler):
        _FOR_ELEMENTS[count].append((handler, wanted))
        return handler

    return register


def _registrations() -> int:
    """How many registrations there are."""
    targets = sum(len(value) for value in _TARGETS.values())
    return targets + sum(len(value) for value in _FOR_ELEMENTS.values())


@public("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target) -> None:
    """Undo the registration of a function. Raises ValueError if it was not registered."""
    before = _registrations()
    for targets in _TARGETS.values():
        targets[:] = [one for one in targets if one.function is not dispatch_target]
    for handlers in _FOR_ELEMENTS.values():
        handlers[:] = [one for one in handlers if one[0] is not dispatch_target]
    if before == _registrations():
        raise ValueError(f"{dispatch_target!r} was not registered")
