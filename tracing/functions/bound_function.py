"""Decorated functions as methods: what `instance.method` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runtime.core.public_names import public
from ..structures.config import CONFIG
from ..type_system.trace_types import Reference
from .fast_dispatch import MISS, attempt

if TYPE_CHECKING:
    from .concrete_function import ConcreteFunction


@public("types.experimental.GenericFunction", "types.experimental.Callable")
class GenericFunction:
    """Base of what `function` returns: a callable with traces."""


class BoundFunction(GenericFunction):
    """A decorated method bound to an instance; each instance has traces of its own."""

    __slots__ = ("__self__", "_function", "_instance")

    def __init__(self, function, instance):
        self._function = function
        self._instance = self.__self__ = instance

    def __call__(self, *args, **kwargs):
        function = self._function
        result = attempt(function._dispatchers, (self._instance, *args), kwargs)
        if result is not MISS:
            function._direct = True
            return result
        if CONFIG.run_functions_eagerly:
            return function.python_function(self._instance, *args, **kwargs)
        return function._call((Itself(self._instance), *args), kwargs)

    @property
    def __name__(self) -> str:
        return self._function._name

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._function.__doc__

    @property
    def __wrapped__(self):
        return self.python_function

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """As on a function, without the instance."""
        return self._function.get_concrete_function(Itself(self._instance), *args, **kwargs)

    @property
    def function_type(self):
        """As on a function, without the instance."""
        return self._function._declared_type((Itself(self._instance),)) or self._function.signature

    @property
    def python_function(self):
        return self._function.python_function.__get__(self._instance)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __eq__(self, other):
        same = type(other) is BoundFunction and self._function is other._function
        return same and self._instance is other._instance

    def __hash__(self):
        return hash((id(self._function), id(self._instance)))

    def __repr__(self):
        return f"<bound {self._function!r} of {self._instance!r}>"


class Itself:
    """Wraps the instance of a bound method, whose trace type is its identity."""

    def __init__(self, instance):
        self.instance = instance

    def __tf_tracing_type__(self, context):
        return Reference(self.instance, identity_only=True, is_owner=True)
