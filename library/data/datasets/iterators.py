"""Iterators over datasets, eagerly and inside functions, where they advance on every call."""

from __future__ import annotations

from ....runtime.core.errors import OutOfRangeError
from ....runtime.core.public_names import public
from ....runtime.tensors.apply import BUILDER
from ....runtime.tensors.tensor import SymbolicTensor, out_of_scope
from ....tracing.staged_values.iterables import Streamed
from ....tracing.stager.control_flow_api import cond
from ..elements.dataset_specs import DatasetSpec, IteratorSpec, specified_by
from ..elements.element_structure import flat_specs, normalised, packed, packed_arrays
from ..elements.nodes import Cursor, Handle, Remaining, boxed, handle_of, run


class Elements(Streamed):
    """What datasets and iterators share: a handle, and the specification of the elements."""

    __tf_composite__ = True  # a leaf for users of `nest`

    def __init__(self, handle, element_spec):
        self._handle = handle
        self._element_spec = element_spec

    @property
    def element_spec(self):
        """The type of one element: a structure of `TensorSpec`."""
        return self._element_spec

    def _thing(self):
        """The node or cursor itself; an error while only the running graph has it."""
        if isinstance(self._handle, SymbolicTensor):
            raise out_of_scope(self._handle)
        return self._handle.array[()]

    def __tf_flatten__(self):
        return (self._element_spec,), (self._handle,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        made = object.__new__(cls)
        made._handle, made._element_spec = handle_of(components[0]), metadata[0]
        return made

    def __tf_tracing_type__(self, context):
        return self._type_spec

    def staged_stream(self):
        cursor = run("make_iterator", self._handle)
        specs = flat_specs(self._element_spec)

        def item():
            return packed(self._element_spec, run("iterator_item", cursor, specs=specs))

        return lambda: run("iterator_advance", cursor), item

    # ---- Python's builtins inside functions ------------------------------------------------

    def staged_enumerate(self, start):
        return _dataset(self).enumerate(start)

    def staged_zip(self, sources):
        datasets = tuple(map(_dataset, sources))
        return datasets[0].zip(datasets)

    def staged_map(self, function, sources):
        return self.staged_zip(sources).map(function)

    def staged_filter(self, function):
        return self.staged_zip([self]).filter(function).map(lambda element: element)

    def __bool__(self):
        return True


def _dataset(source):
    """The dataset of what a builtin is given: the rest of an iterator, the rows of a tensor."""
    dataset_class = DatasetSpec.value_type
    if isinstance(source, dataset_class):
        return source
    if isinstance(source, Iterator):
        return dataset_class._made(Remaining, [source._handle], source.element_spec)
    return dataset_class.from_tensor_slices(source)


def refuse_python_loop(thing) -> TypeError:
    """The error for a loop that Python itself would run, on elements that only the graph has."""
    return TypeError(
        f"{thing!r} cannot be iterated over by Python while a graph is built: write a `for` "
        "statement in converted code, or call iter() and next()"
    )


@public("data.Iterator")
@specified_by(IteratorSpec)
class Iterator(Elements):
    """A pass over a dataset that is under way: `next(iterator)` takes the next element.

    Inside a decorated function `next` takes one element on every call. At the end, Python's `next`
    raises StopIteration and `get_next` raises OutOfRangeError, inside a function both do.

    >>> import allograph as ag
    >>> numbers = iter(ag.data.Dataset.range(3))
    >>> @ag.function
    ... def double(numbers):
    ...     return 2 * next(numbers)
    >>> [int(double(numbers)) for _ in range(3)]
    [0, 2, 4]
    """

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def __iter__(self):
        if BUILDER.get() is not None:
            raise refuse_python_loop(self)
        return self

    def __next__(self):
        if BUILDER.get() is not None:
            return self.get_next()
        return packed_arrays(self._element_spec, next(self._thing()))

    def get_next(self, name=None):
        """The next element; OutOfRangeError when there is none."""
        if BUILDER.get() is not None:
            specs = flat_specs(self._element_spec)
            return packed(self._element_spec, run("iterator_next", self._handle, specs=specs))
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError("End of sequence: the iterator has no more elements") from None

    def get_next_as_optional(self):
        """The next element, or nothing, as an `Optional`."""
        cursor = run("make_iterator", self._handle)
        has_value = run("iterator_advance", cursor)
        return Optional(handle_of(cursor), self._element_spec, has_value)

    def staged_iter(self):
        return self

    def staged_next(self, *default):
        if not default:
            return self.get_next()
        advance, item = self.staged_stream()
        return cond(advance(), item, lambda: normalised(default[0]))

    def __repr__(self):
        return f"<Iterator element_spec={self._element_spec!r}>"


@public("experimental.Optional")
class Optional:
    """An element of a dataset, or nothing.

    >>> import allograph as ag
    >>> numbers = iter(ag.data.Dataset.range(1))
    >>> first, second = numbers.get_next_as_optional(), numbers.get_next_as_optional()
    >>> int(first.get_value()), bool(second.has_value())
    (0, False)
    """

    def __init__(self, handle, element_spec, has_value):
        self._handle = handle
        self._has_value = has_value
        self.element_spec = element_spec

    def has_value(self, name=None):
        """Whether there is an element, as a boolean tensor."""
        return self._has_value

    def get_value(self, name=None):
        """The element; InvalidArgumentError when there is none."""
        specs = flat_specs(self.element_spec)
        return packed(self.element_spec, run("optional_value", self._handle, specs=specs))

    def __repr__(self):
        return f"<Optional element_spec={self.element_spec!r}>"


def iterate(elements, element_spec) -> Iterator:
    """An eager iterator over what a node gives."""
    return Iterator(Handle(boxed(Cursor(elements))), element_spec)
