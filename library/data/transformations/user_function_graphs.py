"""The functions that users give to `map`, `filter` and the like: graphs on flat arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import contextmanager

from ....runtime.ir.op import WRITES
from ....runtime.tensors.apply import BUILDER
from ....tracing.functions.polymorphic_function import GenericFunction
from ....tracing.functions.polymorphic_function import function as decorate
from ....tracing.stager.user_functions import converted
from ....tracing.structures import nest
from ....tracing.structures.config import CONFIG
from ..elements.element_structure import arrays_of, normalised, packed_arrays, spec_of
from ..elements.nodes import reboxed


class Traced:
    """A user's function, traced once for arguments of known types.

    `output` is the specification of its result. Tensors that it uses from outside are `captures`:
    they are operands of the dataset, given back to `bound` when there are arrays for them.
    """

    def __init__(self, function: Callable, arguments: tuple):
        if not callable(function):
            raise TypeError(f"a dataset takes a function here, not {function!r}")
        self.function = function  # kept, since a graph does not keep its variables alive
        self.arguments = arguments
        run = function if isinstance(function, GenericFunction) else converted(function)
        found = []

        def on_structures(*args):
            value = normalised(run(*args))
            found.append(spec_of(value))
            return value

        on_structures.__name__ = getattr(function, "__name__", type(function).__name__)
        on_structures.__signature__ = _positional(function, len(arguments))
        made = decorate(on_structures, autograph=False)
        with _always_traced():
            self.concrete = made.get_concrete_function(*arguments)
        self.output = found[-1]

    @property
    def captures(self) -> list:
        return list(self.concrete.captured_tensors)

    @property
    def keeps_order(self) -> bool:
        """Whether calls have to come one after the other, as those that print or draw numbers do.

        Python code does not count: who asks for parallel calls of it means that.
        """
        return any(
            node.effect == WRITES and not node.subgraphs and node.op.name != "py_function"
            for node in self.concrete.frozen.walk()
        )

    def bound(self, captured) -> Callable[[tuple], tuple]:
        """The function of flat arrays, with the arrays of its captures."""
        executable = self.concrete.executable
        captured = tuple(map(reboxed, captured))

        def call(flat: tuple) -> tuple:
            if CONFIG.run_functions_eagerly:
                return self.eagerly(flat)
            return executable(*flat, *captured)

        return call

    def eagerly(self, flat: tuple) -> tuple:
        """One call as plain Python, for debugging."""
        args, rest = [], list(flat)
        for argument in self.arguments:
            count = len(nest.flatten(argument))
            args.append(packed_arrays(argument, rest[:count]))
            del rest[:count]
        entry = BUILDER.set(None)
        try:
            return arrays_of(normalised(self.function(*args)))
        finally:
            BUILDER.reset(entry)


@contextmanager
def _always_traced():
    """The type of a result is found by tracing, also where functions run eagerly for debugging."""
    before = CONFIG.run_functions_eagerly
    CONFIG.run_functions_eagerly = False
    try:
        yield
    finally:
        CONFIG.run_functions_eagerly = before


def _positional(function, count: int) -> inspect.Signature:
    """The signature of a call with `count` arguments, named as the function names them."""
    kinds = inspect.Parameter
    try:
        given = [row.name for row in inspect.signature(function).parameters.values()
                 if row.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    except (TypeError, ValueError):
        given = []
    names = given if len(given) >= count else [f"element_{place}" for place in range(count)]
    return inspect.Signature([kinds(name, kinds.POSITIONAL_ONLY) for name in names[:count]])
