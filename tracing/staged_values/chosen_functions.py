"""Functions that a tensor chooses: a call of one is a choice among calls.

f = ag.sin if x > 0 else ag.cos        i = 0 if x > 0 else 1
y = f(x)                               y = ag.sin(x) if i == 0 else ag.cos(x)
"""

from __future__ import annotations

import functools
import types
from typing import Any, NoReturn

import numpy as np

from ...autograph.operators.calls import converted_call
from ...autograph.operators.checked_values import Checked
from ...autograph.operators.containers import content
from ...autograph.operators.logical import staged_choice
from ...autograph.operators.undefined import Undefined
from ...autograph.stager import BRANCHES
from ...runtime.core.dtypes import int32
from ...runtime.core.errors import SymbolicValueError
from ...runtime.ops.array.slicing import gather
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..structures.leaves import can_be_tensor


class ChosenFunction:
    """The one of several functions that has an index, which is known when the graph runs."""

    __slots__ = ("functions", "index")

    def __init__(self, index: Tensor, functions: tuple):
        self.index = index
        self.functions = functions

    def __call__(self, *args, **kwargs) -> Any:
        return self._called(0, args, kwargs)

    def _called(self, position: int, args, kwargs):
        def call():
            return converted_call(self.functions[position], args, kwargs, None)

        if position == len(self.functions) - 1:
            return call()
        is_this = self.index == position
        return staged_choice(
            is_this, call, lambda: self._called(position + 1, args, kwargs), BRANCHES
        )

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"'{name}' of a function")

    def __eq__(self, other) -> Any:
        self._refuse("whether functions are equal")

    __hash__ = None  # type: ignore[assignment]

    def __tf_output__(self) -> NoReturn:
        self._refuse("which function is returned")

    def __repr__(self) -> str:
        return " or ".join(getattr(each, "__name__", repr(each)) for each in self.functions)

    def _refuse(self, what: str) -> NoReturn:
        raise SymbolicValueError(
            f"{what} depends on a tensor, which chooses {self!r}",
            "Only call it, as f(x): what it gives may depend on a tensor.",
        )


FUNCTIONS = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial, np.ufunc,
)  # fmt: skip
PACKAGE = __name__.partition(".")[0]


def is_function(value) -> bool:
    """Whether a value is only called, as functions and methods are: objects of the user's classes
    that may be called have attributes, too.
    """
    if isinstance(value, FUNCTIONS):
        return True
    is_own = type(value).__module__.partition(".")[0] == PACKAGE
    stands_for_another = isinstance(value, (Checked, Undefined))
    return is_own and callable(value) and not stands_for_another and not can_be_tensor(value)


def at_index(index: Tensor, functions) -> ChosenFunction:
    """The function at an index of a list, which may count from its end."""
    return ChosenFunction((index + len(functions)) % len(functions), tuple(functions))


def merged(left, right, sides) -> tuple | None:
    """How two functions that the sides of an `if` give are carried: pairs of tensors, and a
    function that rebuilds the value from the next outputs of the `if`. None for other values, and
    for a function that holds a tensor of its side.
    """
    if not (is_function(left) and is_function(right)):
        return None
    for value, builder in zip((left, right), sides, strict=True):
        tensors = [held for held in _held_by(value) if type(held) is SymbolicTensor]
        if any(held.builder is builder for held in tensors):
            return None
    functions: list = []
    indices = []
    for value, builder in zip((left, right), sides, strict=True):
        own = value.functions if type(value) is ChosenFunction else (value,)
        places = [_place(function, functions) for function in own]
        with builder:
            table = convert_to_tensor(np.array(places, np.int32))
            at = value.index if type(value) is ChosenFunction else convert_to_tensor(0, int32)
            indices.append(gather(table, at))
    if len(functions) == 1:
        return [], lambda outputs: functions[0]
    return [tuple(indices)], lambda outputs: ChosenFunction(next(outputs), tuple(functions))


def _held_by(function) -> list:
    """The values in the closure and the defaults of a function, the object of a method, the
    arguments of a partial function.
    """
    if isinstance(function, functools.partial):
        return [*_held_by(function.func), *function.args, *function.keywords.values()]
    if isinstance(function, types.MethodType):
        return [*_held_by(function.__func__), function.__self__]
    closure = getattr(function, "__closure__", None) or ()
    return [*map(content, closure), *(getattr(function, "__defaults__", None) or ())]


def _place(function, functions: list) -> int:
    """The place of a function in a list, at whose end it is put if it is not in it."""
    is_method = isinstance(function, types.MethodType)  # each read of it makes another object
    for place, known in enumerate(functions):
        if known is function or (is_method and known == function):
            return place
    functions.append(function)
    return len(functions) - 1
