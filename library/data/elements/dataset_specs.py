"""The types of datasets and iterators: those with equal elements share a trace."""

from __future__ import annotations

from ....runtime.core.dtypes import variant
from ....runtime.core.public_names import public
from ....tracing.type_system.trace_types import TypeSpec, trace_type
from .nodes import handle_of


class ElementsSpec(TypeSpec):
    """The type of what hands out elements of one specification.

    `value_type` is the public class of such values, which `specified_by` enters.
    """

    def __init__(self, element_spec):
        self.element_spec = element_spec
        self._elements = trace_type(element_spec)

    def wrap(self, tensor):
        """The public object for a handle."""
        return self.value_type(handle_of(tensor), self.element_spec)

    def is_compatible_with(self, value) -> bool:
        """Whether a dataset (or specification) has elements that fit this one."""
        other = value if isinstance(value, ElementsSpec) else getattr(value, "_type_spec", None)
        return other is not None and other.is_subtype_of(self)

    def is_subtype_of(self, other) -> bool:
        return type(other) is type(self) and self._elements.is_subtype_of(other._elements)

    def most_specific_common_supertype(self, others):
        if any(type(other) is not type(self) for other in others):
            return None
        found = self._elements.most_specific_common_supertype([other._elements for other in others])
        return None if found is None else type(self)(_as_structure(found))

    def placeholder_value(self, placeholder_context=None):
        made = placeholder_context.graph.input(variant, (), placeholder_context.name)
        return self.wrap(made)

    def to_tensors(self, value) -> list:
        return [value._handle]

    def cast(self, value):
        if not self.is_compatible_with(value):
            raise TypeError(f"{value!r} does not fit {self!r}")
        return value

    def __eq__(self, other):
        return type(other) is type(self) and self._elements == other._elements

    def __hash__(self):
        return hash((type(self), self._elements))

    def __repr__(self):
        return f"{type(self).__name__}({self.element_spec!r})"

    def __reduce__(self):
        return type(self), (self.element_spec,)


def specified_by(spec: type[ElementsSpec]):
    """A class decorator: `spec` is the type of the values of this class."""

    def enter(cls):
        spec.value_type = cls
        return cls

    return enter


def _as_structure(kind):
    """The structure of specifications that a trace type of a structure stands for."""
    if not hasattr(kind, "components"):
        return kind
    return kind.kind.rebuild(kind._like, kind.keys, list(map(_as_structure, kind.components)))


@public("data.DatasetSpec")
class DatasetSpec(ElementsSpec):
    """The type of a dataset: the specification of its elements.

    >>> import allograph as ag
    >>> ag.data.DatasetSpec(ag.TensorSpec([], ag.int32))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int32, name=None))
    """

    def __init__(self, element_spec, dataset_shape=()):
        super().__init__(element_spec)

    @staticmethod
    def from_value(value) -> DatasetSpec:
        return value._type_spec


@public("data.IteratorSpec")
class IteratorSpec(ElementsSpec):
    """The type of an iterator over a dataset: the specification of its elements."""

    @staticmethod
    def from_value(value) -> IteratorSpec:
        return value._type_spec
