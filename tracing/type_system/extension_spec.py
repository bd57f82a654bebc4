"""The types of extension values. Programs without such values do not load their classes."""

from __future__ import annotations

from .trace_types import Literal, TraceType, TypeSpec, trace_type


def value_of(field_type: TraceType):
    """The value of a trace type that allows only one."""
    return field_type.placeholder_value(None)


class ExtensionSpec(TypeSpec):
    """The type of an extension value: specs for its tensors, values for its other fields."""

    value_type: type  # `ExtensionType`, of specs of no class of their own

    def __init__(self, *args, **kwargs):
        bound = self.value_type._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        self.fields = {name: trace_type(value) for name, value in bound.arguments.items()}

    @classmethod
    def of_fields(cls, fields: dict[str, TraceType]) -> ExtensionSpec:
        spec = object.__new__(cls)
        spec.fields = fields
        return spec

    def __getattr__(self, name):
        field_type = self.__dict__.get("fields", {}).get(name)
        if field_type is None:
            raise AttributeError(f"{type(self).__qualname__} has no field '{name}'")
        return value_of(field_type) if isinstance(field_type, Literal) else field_type

    @property
    def components(self) -> tuple[TraceType, ...]:
        return tuple(self.fields.values())

    def _pairs(self, other):
        if type(self) is not type(other):
            return None
        return [(field_type, other.fields[name]) for name, field_type in self.fields.items()]

    def is_subtype_of(self, other) -> bool:
        pairs = self._pairs(other)
        return pairs is not None and all(mine.is_subtype_of(theirs) for mine, theirs in pairs)

    def most_specific_common_supertype(self, others):
        if any(type(self) is not type(other) for other in others):
            return None
        joined = {
            name: field_type.most_specific_common_supertype(
                [other.fields[name] for other in others]
            )
            for name, field_type in self.fields.items()
        }
        return None if None in joined.values() else self.of_fields(joined)

    def placeholder_value(self, placeholder_context=None):
        fields = self.fields.items()
        return self.value_type._with_fields(
            {name: field_type.placeholder_value(placeholder_context) for name, field_type in fields}
        )

    def to_tensors(self, value) -> list:
        fields = self.fields.items()
        return [
            tensor
            for name, field_type in fields
            for tensor in field_type.to_tensors(value.__dict__[name])
        ]

    def cast(self, value):
        if type(value) is not self.value_type:
            raise TypeError(f"{value!r} is not a {self.value_type.__name__}")
        fields = self.fields.items()
        return self.value_type._with_fields(
            {name: field_type.cast(value.__dict__[name]) for name, field_type in fields}
        )

    @property
    def is_alive(self) -> bool:
        return all(field_type.is_alive for field_type in self.fields.values())

    def __eq__(self, other):
        pairs = self._pairs(other)
        return pairs is not None and all(mine == theirs for mine, theirs in pairs)

    def __hash__(self):
        return hash((self.value_type, *self.fields.values()))

    def __repr__(self):
        rows = ", ".join(
            f"{name}={value_of(field_type) if isinstance(field_type, Literal) else field_type!r}"
            for name, field_type in self.fields.items()
        )
        return f"{self.value_type.__name__}.Spec({rows})"
