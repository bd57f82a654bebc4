"""The trace types of datasets and iterators, which are determined by the types of elements."""

from __future__ import annotations

from .... import TypeSpec, variant
from ....extend.registration import public
from ....extend.specs import trace_type
from .nodes import handle_of


class ElementsSpec(TypeSpec):
    """The type of datasets or iterators with elements of one specification.

    `value_type` is the public class of the values, which `specified_by` sets.
    """

    def __init__(self, element_spec):
        self.element_spec = element_spec
        self.elements_type = trace_type(element_spec)

    def wrap(self, tensor):
        """The public object for a handle."""
        return self.value_type(handle_of(tensor), self.element_spec)

    def is_compatible_with(self, value) -> bool:
        """Whether the elements of a dataset or specification fit this one."""
        if not isinstance(value, ElementsSpec):
            type_of = getattr(value, "__tf_tracing_type__", None)
            value = None if type_of is None else type_of(None)
        return value is not None and value.is_subtype_of(self)

    def is_subtype_of(self, other) -> bool:
        return type(other) is type(self) and self.elements_type.is_subtype_of(other.elements_type)

    def most_specific_common_supertype(self, others):
        if any(type(other) is not type(self) for other in others):
            return None
        common = self.elements_type.most_specific_common_supertype(
            [other.elements_type for other in others]
        )
        return None if common is None else type(self)(_as_structure(common))

    def placeholder_value(self, placeholder_context=None):
        handle = placeholder_context.graph.input(variant, (), placeholder_context.name)
        return self.wrap(handle)

    def to_tensors(self, value) -> list:
        return [value.handle]

    def cast(self, value):
        if not self.is_compatible_with(value):
            raise TypeError(f"{value!r} does not fit {self!r}")
        return value

    def __eq__(self, other):
        return type(other) is type(self) and self.elements_type == other.elements_type

    def __hash__(self):
        return hash((type(self), self.elements_type))

    def __repr__(self):
        return f"{type(self).__name__}({self.element_spec!r})"

    def __reduce__(self):
        return type(self), (self.element_spec,)


def specified_by(spec: type[ElementsSpec]):
    """A class decorator that makes `spec` the type of the instances of a class."""

    def enter(cls):
        spec.value_type = cls
        return cls

    return enter


def _as_structure(spec):
    """The structure of specifications that a trace type of a structure stands for."""
    if not hasattr(spec, "components"):
        return spec
    return spec.around(map(_as_structure, spec.components))


@public("data.DatasetSpec")
class DatasetSpec(ElementsSpec):
    """The type of a dataset: the specification of its elements.

    >>> import allograph as ag
    >>> ag.data.DatasetSpec(ag.TensorSpec([], ag.int32))
    DatasetSpec(TensorSpec(shape=(), dtype=ag.int32, name=None))
    """

    def __init__(self, element_spec, dataset_shape=()):
        super().__init__(element_spec)

    @staticmethod
    def from_value(value) -> DatasetSpec:
        return value.__tf_tracing_type__(None)


@public("data.IteratorSpec")
class IteratorSpec(ElementsSpec):
    """The type of an iterator over a dataset: the specification of its elements."""

    @staticmethod
    def from_value(value) -> IteratorSpec:
        return value.__tf_tracing_type__(None)
