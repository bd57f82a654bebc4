"""Trace types: the properties of an argument that decide whether a trace serves a call."""

from __future__ import annotations

import abc
import enum
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...runtime.core.classes import class_of
from ...runtime.core.dtypes import DType, as_dtype, conversion, float32
from ...runtime.core.errors import DTypeError
from ...runtime.core.public_names import expose, public
from ...runtime.core.shapes import (
    TensorShape,
    as_python,
    as_shape,
    is_compatible,
    is_subshape,
    join,
    show,
)
from ...runtime.ops.state.variables import Cell, Variable
from ...runtime.tensors.apply import BEHAVIOR, convert_to_tensor, tensor_of
from ...runtime.tensors.array_conversion import to_array
from ...runtime.tensors.tensor import Tensor
from ..structures import nest


@public("types.experimental.TraceType")
class TraceType(abc.ABC):
    """The type of one argument; implement it to decide yourself when a function is traced again.

    A class returns one from `__tf_tracing_type__(self, context)`. Source: the tracing protocol of
    the tf.function guide.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other) -> bool:
        """Whether a trace made for `other` also serves values of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others) -> Any:
        """The narrowest type that covers this one and `others`, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context=None) -> Any:
        """The value that the Python function receives while it is traced."""

    @abc.abstractmethod
    def __eq__(self, other): ...

    @abc.abstractmethod
    def __hash__(self): ...

    def to_tensors(self, value) -> list:
        """The tensors that a value of this type feeds into the graph."""
        return []

    def cast(self, value) -> Any:
        """`value` converted to this type; TypeError if it does not fit."""
        if not trace_type(value).is_subtype_of(self):
            raise TypeError(f"{value!r} is not of the type {self!r}")
        return value

    @property
    def is_alive(self) -> bool:
        return True


@public("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that decides which calls may share a trace.

    >>> isinstance(ag.TensorSpec([]), ag.types.experimental.SupportsTracingProtocol)
    False
    """

    def __tf_tracing_type__(self, context) -> TraceType:
        """The type of this value."""


class PlaceholderContext:
    """The graph and the parameter name for a placeholder."""

    def __init__(self, graph, name: str):
        self.graph = graph
        self.name = name


@public("TypeSpec")
class TypeSpec(TraceType):
    """Base of specifications that users can construct, such as `TensorSpec`."""

    def is_compatible_with(self, value) -> bool:
        """Whether a value, or a spec, fits this one."""
        return trace_type(value).is_subtype_of(self)


@public("TensorSpec")
class TensorSpec(TypeSpec):
    """The data type and shape of a tensor; None stands for an unknown dimension or shape.

    >>> ag.TensorSpec([None, 3], "float32", name="x")
    TensorSpec(shape=(None, 3), dtype=ag.float32, name='x')
    """

    __slots__ = ("dims", "dtype", "name")

    def __init__(self, shape, dtype=float32, name: str | None = None):
        self.dims = as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.name = name

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dims)

    @classmethod
    def from_tensor(cls, tensor, name=None) -> TensorSpec:
        return cls._of(tensor, name)

    @classmethod
    def _of(cls, tensor, name: str | None = None) -> TensorSpec:
        """The spec of a tensor, whose shape and dtype need no check."""
        spec = cls.__new__(cls)
        spec.dims, spec.dtype, spec.name = tensor.dims, tensor.dtype, name
        return spec

    @classmethod
    def from_spec(cls, spec, name=None) -> TensorSpec:
        return cls(spec.dims, spec.dtype, name or spec.name)

    def is_compatible_with(self, value) -> bool:
        """Whether a tensor (or spec) fits this one."""
        if not isinstance(value, (Tensor, TensorSpec)):
            value = convert_to_tensor(value)
        return value.dtype is self.dtype and is_compatible(value.dims, self.dims)

    def is_subtype_of(self, other) -> bool:
        return (
            type(other) is type(self)
            and self.dtype is other.dtype
            and is_subshape(self.dims, other.dims)
        )

    def most_specific_common_supertype(self, others) -> Any:
        shape = self.dims
        for other in others:
            if type(other) is not type(self) or other.dtype is not self.dtype:
                return None
            shape = join(shape, other.dims)
        return type(self)(shape, self.dtype, self.name)

    def placeholder_value(self, placeholder_context=None) -> Any:
        name = self.name or placeholder_context.name
        return placeholder_context.graph.input(self.dtype, self.dims, name)

    def to_tensors(self, value) -> list:
        tensor = tensor_of(value)
        return [convert_to_tensor(value) if tensor is None else tensor]

    def cast(self, value) -> Any:
        tensor = tensor_of(value)
        if tensor is None:
            try:
                tensor = convert_to_tensor(to_array(value, self.dtype))
            except (TypeError, ValueError) as error:
                raise TypeError(f"{value!r} is not of type {self!r}") from error
        if tensor.dtype is not self.dtype or not is_subshape(tensor.dims, self.dims):
            raise DTypeError(*self._misfit(tensor))
        return tensor

    def _misfit(self, tensor) -> tuple[str, str]:
        """Why a tensor does not fit, and what helps."""
        both = (tensor, self)
        passed, taken = (f"{each.dtype.name} with shape {show(each.dims)}" for each in both)
        message = f"{passed} does not fit {taken}"
        if tensor.dtype is not self.dtype:
            return message, f"Cast it before the call: {conversion('x', tensor.dtype, self.dtype)}"
        wide = join(tensor.dims, self.dims)
        spec = f"ag.TensorSpec({as_python(wide)}, ag.{self.dtype.name})"
        return message, f"Let the signature take it: {spec}"

    def __eq__(self, other):
        return (
            type(other) is type(self)
            and self.dtype is other.dtype
            and self.dims == other.dims
            and self.name == other.name
        )

    def __hash__(self):
        return hash((self.dtype.name, self.dims))

    def __repr__(self):
        return f"TensorSpec(shape={show(self.dims)}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self):
        return type(self), (self.dims, self.dtype, self.name)


class WeakTensorSpec(TensorSpec):
    """The type of a tensor whose data type adopts that of others (see `enable_numpy_behavior`)."""

    __slots__ = ()

    def placeholder_value(self, placeholder_context=None):
        tensor = super().placeholder_value(placeholder_context)
        return tensor if BEHAVIOR.weaken is None else BEHAVIOR.weaken(tensor)

    def __repr__(self):
        return f"Weak{super().__repr__()}"


def constant_key(value) -> tuple:
    """A key that tells constants apart that Python calls equal: 1, 1.0 and True; 0.0 and -0.0."""
    cls = type(value)
    if isinstance(value, (float, complex)) or cls.__module__ in ("decimal", "datetime"):
        return cls, repr(value)
    if cls in (slice, range):  # slices are hashable from Python 3.12 on
        return cls, constant_key((value.start, value.stop, value.step))
    return cls, cls(map(constant_key, value)) if cls in (tuple, frozenset) else value


class Literal(TraceType):
    """A Python value that is its own type: a number, a string, None, an enum member."""

    def __init__(self, value):
        self.value = value
        self._key = constant_key(value)

    def is_subtype_of(self, other) -> bool:
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.value

    def cast(self, value):
        if trace_type(value) != self:
            raise TypeError(f"{value!r} is not the value of the trace, {self!r}")
        return self.value

    def __eq__(self, other):
        return type(other) is Literal and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        return f"Literal[{self.value!r}]"


class Reference(TraceType):
    """Any other object, held weakly. While it lives, it matches itself and equal objects."""

    def __init__(self, thing, identity_only: bool = False, is_owner: bool = False):
        self.identity_only = identity_only or type(thing).__eq__ is object.__eq__
        self.is_owner = is_owner  # the instance of a method
        self.object_type = type(thing)
        self.identity = id(thing)
        self.cell: Cell | None = None  # of a variable, also after its end
        if isinstance(thing, Variable):
            self.cell = thing.handle
            self._display = (
                f"VariableSpec(shape={show(thing.dims)}, dtype={thing.dtype!r}, "
                f"trainable={thing.trainable}, alias_id=0)"
            )
        self.referent: Callable[[], Any]
        try:
            self.referent = weakref.ref(thing)
        except TypeError:
            self.referent = lambda: thing

    @property
    def is_alive(self) -> bool:
        return self.referent() is not None

    def __reduce__(self):
        thing = self.referent()
        if thing is None:
            raise TypeError(f"a trace for a {self.object_type.__name__} that no longer exists")
        return Reference, (thing, self.identity_only, self.is_owner)

    def is_subtype_of(self, other) -> bool:
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.referent()

    def cast(self, value):
        if trace_type(value) != self and self.referent() is not value:
            raise TypeError(f"{value!r} is not the object of the trace")
        return value

    def __eq__(self, other):
        if type(other) is not Reference or self.object_type is not other.object_type:
            return False
        mine, theirs = self.referent(), other.referent()
        if mine is None or theirs is None or self.identity_only:
            return mine is theirs is not None
        return mine is theirs or constant_key(mine) == constant_key(theirs)

    def __hash__(self):
        return hash((self.object_type, self.identity if self.identity_only else 0))

    def __repr__(self):
        if issubclass(self.object_type, Variable):
            return self._display
        return f"Reference[{self.referent()!r}]"


class Container(TraceType):
    """A list, tuple, mapping, named tuple or record of types."""

    def __init__(self, like, components: Sequence[TraceType]):
        container_type = nest.container_type(like)
        assert container_type is not None
        self.container_type = container_type
        self.python_type = class_of(like)
        like = like if self.python_type is type(like) else self.python_type(like)
        # mappings with the same keys and types of values have one type, whatever their class
        self.family = Mapping if isinstance(like, Mapping) else type(like)
        self.keys = self.container_type.keys(like)
        self._key = constant_key(self.keys)
        self.components = tuple(components)
        self.like = self.container_type.rebuild(like, self.keys, list(self.components))

    def is_subtype_of(self, other) -> bool:
        pairs = self.paired(other)
        return pairs is not None and all(mine.is_subtype_of(theirs) for mine, theirs in pairs)

    def most_specific_common_supertype(self, others):
        if any(self.paired(other) is None for other in others):
            return None
        joined = [
            mine.most_specific_common_supertype([other.components[at] for other in others])
            for at, mine in enumerate(self.components)
        ]
        return None if None in joined else Container(self.like, joined)

    def placeholder_value(self, placeholder_context=None):
        return self.around(
            component.placeholder_value(placeholder_context) for component in self.components
        )

    def placeholders(self, graph, names) -> object:
        """The container with placeholders of these names."""
        contexts = [PlaceholderContext(graph, name) for name in names]
        return self.around(
            map(lambda component, at: component.placeholder_value(at), self.components, contexts)
        )

    def around(self, children):
        """A container of this type with other children."""
        return self.container_type.rebuild(self.like, self.keys, list(children))

    def to_tensors(self, value) -> list:
        children = self.container_type.children(value, self.keys)
        return [
            tensor
            for component, child in zip(self.components, children, strict=True)
            for tensor in component.to_tensors(child)
        ]

    def cast(self, value):
        if self.like is value:
            return value
        if not self._same_container(value):
            raise TypeError(f"{value!r} does not have the structure {self!r}")
        children = self.container_type.children(value, self.keys)
        components = [
            component.cast(child)
            for component, child in zip(self.components, children, strict=True)
        ]
        return self.container_type.rebuild(value, self.keys, components)

    def _same_container(self, value) -> bool:
        is_of_family = isinstance(value, Mapping) and self.family is Mapping
        same = is_of_family or class_of(value) is self.family
        return same and constant_key(self.container_type.keys(value)) == self._key

    def __reduce__(self):
        return Container, (self.like, self.components)

    def paired(self, other) -> list[tuple[TraceType, TraceType]] | None:
        """Pairs of the components of two types of the same container structure."""
        if type(other) is not Container or other.family is not self.family:
            return None
        if other._key != self._key:
            return None
        return list(zip(self.components, other.components, strict=True))

    @property
    def is_alive(self) -> bool:
        return all(component.is_alive for component in self.components)

    def __eq__(self, other):
        pairs = self.paired(other)
        return pairs is not None and all(mine == theirs for mine, theirs in pairs)

    def __hash__(self):
        return hash((self.family, self._key, self.components))

    def __repr__(self):
        name = self.python_type.__name__
        name = name.capitalize() if self.python_type in (list, tuple, dict) else name
        items: Iterable[str] = map(repr, self.components)
        if self.container_type in (nest.NAMED_TUPLE, nest.MAPPING, nest.RECORD):
            items = map("[{!r}, {}]".format, self.keys, items)
        elif hasattr(self.python_type, "__tf_flatten__"):
            items = [repr(self.keys), *items]
        return f"{name}[{', '.join(items)}]"


_PLAIN = {bool, int, float, complex, str, bytes, type(None)}
_LITERALS = (*_PLAIN, enum.Enum, DType, TensorShape, range, slice)


def trace_type(value) -> TraceType:
    """The trace type of an argument.

    >>> ag.types.experimental.trace_type([ag.constant(1.0), 2])
    List[TensorSpec(shape=(), dtype=ag.float32, name=None), Literal[2]]
    """
    if type(value) in _PLAIN:
        return Literal(value)
    if isinstance(value, TraceType):
        return value
    protocol = getattr(type(value), "__tf_tracing_type__", None)
    if protocol is not None:
        own = protocol(value, None)
        if not isinstance(own, TraceType):
            raise TypeError(f"__tf_tracing_type__ of {value!r} gives {own!r}: no TraceType")
        return own
    if isinstance(value, Tensor):
        is_weak = BEHAVIOR.is_weak is not None and BEHAVIOR.is_weak(value)
        return (WeakTensorSpec if is_weak else TensorSpec).from_tensor(value)
    if isinstance(value, Variable):
        return Reference(value, identity_only=True)
    if isinstance(value, (np.ndarray, np.generic)):
        return TensorSpec(value.shape, value.dtype)
    container = nest.container_type(value)
    if container is not None:
        return Container(
            value, [trace_type(child) for child in container.children(value, container.keys(value))]
        )
    if isinstance(value, _LITERALS):
        return Literal(value)
    return Reference(value)


expose(trace_type, "types.experimental.trace_type")
expose(
    Tensor
    | Variable
    | np.ndarray
    | np.generic
    | complex
    | float
    | str
    | bytes
    | list
    | tuple
    | int,
    "types.experimental.TensorLike",
)
