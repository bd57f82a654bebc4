"""Iterators over datasets, in eager mode and inside functions, where they advance on each call."""

from __future__ import annotations

from ....extend import nest
from ....extend.errors import OutOfRangeError
from ....extend.graphs import BUILDER
from ....extend.operations import ag
from ....extend.registration import public
from ....extend.specs import container_of
from ....extend.tensors import Streamed, SymbolicTensor, out_of_scope
from ..elements.dataset_specs import DatasetSpec, IteratorSpec, specified_by
from ..elements.element_structure import flat_specs, normalized, packed, packed_arrays
from ..elements.nodes import Handle, Remaining, boxed, handle_of, run
from ..elements.options import Options
from ..elements.restorable_cursor import RestorableCursor


class Elements(Streamed):
    """Base of datasets and iterators: a handle, and the specification of the elements."""

    __tf_composite__ = True  # a leaf for users of `nest`

    def __init__(self, handle, element_spec):
        self.handle = handle
        self._element_spec = element_spec
        self.own_options: Options | None = None  # of datasets; None until some are set

    @property
    def element_spec(self):
        """The type of an element: a structure of `TensorSpec`."""
        return self._element_spec

    def _node(self):
        """The node or cursor of the handle. Raises an error if the handle is symbolic."""
        if isinstance(self.handle, SymbolicTensor):
            raise out_of_scope(self.handle)
        return self.handle.array[()]

    def __tf_flatten__(self):
        return (self._element_spec,), (self.handle,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        elements = object.__new__(cls)
        Elements.__init__(elements, handle_of(components[0]), metadata[0])
        return elements

    def staged_stream(self):
        cursor = run("make_iterator", self.handle)
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
    """The argument of a builtin as a dataset: the rest of an iterator, the slices of a tensor."""
    dataset_class = DatasetSpec.value_type
    if isinstance(source, dataset_class):
        return source
    if isinstance(source, Iterator):
        return dataset_class._create(Remaining, [source.handle], source.element_spec)
    return dataset_class.from_tensor_slices(source)


def refuse_python_loop(iterable) -> TypeError:
    """The error for a Python loop over elements that exist only when the graph runs."""
    return TypeError(
        f"{iterable!r} cannot be iterated over by Python while a graph is built: write a `for` "
        "statement in converted code, or call iter() and next()"
    )


@public("data.Iterator")
@specified_by(IteratorSpec)
class Iterator(Elements):
    """An iterator over a dataset: `next(iterator)` returns the next element.

    Inside a decorated function, `next` takes one element on each call of the function. At the end
    Python's `next` raises StopIteration and `get_next` OutOfRangeError. Inside a function both
    raise OutOfRangeError.

    >>> import allograph as ag
    >>> numbers = iter(ag.data.Dataset.range(3))
    >>> @ag.function
    ... def double(numbers):
    ...     return 2 * next(numbers)
    >>> [int(double(numbers)) for _ in range(3)]
    [0, 2, 4]

    `train.Checkpoint(iterator=iterator)` saves its position. `restore` begins the pass again and
    takes as many elements, in the order of the same shuffles. Datasets that functions make, as for
    `flat_map`, repeat their order if their shuffles have seeds.
    """

    def __tf_tracing_type__(self, context) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def __iter__(self):
        if BUILDER.get() is not None:
            raise refuse_python_loop(self)
        return self

    def __next__(self):
        if BUILDER.get() is not None:
            return self.get_next()
        return packed_arrays(self._element_spec, next(self._node()))

    def next(self):
        """The same as `next(iterator)`."""
        return self.__next__()

    def get_next(self, name=None):
        """The next element. Raises OutOfRangeError at the end."""
        if BUILDER.get() is not None:
            specs = flat_specs(self._element_spec)
            return packed(self._element_spec, run("iterator_next", self.handle, specs=specs))
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError("End of sequence: the iterator has no more elements") from None

    def get_next_as_optional(self):
        """The next element as an `Optional`, which is empty at the end."""
        cursor = run("make_iterator", self.handle)
        has_value = run("iterator_advance", cursor)
        return Optional(handle_of(cursor), self._element_spec, has_value)

    def checkpointed(self):
        """The position, as checkpoints save it."""
        return self._node().position()

    def restore_checkpointed(self, position) -> None:
        """Move to a position that a checkpoint has saved."""
        self._node().move_to(position)

    def fits_checkpointed(self, position) -> bool:
        """Whether a checkpoint has the position of such an iterator."""
        expected = self._node().position()
        return position.shape == expected.shape and position.dtype == expected.dtype

    def staged_iter(self):
        return self

    def staged_next(self, *default):
        if not default:
            return self.get_next()
        advance, item = self.staged_stream()
        return ag.cond(advance(), item, lambda: normalized(default[0]))

    def __repr__(self):
        return f"<Iterator element_spec={self._element_spec!r}>"


@public("experimental.Optional")
class Optional:
    """An element of a dataset, or no element.

    >>> import allograph as ag
    >>> numbers = iter(ag.data.Dataset.range(1))
    >>> first, second = numbers.get_next_as_optional(), numbers.get_next_as_optional()
    >>> int(first.get_value()), bool(second.has_value())
    (0, False)
    """

    def __init__(self, handle, element_spec, has_value):
        self.handle = handle
        self._has_value = has_value
        self.element_spec = element_spec

    def has_value(self, name=None):
        """Whether there is an element, as a bool scalar."""
        return self._has_value

    def get_value(self, name=None):
        """The element. Raises InvalidArgumentError if there is none."""
        specs = flat_specs(self.element_spec)
        return packed(self.element_spec, run("optional_value", self.handle, specs=specs))

    def __repr__(self):
        return f"<Optional element_spec={self.element_spec!r}>"


def iterate(node, element_spec) -> Iterator:
    """An eager iterator over the elements of a node."""
    return Iterator(Handle(boxed(RestorableCursor(node))), element_spec)


@public("data.NumpyIterator")
class NumpyIterator:
    """The elements of a dataset as structures of NumPy arrays, one after the other.

    >>> import allograph as ag
    >>> [int(x) for x in ag.data.NumpyIterator(ag.data.Dataset.range(2))]
    [0, 1]
    """

    def __init__(self, dataset):
        self._spec = dataset.element_spec
        self._elements = iter(dataset._node().elements())

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self):
        element = packed_arrays(self._spec, next(self._elements))
        return nest.map_structure(lambda leaf: leaf.numpy(), element, classify=container_of)

    next = __next__
