"""Functions that were loaded: they consist of their saved traces."""

from __future__ import annotations

import inspect

from ... import Tensor
from ...extend import nest
from ...extend.specs import BindingError, Container, FunctionType, TraceType, bind, type_of_call
from ...extend.tracing import ConcreteFunction, PolymorphicFunction


class SignatureFunction(ConcreteFunction):
    """A saved signature: it takes tensors by name and returns a dict of tensors.

    A single argument may be positional.
    """

    def __call__(self, *args, **kwargs):
        names = list(self.function_type.types)
        if len(args) == len(names) == 1:
            args, kwargs = (), {**kwargs, names[0]: args[0]}
        return super().__call__(*args, **kwargs)


class RestoredFunction(PolymorphicFunction):
    """A function without Python source, which can be called with the arguments of its traces.

    A call uses the trace with the types of the arguments, or else the first trace to whose types
    the arguments can be converted: scalars, lists and arrays become tensors.
    """

    def __init__(self, name: str, signature: inspect.Signature, traces: list[ConcreteFunction]):
        def restored(*args, **kwargs):  # where functions run eagerly, this one runs its graph
            bound = self._bound(args, kwargs)
            concrete = self.traces[self._type_of(bound)]
            return concrete.run(concrete.function_type.to_tensors(bound), concrete.captured_tensors)

        restored.__name__ = restored.__qualname__ = name
        restored.__signature__ = signature  # type: ignore[attr-defined]
        super().__init__(restored, {"input_signature": None})
        self.traces.update((trace.function_type, trace) for trace in traces)

    def content(self) -> tuple:
        return self.name, self.signature, list(self.traces.values())

    def fill(self, *content) -> None:
        self.__init__(*content)  # type: ignore[misc]

    def __copy__(self) -> RestoredFunction:
        return RestoredFunction(*self.content())

    def call_general(self, args, kwargs):
        self._bound(args, kwargs)
        return super().call_general(args, kwargs)

    def _type_of(self, bound: inspect.BoundArguments) -> FunctionType:
        """The type of the trace for the arguments, which may be converted."""
        trace = self.cache.find(type_of_call(self.signature, bound)) or self._convert(bound)
        return trace.function_type

    def _bound(self, args, kwargs) -> inspect.BoundArguments:
        try:
            return bind(self.signature, args, kwargs, self.name)
        except BindingError as error:
            raise BindingError(error.message, self._available()) from None

    def _convert(self, bound: inspect.BoundArguments) -> ConcreteFunction:
        """The first trace to whose types the arguments can be converted; they are replaced."""
        for function_type, concrete in self.traces.items():
            try:
                bound.arguments.update(_conformed(bound, function_type))
            except (TypeError, ValueError):
                continue
            return concrete
        raise self._no_trace(bound)

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments; without arguments, the only trace."""
        if not args and not kwargs and len(self.traces) == 1:
            return next(iter(self.traces.values()))
        bound = self._bound(args, kwargs)
        trace = self.cache.find(type_of_call(self.signature, bound))
        if trace is None:
            raise self._no_trace(bound)
        return trace

    def _no_trace(self, bound: inspect.BoundArguments) -> BindingError:
        arguments = ", ".join(
            f"{name}={_described(value)}" for name, value in bound.arguments.items()
        )
        return BindingError(
            f"'{self.name}' was not saved with a trace for these arguments: {arguments or 'none'}",
            self._available(),
        )

    def _available(self) -> str:
        if not self.traces:
            return (
                "It was saved without any trace: call it, or give it an input_signature, before "
                "it is saved."
            )
        traces_ = "\n".join(f"  {self.name}{function_type!r}" for function_type in self.traces)
        return f"It was saved with:\n{traces_}"

    def __repr__(self):
        return f"<restored function {self.name}{self.signature}>"


def _described(value) -> str:
    leaves = [
        f"{leaf.dtype.name}{list(leaf.shape) if leaf.dims is not None else '[...]'}"
        if isinstance(leaf, Tensor)
        else repr(leaf)
        for leaf in nest.flatten(value)
    ]
    return (
        leaves[0] if not nest.is_nested(value) else f"{type(value).__name__}({', '.join(leaves)})"
    )


def _conformed(bound: inspect.BoundArguments, function_type: FunctionType) -> dict:
    return {
        name: _conform(bound.arguments[name], type_) for name, type_ in function_type.types.items()
    }


def _conform(value, type_: TraceType):
    """`value` converted to a trace type; containers may have another class with equal keys."""
    if not isinstance(type_, Container):
        return type_.cast(value)
    container = nest.container_type(value)
    if container is not type_.container_type or container.keys(value) != type_.keys:
        raise TypeError(f"{value!r} does not have the structure {type_!r}")
    children = container.children(value, type_.keys)
    return type_.around(map(_conform, children, type_.components))
