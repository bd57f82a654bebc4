"""Functions that were loaded: their traces are all there is."""

from __future__ import annotations

import inspect

from ...runtime.tensors.tensor import Tensor
from ...tracing.functions.concrete_function import ConcreteFunction
from ...tracing.functions.polymorphic_function import PolymorphicFunction
from ...tracing.structures import nest
from ...tracing.type_system.function_type import BindingError, FunctionType, bind, type_of_call
from ...tracing.type_system.trace_types import Container, TraceType


class SignatureFunction(ConcreteFunction):
    """A saved signature: tensors by name in, a dictionary of tensors out.

    A single argument may be given without its name.
    """

    def __call__(self, *args, **kwargs):
        names = list(self.function_type.types)
        if len(args) == len(names) == 1:
            args, kwargs = (), {**kwargs, names[0]: args[0]}
        return super().__call__(*args, **kwargs)


class RestoredFunction(PolymorphicFunction):
    """A function without its Python source, which serves the calls that its traces cover.

    A call looks for a trace with the types of the arguments; without one, for a trace that the
    arguments can be converted to (numbers, lists and arrays to tensors).
    """

    def __init__(self, name: str, signature: inspect.Signature, traces: list[ConcreteFunction]):
        def restored(*args, **kwargs):  # where functions run eagerly, this one runs its graph
            bound = self._bound(args, kwargs)
            concrete = self.traces[self._type_of(bound)]
            return concrete.run(concrete.function_type.to_tensors(bound), concrete.captured_tensors)

        restored.__name__ = restored.__qualname__ = name
        restored.__signature__ = signature
        super().__init__(restored, {"input_signature": None})
        self.traces.update((one.function_type, one) for one in traces)

    def _call(self, args, kwargs):
        self._bound(args, kwargs)
        return super()._call(args, kwargs)

    def _type_of(self, bound: inspect.BoundArguments) -> FunctionType:
        """The type of a trace that serves the arguments, which may be replaced."""
        found = self.cache.find(type_of_call(self.signature, bound)) or self._converting(bound)
        return found.function_type

    def _bound(self, args, kwargs) -> inspect.BoundArguments:
        try:
            return bind(self.signature, args, kwargs, self._name)
        except BindingError as error:
            raise BindingError(error.message, self._available()) from None

    def _converting(self, bound: inspect.BoundArguments) -> ConcreteFunction:
        """The first trace that the arguments can be made to fit; they are replaced."""
        for kind, concrete in self.traces.items():
            try:
                bound.arguments.update(_conformed(bound, kind))
            except (TypeError, ValueError):
                continue
            return concrete
        raise self._no_trace(bound)

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments; without any, the only trace there is."""
        if not args and not kwargs and len(self.traces) == 1:
            return next(iter(self.traces.values()))
        bound = self._bound(args, kwargs)
        found = self.cache.find(type_of_call(self.signature, bound))
        if found is None:
            raise self._no_trace(bound)
        return found

    def _no_trace(self, bound: inspect.BoundArguments) -> BindingError:
        given = ", ".join(f"{name}={_shown(value)}" for name, value in bound.arguments.items())
        return BindingError(
            f"'{self._name}' was not saved with a trace for these arguments: {given or 'none'}",
            self._available(),
        )

    def _available(self) -> str:
        if not self.traces:
            return (
                "It was saved without any trace: call it, or give it an input_signature, before "
                "it is saved."
            )
        rows = "\n".join(f"  {self._name}{kind!r}" for kind in self.traces)
        return f"It was saved with:\n{rows}"

    def __repr__(self):
        return f"<restored function {self._name}{self.signature}>"


def _shown(value) -> str:
    leaves = [
        f"{leaf.dtype.name}{list(leaf.shape) if leaf.dims is not None else '[...]'}"
        if isinstance(leaf, Tensor)
        else repr(leaf)
        for leaf in nest.flatten(value)
    ]
    return (
        leaves[0] if not nest.is_nested(value) else f"{type(value).__name__}({', '.join(leaves)})"
    )


def _conformed(bound: inspect.BoundArguments, kind: FunctionType) -> dict:
    return {name: _conform(bound.arguments[name], one) for name, one in kind.types.items()}


def _conform(value, kind: TraceType):
    """`value` as a value of this type; containers may be of another class with the same keys."""
    if not isinstance(kind, Container):
        return kind.cast(value)
    own = nest.container_type(value)
    if own is not kind.container_type or own.keys(value) != kind.keys:
        raise TypeError(f"{value!r} does not have the structure {kind!r}")
    children = own.children(value, kind.keys)
    return kind.around(map(_conform, children, kind.components))
