"""The methods of `Dataset` that take elements one by one."""

from __future__ import annotations

from collections.abc import Callable

from ....runtime.core.dtypes import bool_, int64
from ....runtime.tensors.apply import convert_to_tensor
from ....runtime.tensors.tensor import Tensor
from ....tracing.structures import nest
from ....tracing.type_system.trace_types import TensorSpec
from ..elements import nodes
from ..elements.dataset_specs import DatasetSpec
from ..elements.element_structure import (
    arguments_of,
    datasets_of,
    flat_specs,
    joined,
    normalised,
    packed,
    spec_of,
    tensors_of,
)
from ..transformations import elementwise
from ..transformations.parallel_map import ParallelMap
from ..transformations.user_function_graphs import Traced


def number(value, default: int) -> Tensor:
    """A count as a tensor; `default` stands for None."""
    return convert_to_tensor(default if value is None else value)


class Transformations:
    """Mixed into `Dataset`."""

    def map(
        self, map_func: Callable, num_parallel_calls=None, deterministic=None, synchronous=None,
        use_unbounded_threadpool=False, name=None,
    ):  # fmt: skip
        """`map_func` of each element; the parts of a tuple are its arguments.

        The function is converted and traced once. Python code that has to run for each element goes
        through `py_function`. With `num_parallel_calls` (AUTOTUNE: one for each processor) several
        elements are made at once where that pays; their order stays. A function that prints, draws
        random numbers or assigns to variables is called for one element after the other.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(4).map(lambda x: x * x if x % 2 == 0 else -x)
        >>> [int(x) for x in ds]
        [0, -1, 4, -3]
        """
        function = Traced(map_func, arguments_of(self.element_spec))
        if num_parallel_calls is None or function.keeps_order:
            factory, operands = elementwise.Map, [self]
        else:
            factory, operands = ParallelMap, [self, number(num_parallel_calls, 1)]
        return self._made(
            factory, [*operands, *function.captures], function.output, function=function
        )

    def filter(self, predicate: Callable, name=None):
        """The elements for which `predicate` holds.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(6).filter(lambda x: x % 3 == 0)]
        [0, 3]

        Raises ValueError unless the predicate gives a boolean scalar.
        """
        return self._chosen(predicate, "filter", while_=False)

    def take_while(self, predicate: Callable, name=None):
        """The elements before the first one for which `predicate` does not hold.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(9).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        return self._chosen(predicate, "take_while", while_=True)

    def _chosen(self, predicate, name: str, while_: bool):
        function = Traced(predicate, arguments_of(self.element_spec))
        given = function.output
        if type(given) is not TensorSpec or given.dtype is not bool_ or given.dims:
            raise ValueError(f"{name}: the predicate gives {given!r}, not a boolean scalar")
        operands = [self, *function.captures]
        return self._made(
            elementwise.Filter, operands, self.element_spec, function=function, while_=while_
        )

    def scan(self, initial_state, scan_func: Callable, name=None):
        """The results of `state, result = scan_func(state, element)`, one for each element.

        >>> import allograph as ag
        >>> zero = ag.constant(0, ag.int64)
        >>> ds = ag.data.Dataset.range(1, 5).scan(zero, lambda s, x: (s + x, s + x))
        >>> [int(x) for x in ds]
        [1, 3, 6, 10]
        """
        state = normalised(initial_state)
        function = _with_state(
            scan_func, spec_of(state), self.element_spec, _pair_of, "scan: the state"
        )
        before = tensors_of(state)
        return self._made(
            elementwise.Scan, [self, *before, *function.captures], function.output[1],
            function=function, states=len(before),
        )  # fmt: skip

    def reduce(self, initial_state, reduce_func: Callable, name=None):
        """The last state of `state = reduce_func(state, element)`, over all elements.

        >>> import allograph as ag
        >>> zero = ag.constant(0, ag.int64)
        >>> int(ag.data.Dataset.range(5).reduce(zero, lambda total, x: total + x))
        10
        """
        state = normalised(initial_state)
        function = _with_state(
            reduce_func, spec_of(state), self.element_spec, lambda made: made, "reduce: the state"
        )
        before = tensors_of(state)
        made = nodes.run(
            "reduce_dataset", self._handle, *before, *function.captures,
            function=function, states=len(before), specs=flat_specs(function.output),
        )  # fmt: skip
        return packed(function.output, made)

    def take(self, count, name=None):
        """The first `count` elements; all of them for -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(9).take(2)]
        [0, 1]
        """
        return self._made(elementwise.Take, [self, number(count, -1)], self.element_spec)

    def skip(self, count, name=None):
        """All but the first `count` elements; none for -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(4).skip(2)]
        [2, 3]
        """
        return self._made(elementwise.Skip, [self, number(count, -1)], self.element_spec)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`th element, from the one at `index`.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        operands = [self, number(num_shards, 0), number(index, 0)]
        return self._made(elementwise.Shard, operands, self.element_spec)

    def repeat(self, count=None, name=None):
        """The elements `count` times over; without end for None or -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._made(elementwise.Repeat, [self, number(count, -1)], self.element_spec)

    def concatenate(self, dataset, name=None):
        """These elements, and then those of another dataset.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(2)
        >>> [int(x) for x in ds.concatenate(ds)]
        [0, 1, 0, 1]

        Raises TypeError where the elements differ in structure or data type.
        """
        spec = joined(self.element_spec, dataset.element_spec, "concatenate")
        return self._made(elementwise.Concatenate, [self, dataset], spec)

    def enumerate(self, start=0, name=None):
        """Each element behind its number, an int64.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensor_slices([7, 8]).enumerate(5)
        >>> [(int(k), int(x)) for k, x in ds]
        [(5, 7), (6, 8)]
        """
        spec = (TensorSpec([], int64), self.element_spec)
        return self._made(elementwise.Enumerate, [self, number(start, 0)], spec)

    def flat_map(self, map_func: Callable, name=None):
        """The elements of the datasets that `map_func` gives, one dataset after the other.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4).flat_map(ag.data.Dataset.range)
        >>> [int(x) for x in ds]
        [0, 0, 1, 0, 1, 2]
        """
        function = self._giving_datasets(map_func, "flat_map")
        operands = [self, *function.captures]
        spec = function.output.element_spec
        return self._made(elementwise.FlatMap, operands, spec, function=function)

    def interleave(
        self, map_func: Callable, cycle_length=None, block_length=None, num_parallel_calls=None,
        deterministic=None, name=None,
    ):  # fmt: skip
        """The elements of the datasets that `map_func` gives, in turns.

        `block_length` (1) elements are taken from each of `cycle_length` (2) open datasets.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4)
        >>> ds = ds.interleave(lambda x: ag.data.Dataset.from_tensors(x).repeat(3), 2, 2)
        >>> [int(x) for x in ds]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        function = self._giving_datasets(map_func, "interleave")
        cycle = 2 if cycle_length in (None, -1) else cycle_length
        operands = [self, number(cycle, 2), number(block_length, 1), *function.captures]
        spec = function.output.element_spec
        return self._made(elementwise.Interleave, operands, spec, function=function)

    def _giving_datasets(self, map_func, name: str) -> Traced:
        function = Traced(map_func, arguments_of(self.element_spec))
        if type(function.output) is not DatasetSpec:
            raise TypeError(f"{name}: the function gives {function.output!r}, not a dataset")
        return function

    def apply(self, transformation_func: Callable, name=None):
        """`transformation_func(self)`, so that functions of datasets read in order.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).apply(lambda ds: ds.skip(1))]
        [1, 2]

        Raises TypeError unless it gives a dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, Transformations):
            raise TypeError(f"apply: the function gives {made!r}, not a dataset")
        return made

    @classmethod
    def zip(cls, *args, datasets=None, name=None):
        """The elements of several datasets side by side, as long as all have one.

        Datasets are given one by one, or as a structure, which the elements then have.

        >>> import allograph as ag
        >>> a, b = ag.data.Dataset.range(3), ag.data.Dataset.range(10, 12)
        >>> [(int(x), int(y)) for x, y in ag.data.Dataset.zip(a, b)]
        [(0, 10), (1, 11)]
        """
        given = datasets if not args else args if len(args) > 1 else args[0]
        given = tuple(given) if isinstance(given, list) else given
        found = spec_of(normalised(given))
        leaves = nest.flatten(found)
        if not all(type(leaf) is DatasetSpec for leaf in leaves):
            raise TypeError(f"Dataset.zip takes datasets, not {given!r}")
        rows = [leaf.element_spec for leaf in leaves]
        spec = rows[0] if isinstance(given, cls) else nest.pack_sequence_as(found, rows)
        return cls._made(elementwise.Zip, datasets_of(given), spec)


def _pair_of(made):
    """The state of what a function of `scan` gives."""
    if type(made) is not tuple or len(made) != 2:
        raise TypeError(f"scan: the function gives {made!r}, not a pair of state and result")
    return made[0]


def _with_state(function, state, element, state_of: Callable, what: str) -> Traced:
    """The function of a state and an element; a shape that changes becomes unknown."""
    while True:
        made = Traced(function, (state, element))
        wider = joined(state, state_of(made.output), what)
        if nest.flatten(wider) == nest.flatten(state):
            return made
        state = wider
