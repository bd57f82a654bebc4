"""Decorated functions as methods: what `instance.method` gives."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from ...runtime.core.public_names import public
from ...runtime.ir.rich_display import RichDisplay
from ..structures.config import CONFIG
from ..type_system.function_type import without_types
from ..type_system.trace_types import Reference
from .error_notes import hide_frames
from .fronts import MISS

if TYPE_CHECKING:
    from .concrete_function import ConcreteFunction


def printed_signatures(traces: dict) -> str:
    """Traces: their parameters, results and captures."""
    return "\n\n".join(trace.pretty_printed_signature() for trace in list(traces.values()))


@public("types.experimental.GenericFunction", "types.experimental.Callable")
class GenericFunction(RichDisplay):
    """Base of what `function` returns: a callable with traces."""


class BoundFunction(GenericFunction):
    """A decorated method bound to an instance; each instance has traces of its own."""

    __slots__ = ("__self__", "function", "instance")

    def __init__(self, function, instance):
        self.function = function
        self.instance = self.__self__ = instance

    def __call__(self, *args, **kwargs):
        function = self.function
        try:
            for dispatch in function.fast_paths:
                try:
                    result = dispatch(self.instance, *args, **kwargs)
                except TypeError as error:
                    if error.__traceback__.tb_next is not None:
                        raise
                    break  # the arguments do not fit the signature
                if result is not MISS:
                    function._was_fast = True
                    return result
            if CONFIG.run_functions_eagerly:
                return function.python_function(self.instance, *args, **kwargs)
            return function.call_general((Itself(self.instance), *args), kwargs)
        except Exception as error:
            hide_frames(error)
            raise

    @property
    def __name__(self) -> str:
        return self.function.name

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    @property
    def __wrapped__(self):
        return self.python_function

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """As on a function, without the instance."""
        return self.function.get_concrete_function(Itself(self.instance), *args, **kwargs)

    @property
    def traces(self) -> dict:
        """The trace of each type, of those for this instance."""
        traces = self.function.traces
        return {type_: traces[type_] for type_ in list(traces) if type_.is_owned_by(self.instance)}

    def experimental_get_tracing_count(self) -> int:
        """How many traces there are for this instance."""
        return self.function.cache.count(self.traces)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Every trace for this instance, as on a function."""
        return printed_signatures(self.traces)

    @property
    def function_type(self):
        """As on a function, without the instance."""
        declared = self.function.declared_type((Itself(self.instance),))
        return declared or without_types(self.function.signature)

    @property
    def python_function(self):
        return self.function.python_function.__get__(self.instance)

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __deepcopy__(self, memo) -> BoundFunction:
        """The method of a copy of the instance."""
        return BoundFunction(self.function, copy.deepcopy(self.instance, memo))

    def __reduce__(self):
        name = self.function.name
        if getattr(type(self.instance), name, None) is self.function:
            return getattr, (self.instance, name)
        return BoundFunction, (self.function, self.instance)

    def __eq__(self, other):
        same = type(other) is BoundFunction and self.function is other.function
        return same and self.instance is other.instance

    def __hash__(self):
        return hash((id(self.function), id(self.instance)))

    def __repr__(self):
        return f"<bound {self.function!r} of {self.instance!r}>"


class Itself:
    """Wraps the instance of a bound method, whose trace type is its identity."""

    def __init__(self, instance):
        self.instance = instance

    def __tf_tracing_type__(self, context):
        return Reference(self.instance, identity_only=True, is_owner=True)
