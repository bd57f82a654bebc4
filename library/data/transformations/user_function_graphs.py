"""User functions of `map`, `filter` and similar, traced to graphs on flat arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial

from ....extend import nest, tracing
from ....extend.graphs import BUILDER
from ....extend.operations import WRITES, ag
from ....extend.state import CONFIG
from ..elements.element_structure import (
    arrays_of,
    component_specs,
    normalized,
    packed_arrays,
    spec_of,
)
from ..elements.nodes import reboxed


class Traced:
    """A user function, traced once for arguments of given types.

    `output` is the specification of its result. Tensors of the enclosing scope are its `captures`.
    They are operands of the dataset, whose arrays are passed to `bound`.
    """

    def __init__(self, function: Callable, arguments: tuple):
        if not callable(function):
            raise TypeError(f"a dataset takes a function here, not {function!r}")
        _check_fits(function, arguments)
        self.function = function  # kept because a graph does not keep its variables alive
        self.arguments = arguments
        callable_ = (
            function
            if isinstance(function, tracing.GenericFunction)
            else tracing.converted(function)
        )
        output_specs = []

        def on_structures(*args):
            # Copied, since the function may change containers that it is given.
            value = _element(callable_(*nest.map_structure(_same, args)))
            output_specs.append(spec_of(value))
            return value

        on_structures.__name__ = getattr(function, "__name__", type(function).__name__)
        on_structures.__signature__ = _positional(function, len(arguments))  # type: ignore[attr-defined]
        decorated = ag.function(on_structures, autograph=False)
        with _always_traced():
            self.concrete = decorated.get_concrete_function(*arguments)
        self.output = output_specs[-1]

    @property
    def captures(self) -> list:
        return list(self.concrete.captured_tensors)

    @property
    def keeps_order(self) -> bool:
        """Whether calls have to be sequential, because they print or draw random numbers.

        Python functions are not considered: parallel calls of them are requested explicitly.
        """
        return any(
            node.effect == WRITES and not node.subgraphs and node.op.name != "py_function"
            for node in self.concrete.frozen.walk()
        )

    def bound(self, captured) -> Callable[[tuple], tuple]:
        """The function on flat arrays, with the arrays of its captures bound."""
        return partial(self.call, tuple(map(reboxed, captured)))

    def call(self, captured: tuple, flat: tuple) -> tuple:
        """The results for the arrays of an element and those of the captures."""
        if CONFIG.run_functions_eagerly:
            return self.eagerly(flat)
        return self.concrete.executable(*flat, *captured)

    def eagerly(self, flat: tuple) -> tuple:
        """One call as plain Python, for debugging."""
        args, rest = [], list(flat)
        for argument in self.arguments:
            count = len(component_specs(argument))
            args.append(packed_arrays(argument, rest[:count]))
            del rest[:count]
        entry = BUILDER.set(None)
        try:
            return arrays_of(_element(self.function(*args)))
        finally:
            BUILDER.reset(entry)


@contextmanager
def _always_traced():
    """Trace even where functions run eagerly for debugging: the types of results are needed."""
    before = CONFIG.run_functions_eagerly
    CONFIG.run_functions_eagerly = False
    try:
        yield
    finally:
        CONFIG.run_functions_eagerly = before


def _check_fits(function, arguments: tuple) -> None:
    """Raise TypeError if a function cannot be called with the arguments that it would get."""
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):  # of a builtin
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        one = len(arguments) == 1
        raise TypeError(
            f"{name}{signature} gets {len(arguments)} argument{'' if one else 's'} here: "
            f"{', '.join(map(repr, arguments))}. The components of a tuple are arguments of their "
            f"own: {'lambda x: ...' if one else 'lambda x, y: ...'}"
        ) from None


def _same(leaf):
    return leaf


def _element(result):
    """What a function returns as an element, of which the items of a list are components."""
    is_list = isinstance(result, list) and not hasattr(type(result), "__tf_tensor__")
    return normalized(tuple(result) if is_list else result)


def _positional(function, count: int) -> inspect.Signature:
    """The signature of a call with `count` arguments, with the function's parameter names."""
    positional = inspect.Parameter.POSITIONAL_ONLY
    is_positional = (positional, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
        names = [parameter.name for parameter in parameters if parameter.kind in is_positional]
    except (TypeError, ValueError):
        names = []
    names = names if len(names) >= count else [f"element_{index}" for index in range(count)]
    return inspect.Signature([inspect.Parameter(name, positional) for name in names[:count]])
