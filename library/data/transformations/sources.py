"""Nodes at the beginning of a dataset: arrays, counting, Python generators."""

from __future__ import annotations

import itertools

from ....runtime.core.errors import InvalidArgumentError
from ....runtime.core.shapes import is_compatible, show
from ....runtime.tensors.apply import BUILDER, convert_to_tensor
from ....runtime.tensors.tensor import EagerTensor
from ....tracing.structures import nest
from ....tracing.type_system.trace_types import TensorSpec
from ..elements.element_structure import normalised, row
from ..elements.nodes import INFINITE, Node, reboxed


class Slices(Node):
    """The rows of arrays, which are as long as each other."""

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
            yield tuple(row(array, index) for array in arrays)

    def cardinality(self):
        return self.count


class Whole(Node):
    """Arrays as one element."""

    def __init__(self, *arrays):
        self.arrays = tuple(map(reboxed, arrays))

    def elements(self):
        yield self.arrays

    def cardinality(self):
        return 1


class Counting(Node):
    """`start, start + step, ...`, without `stop`."""

    def __init__(self, start, stop, step, dtype):
        if int(step) == 0:
            raise InvalidArgumentError("Dataset.range: the step must not be zero")
        self.range = range(int(start), int(stop), int(step))
        self.type = dtype.numpy_dtype.type

    def elements(self):
        for number in self.range:
            yield (self.type(number),)

    def cardinality(self):
        return len(self.range)


class Endless(Node):
    """`start, start + step, ...`."""

    def __init__(self, start, step, *, dtype):
        self.start, self.step = start[()], step[()]
        self.type = dtype.numpy_dtype.type

    def elements(self):
        for number in itertools.count(self.start.item(), self.step.item()):
            yield (self.type(number),)

    def cardinality(self):
        return INFINITE


class Generated(Node):
    """What a Python generator yields, checked against what was declared."""

    def __init__(self, *arguments, function, spec):
        self.arguments = tuple(EagerTensor(one).numpy() for one in arguments)
        self.function = function
        self.spec = spec
        self.leaves = nest.flatten(spec)

    def elements(self):
        items = iter(_outside_graphs(self.function, *self.arguments))
        while True:
            try:
                item = _outside_graphs(next, items)
            except StopIteration:
                return
            yield self.checked(item)

    def checked(self, item) -> tuple:
        """One item as arrays of the declared types and shapes; TypeError or ValueError if not."""
        if isinstance(self.spec, TensorSpec):
            return (_checked(item, self.spec, item),)
        parts = _parts(self.spec, item)
        if len(parts) != len(self.leaves):
            raise TypeError(
                f"from_generator: the generator gave {item!r}, which does not have the structure "
                f"{self.spec!r}"
            )
        return tuple(
            _checked(one, leaf, item) for one, leaf in zip(parts, self.leaves, strict=True)
        )


def _parts(spec, item) -> list:
    """The leaves of an item, walked along the declared structure: a list may be one tensor."""
    kind = nest.kind_of(spec)
    if kind is None:
        return [item]
    try:
        if isinstance(spec, tuple):
            keys, children = (len(spec),), list(item)
            if len(children) != len(spec):
                raise TypeError
        else:
            keys = kind.keys(spec)
            children = kind.children(item, keys)
    except (TypeError, KeyError, AttributeError):
        raise TypeError(
            f"from_generator: the generator gave {item!r}, which does not have the structure "
            f"{spec!r}"
        ) from None
    return [
        leaf
        for part, child in zip(kind.children(spec, keys), children, strict=True)
        for leaf in _parts(part, child)
    ]


def _checked(value, spec, item):
    if not isinstance(spec, TensorSpec):
        return spec.cast(value)._handle.array
    entry = BUILDER.set(None)
    try:
        array = convert_to_tensor(normalised(value), None)
        if array.dtype is not spec.dtype:
            array = convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"from_generator: the generator gave {item!r} where {spec!r} is declared: {error}"
        ) from error
    finally:
        BUILDER.reset(entry)
    if not is_compatible(array.dims, spec.dims):
        raise ValueError(
            f"from_generator: the generator gave an element of shape {show(array.dims)} where "
            f"{show(spec.dims)} is declared"
        )
    return array.array


def _outside_graphs(function, *args):
    """Call the user's Python code so that its operations run at once."""
    entry = BUILDER.set(None)
    try:
        return function(*args)
    finally:
        BUILDER.reset(entry)
