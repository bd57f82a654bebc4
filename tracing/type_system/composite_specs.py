"""Types of composite values: a fixed number of tensors, as of a ragged or a sparse tensor."""

from __future__ import annotations

from typing import Any, ClassVar

from ...runtime.core.dtypes import DType
from ...runtime.core.public_names import Declared
from ...runtime.core.shapes import Shape, TensorShape, as_shape, is_subshape, join
from ...runtime.ir.rich_display import RichDisplay
from ...runtime.tensors.tensor import Operators
from ..structures import nest
from .trace_types import TensorSpec, TypeSpec, trace_type


class CompositeTensor(RichDisplay):
    """Base of values that consist of tensors and have a `CompositeSpec` as their type.

    A subclass flattens to its tensors by `__tf_flatten__`, as containers do, but is a leaf of the
    structures of users. One of the tensors is the one that gradients flow to.
    """

    __tf_composite__ = True
    __array_ufunc__ = None  # operators of NumPy leave such operands to this class

    @property
    def __tf_differentiable__(self):
        """The component that gradients flow to."""
        raise NotImplementedError

    def __tf_with_differentiable__(self, gradient):
        """The same value with another such component."""
        raise NotImplementedError

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def container_of(value):
    """How a container is taken apart, None for a leaf; composite values are leaves."""
    return None if isinstance(value, CompositeTensor) else nest.container_type(value)


class CompositeSpec(TypeSpec):
    """The type of values that consist of tensors.

    Traces, datasets and files hold the tensors, and make values of them again. A subclass says
    which tensors there are, and how elements of a dataset are stacked and taken apart.
    """

    value_type: ClassVar[type]
    by_name: ClassVar[dict[str, type[CompositeSpec]]] = Declared()  # for files
    dims: Shape
    dtype: DType

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        CompositeSpec.by_name[cls.__name__] = cls

    def parameters(self) -> tuple[Any, ...]:
        """The parameters of the constructor: shapes, data types and numbers."""
        raise NotImplementedError

    @property
    def component_specs(self) -> list[TensorSpec]:
        """The types of the tensors, in the order of `nest.flatten`."""
        raise NotImplementedError

    def from_components(self, tensors) -> Any:
        """The value that consists of these tensors."""
        raise NotImplementedError

    def with_dims(self, dims: Shape) -> CompositeSpec:
        """The same type with another shape."""
        raise NotImplementedError

    # ---- as elements of datasets: components are tuples of NumPy arrays --------------------

    def batched(self, count: int | None) -> CompositeSpec:
        """The type of `count` values that are stacked along a new first axis."""
        raise NotImplementedError

    def unbatched(self) -> TypeSpec:
        """The type of a slice along the first axis."""
        raise NotImplementedError

    def stacked(self, rows: list[tuple]) -> tuple:
        """The components of values that are stacked along a new first axis."""
        raise NotImplementedError

    def slices(self, components: tuple) -> list[tuple]:
        """The components of each slice along the first axis."""
        raise NotImplementedError

    # ---- as a trace type -------------------------------------------------------------------

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dims)

    @classmethod
    def from_value(cls, value) -> Any:
        """The type of a value."""
        return trace_type(value)

    def _same_apart_from_dims(self, other) -> bool:
        return type(self) is type(other) and self.with_dims(other.dims) == other

    def is_subtype_of(self, other) -> bool:
        return self._same_apart_from_dims(other) and is_subshape(self.dims, other.dims)

    def most_specific_common_supertype(self, others) -> Any:
        dims = self.dims
        for other in others:
            if not self._same_apart_from_dims(other):
                return None
            dims = join(dims, other.dims)
        return self.with_dims(dims)

    def placeholder_value(self, placeholder_context=None) -> Any:
        return self.from_components(
            [spec.placeholder_value(placeholder_context) for spec in self.component_specs]
        )

    def to_tensors(self, value) -> list:
        return nest.flatten(value)

    def __eq__(self, other):
        return type(self) is type(other) and self.parameters() == other.parameters()

    def __hash__(self):
        shape, *rest = self.parameters()
        return hash((type(self), as_shape(shape), *rest))

    def __reduce__(self):
        return type(self), self.parameters()

    def __repr__(self):
        arguments = ", ".join(
            repr(TensorShape(parameter)) if index == 0 else repr(parameter)
            for index, parameter in enumerate(self.parameters())
        )
        return f"{type(self).__name__}({arguments})"


ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
)  # fmt: skip
OPERATORS = (
    *(f"__{name}__" for name in ARITHMETIC),
    *(f"__r{name}__" for name in ARITHMETIC),
    *(f"__{name}__" for name in ("neg", "abs", "invert", "lt", "le", "gt", "ge")),
)


def borrow_operators(cls: type, names=OPERATORS) -> None:
    """Give a class of composite values the operators of tensors, whose operations it implements."""
    for name in names:
        setattr(cls, name, getattr(Operators, name))
