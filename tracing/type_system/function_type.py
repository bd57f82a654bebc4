"""Function types: the parameters of one trace and their trace types."""

from __future__ import annotations

import functools
import inspect

from ...runtime.core.errors import Error, InvalidArgumentError
from ...runtime.core.public_names import did_you_mean, public
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.tensor import Tensor
from .trace_types import Container, PlaceholderContext, TensorSpec, TraceType, trace_type


@public("errors.BindingError")
class BindingError(InvalidArgumentError, TypeError):
    """The arguments of a call do not fit the function's signature or input signature."""


class Parameter(inspect.Parameter):
    """A parameter of a trace."""

    @property
    def type_constraint(self) -> TraceType | None:
        """The trace type that an argument has to fit; None where any may be given."""
        return self.annotation if isinstance(self.annotation, TraceType) else None


def without_types(signature: inspect.Signature) -> inspect.Signature:
    """A signature whose parameters have `type_constraint`, which is None."""
    rows = signature.parameters.values()
    return signature.replace(
        parameters=[
            Parameter(row.name, row.kind, default=row.default, annotation=row.annotation)
            for row in rows
        ]
    )


@public("types.experimental.FunctionType")
class FunctionType:
    """The type of each parameter, and of the result once it is known.

    Prints as `(x: TensorSpec(shape=(), dtype=ag.int32, name=None)) -> ...`.
    """

    def __init__(self, signature: inspect.Signature, types: dict[str, TraceType], output=None):
        self.signature = signature
        self.types = types
        self.output = output
        self._key = tuple(types.items())
        self._hash = hash(self._key)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters by name, with the trace type as annotation and `type_constraint`.

        Each argument that `*args` or `**kwargs` took is a parameter of its own. The instance of a
        method is not a parameter.
        """
        flat: list[inspect.Parameter] = []
        for name, arg_type in self.types.items():
            own = _flat_parameters(self.signature.parameters[name], arg_type)
            if own and own[0].kind is inspect.Parameter.POSITIONAL_ONLY:
                flat = [row.replace(kind=row.kind.POSITIONAL_ONLY) for row in flat]
            flat += own
        return {parameter.name: parameter for parameter in flat}

    def is_subtype_of(self, other: FunctionType) -> bool:
        """Whether a trace made for `other` serves calls of this type."""
        if self.types.keys() != other.types.keys():
            return False
        return all(
            arg_type.is_subtype_of(other.types[name]) for name, arg_type in self.types.items()
        )

    def most_specific_common_subtype(self, others):
        return None

    def common_supertype(self, other: FunctionType) -> FunctionType | None:
        """The narrowest type that covers both, or None when there is none."""
        if self.types.keys() != other.types.keys():
            return None
        joined = {
            name: arg_type.most_specific_common_supertype([other.types[name]])
            for name, arg_type in self.types.items()
        }
        return None if None in joined.values() else FunctionType(self.signature, joined)

    @property
    def names_inputs(self) -> bool:
        """Whether specs among the types say how the inputs of the graph are named."""
        pending = list(self.types.values())
        while pending:
            spec = pending.pop()
            if isinstance(spec, TensorSpec) and spec.name is not None:
                return True
            pending += getattr(spec, "components", ())
        return False

    def is_owned_by(self, instance) -> bool:
        """Whether this is the type of a method of that very object."""
        owners = [owner for owner in self.types.values() if getattr(owner, "is_owner", False)]
        return any(owner.placeholder_value(None) is instance for owner in owners)

    @property
    def is_alive(self) -> bool:
        return all(arg_type.is_alive for arg_type in self.types.values())

    def placeholders(self, graph) -> inspect.BoundArguments:
        """The arguments for tracing; tensors among them become inputs of `graph`."""
        values = {}
        for name, arg_type in self.types.items():
            parameter = self.signature.parameters[name]
            starred = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if starred and isinstance(arg_type, Container):
                names = [flat.name for flat in _flat_parameters(parameter, arg_type)]
                values[name] = arg_type.placeholders(graph, names)
            else:
                values[name] = arg_type.placeholder_value(PlaceholderContext(graph, name))
        return inspect.BoundArguments(self.signature, values)

    def to_tensors(self, bound: inspect.BoundArguments) -> list:
        """The tensors that the arguments of a call feed into the graph, in order."""
        values = bound.arguments
        return [
            tensor
            for name, arg_type in self.types.items()
            for tensor in arg_type.to_tensors(values[name])
        ]

    def cast(self, bound: inspect.BoundArguments) -> inspect.BoundArguments:
        """The arguments converted to these types; BindingError names the one that does not fit."""
        for name, arg_type in self.types.items():
            try:
                bound.arguments[name] = arg_type.cast(bound.arguments[name])
            except Error as error:
                cure = error.cure.replace("cast(x,", f"cast({name},")
                raise BindingError(f"argument '{name}': {error.message}", cure) from None
            except (TypeError, ValueError) as error:
                raise BindingError(f"argument '{name}': {error}") from None
        return bound

    def __eq__(self, other):
        return type(other) is FunctionType and self._hash == other._hash and self._key == other._key

    def __hash__(self):
        return self._hash

    def __reduce__(self):  # the hash holds for this process
        return FunctionType, (self.signature, self.types, self.output)

    def __repr__(self):
        display = inspect.Signature(list(map(_Display.of, self.parameters.values())))
        return str(display) if self.output is None else f"{display} -> {self.output!r}"


class _Display(str):
    """A trace type as an annotation, which a signature prints without quotes."""

    __repr__ = str.__str__

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> inspect.Parameter:
        return parameter.replace(annotation=cls(repr(parameter.annotation)))


def _flat_parameters(parameter: inspect.Parameter, arg_type) -> list[inspect.Parameter]:
    """A parameter with its trace type; for a starred parameter, one for each argument it took."""
    make = Parameter
    if getattr(arg_type, "is_owner", False):
        return []
    if parameter.kind is make.VAR_POSITIONAL:
        return [
            make(f"{parameter.name}_{index}", make.POSITIONAL_ONLY, annotation=component)
            for index, component in enumerate(arg_type.components)
        ]
    if parameter.kind is make.VAR_KEYWORD:
        return [
            make(name, make.KEYWORD_ONLY, annotation=component)
            for name, component in zip(arg_type.keys, arg_type.components, strict=True)
        ]
    return [make(parameter.name, parameter.kind, annotation=arg_type)]


def unbound(error, name: str, signature: inspect.Signature, names_passed=()) -> BindingError:
    """The error for arguments that do not fit a signature; `given` are the names of arguments."""
    names = signature.parameters
    cures = [did_you_mean(name, names) for name in names_passed if name not in names]
    message = f"Binding inputs to the function failed: {name}{signature}: {error}"
    return BindingError(message, "".join(cures[:1]).strip())


def bind(signature: inspect.Signature, args, kwargs, name: str) -> inspect.BoundArguments:
    """Match a call with the signature, defaults filled in; BindingError (a TypeError) otherwise."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise unbound(error, name, signature, kwargs) from None
    bound.apply_defaults()
    return bound


def type_of_call(signature: inspect.Signature, bound: inspect.BoundArguments) -> FunctionType:
    return FunctionType(
        signature, {name: trace_type(value) for name, value in bound.arguments.items()}
    )


def typed_call(
    signature: inspect.Signature, args, kwargs, name: str
) -> tuple[FunctionType, list[Tensor]]:
    """The type of a call, and the tensors that it feeds into the graph."""
    bound = bind(signature, args, kwargs, name)
    wanted = type_of_call(signature, bound)
    return wanted, wanted.to_tensors(bound)


def type_of_input_signature(
    signature: inspect.Signature, owner: tuple, specs, name: str
) -> FunctionType:
    """The one type that `input_signature` allows; the remaining parameters keep their defaults.

    `owner` holds what stands for the instance of a method.
    """
    try:
        bound = signature.bind(*owner, *specs)
    except TypeError:
        raise BindingError(
            f"input_signature of {name}{signature} has {len(specs)} spec"
            f"{'' if len(specs) == 1 else 's'}, for other parameters than these",
            "Give one for each parameter without a default, except `self`.",
        ) from None
    bound.apply_defaults()
    return type_of_call(signature, bound)


def signature_of(function) -> inspect.Signature:
    """The signature of a function; of one of NumPy or C, what has a default may be anything.

    `np.add` has `(x1, x2, /, *args, **kwargs)`: defaults tell arguments that are not given, as in
    `np.where(x)`.
    """
    make = inspect.Parameter
    anything = [make("args", make.VAR_POSITIONAL), make("kwargs", make.VAR_KEYWORD)]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature(anything)
    innermost = function
    while isinstance(innermost, functools.partial):
        innermost = innermost.func
    if type(innermost).__module__.partition(".")[0] != "numpy" and not inspect.isbuiltin(innermost):
        return signature
    needed = (make.POSITIONAL_ONLY, make.POSITIONAL_OR_KEYWORD)
    rows = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.default is make.empty and parameter.kind in needed
    ]
    return inspect.Signature([*rows, *anything])


def follow_type_hints(function, signature, bound) -> None:
    """Turn Python numbers for parameters annotated as Tensor into tensors."""
    hints = getattr(function, "__annotations__", {})
    for name, hint in hints.items():
        named = hint if isinstance(hint, str) else getattr(hint, "__name__", "")
        if name in bound.arguments and (hint is Tensor or named.split(".")[-1] == "Tensor"):
            parameter, value = signature.parameters[name], bound.arguments[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(map(convert_to_tensor, value))
            elif parameter.kind is parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: convert_to_tensor(value[key]) for key in value}
            else:
                bound.arguments[name] = convert_to_tensor(value)
