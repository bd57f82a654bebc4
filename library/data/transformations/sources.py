"""Source nodes of datasets: arrays, ranges, Python generators."""

from __future__ import annotations

import itertools
from typing import Any

from .... import TensorSpec, convert_to_tensor
from ....extend import nest
from ....extend.errors import InvalidArgumentError
from ....extend.graphs import BUILDER
from ....extend.specs import CompositeSpec, is_compatible, show
from ....extend.tensors import EagerTensor
from ..elements.element_structure import normalized, slice_of
from ..elements.nodes import INFINITE, UNKNOWN, Node, reboxed


class Slices(Node):
    """The slices of arrays along their first axes, which have one length."""

    def __init__(self, *arrays):
        self.arrays = arrays
        self.count = len(arrays[0])
        for array in arrays:
            if len(array) != self.count:
                raise InvalidArgumentError(
                    "from_tensor_slices: the first dimensions differ, in tensors of the shapes "
                    + ", ".join(show(array.shape) for array in arrays)
                )

    def elements(self):
        arrays = self.arrays
        for index in range(self.count):
            yield tuple(slice_of(array, index) for array in arrays)

    def cardinality(self):
        return self.count


class Blocks(Node):
    """The rows of Dask arrays, of which one block of rows is in memory."""

    def __init__(self, *, arrays):
        self.arrays = arrays
        self.rows = arrays[0].chunks[0]

    def elements(self):
        import dask  # slow to import; a user who has a Dask array has loaded it

        for number in range(len(self.rows)):
            blocks = dask.compute(*(array.blocks[number] for array in self.arrays))
            for index in range(len(blocks[0])):
                yield tuple(slice_of(block, index) for block in blocks)

    def cardinality(self):
        return UNKNOWN if any(size != size for size in self.rows) else sum(self.rows)


class Whole(Node):
    """Arrays as one element."""

    def __init__(self, *arrays):
        self.arrays = tuple(map(reboxed, arrays))

    def elements(self):
        yield self.arrays

    def cardinality(self):
        return 1


class Counting(Node):
    """`start, start + step, ...`, up to but excluding `stop`."""

    def __init__(self, start, stop, step, dtype):
        if int(step) == 0:
            raise InvalidArgumentError("Dataset.range: the step must not be zero")
        self.range = range(int(start), int(stop), int(step))
        self.type = dtype.numpy_dtype.type

    def elements(self):
        for value in self.range:
            yield (self.type(value),)

    def cardinality(self):
        return len(self.range)


class Endless(Node):
    """`start, start + step, ...`, without end."""

    def __init__(self, start, step, *, dtype):
        self.start, self.step = start[()], step[()]
        self.type = dtype.numpy_dtype.type

    def elements(self):
        for value in itertools.count(self.start.item(), self.step.item()):
            yield (self.type(value),)

    def cardinality(self):
        return INFINITE


class Generated(Node):
    """The items of a Python generator, checked against the declared specification."""

    def __init__(self, *arguments, function, spec):
        self.arguments = tuple(EagerTensor(argument).numpy() for argument in arguments)
        self.function = function
        self.spec = spec
        self.leaves = nest.flatten(spec)

    def elements(self):
        items = iter(_call_eagerly(self.function, *self.arguments))
        while True:
            try:
                item = _call_eagerly(next, items)
            except StopIteration:
                return
            yield self.checked(item)

    def checked(self, item) -> tuple:
        """An item as arrays. Raises TypeError or ValueError unless it fits the specification."""
        if isinstance(self.spec, TensorSpec):
            return _checked(item, self.spec, item)
        leaves = _leaves(self.spec, item)
        if len(leaves) != len(self.leaves):
            raise TypeError(
                f"from_generator: the generator yielded {item!r}, which does not have the "
                f"structure {self.spec!r}"
            )
        return tuple(
            array
            for one, leaf in zip(leaves, self.leaves, strict=True)
            for array in _checked(one, leaf, item)
        )


def _leaves(spec, item) -> list:
    """The leaves of an item along the declared structure, in which a list may be one tensor."""
    container = nest.container_type(spec)
    if container is None:
        return [item]
    try:
        if isinstance(spec, tuple):
            keys, children = (len(spec),), list(item)
            if len(children) != len(spec):
                raise TypeError
        else:
            keys = container.keys(spec)
            children = container.children(item, keys)
    except (TypeError, KeyError, AttributeError):
        raise TypeError(
            f"from_generator: the generator yielded {item!r}, which does not have the structure "
            f"{spec!r}"
        ) from None
    return [
        leaf
        for child, item_child in zip(container.children(spec, keys), children, strict=True)
        for leaf in _leaves(child, item_child)
    ]


def _checked(value, spec, item) -> tuple:
    """The arrays of a leaf of an item."""
    if isinstance(spec, CompositeSpec):
        return tuple(tensor.array for tensor in nest.flatten(spec.cast(value)))
    if not isinstance(spec, TensorSpec):
        return (spec.cast(value).handle.array,)
    entry = BUILDER.set(None)
    try:
        array: Any = convert_to_tensor(normalized(value), None)
        if array.dtype is not spec.dtype:
            array = convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"from_generator: the generator yielded {item!r} where {spec!r} is declared: {error}"
        ) from error
    finally:
        BUILDER.reset(entry)
    if not is_compatible(array.dims, spec.dims):
        raise ValueError(
            f"from_generator: the generator yielded an element of shape {show(array.dims)} where "
            f"{show(spec.dims)} is declared"
        )
    return (array.array,)


def _call_eagerly(function, *args):
    """Call Python code of the user in eager mode."""
    entry = BUILDER.set(None)
    try:
        return function(*args)
    finally:
        BUILDER.reset(entry)
