"""The methods of `Dataset` that process elements one by one."""

from __future__ import annotations

from collections.abc import Callable

from .... import Tensor, TensorSpec, convert_to_tensor, int64
from .... import bool as bool_
from ....extend import nest
from ..elements import nodes
from ..elements.dataset_specs import DatasetSpec
from ..elements.element_structure import (
    arguments_of,
    datasets_of,
    flat_specs,
    joined,
    normalized,
    packed,
    spec_of,
    tensors_of,
)
from ..transformations import elementwise
from ..transformations.parallel_map import ParallelMap
from ..transformations.user_function_graphs import Traced


def count_tensor(value, default: int) -> Tensor:
    """A count as a tensor, with a default for None."""
    return convert_to_tensor(default if value is None else value)


class Transformations:
    """Mixin of `Dataset` with the methods that process elements one by one."""

    def map(
        self, map_func: Callable, num_parallel_calls=None, deterministic=None, synchronous=None,
        use_unbounded_threadpool=False, name=None,
    ):  # fmt: skip
        """The results of `map_func` for each element. The components of a tuple are its arguments.

        The function is converted and traced once. Use `py_function` for Python code that has to run
        for each element. With `num_parallel_calls` (AUTOTUNE: the number of processors) several
        elements are computed at a time if that is faster; their order is kept. A function that
        prints, draws random numbers or assigns to variables is called sequentially.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(4).map(lambda x: x * x if x % 2 == 0 else -x)
        >>> [int(x) for x in ds]
        [0, -1, 4, -3]
        """
        function = Traced(map_func, arguments_of(self.element_spec))
        if num_parallel_calls is None or function.keeps_order:
            factory, operands = elementwise.Map, [self]
        else:
            factory, operands = ParallelMap, [self, count_tensor(num_parallel_calls, 1)]
        return self._create(
            factory, [*operands, *function.captures], function.output, function=function
        )

    def progress(self, label: str = "elements"):
        """The same elements; each pass shows a progress bar, in a notebook or on a terminal.

        The bar counts the elements, beside their number if it is known, and vanishes after the last
        one. A terminal needs the package rich. Elsewhere, as in a log file, nothing is shown.

        >>> import allograph as ag
        >>> sum(int(x) for x in ag.data.Dataset.range(4).progress("summing"))
        6
        """
        return self._create(elementwise.Watched, [self], self.element_spec, label=label)

    def filter(self, predicate: Callable, name=None):
        """The elements for which `predicate` is true.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(6).filter(lambda x: x % 3 == 0)]
        [0, 3]

        Raises ValueError unless the predicate returns a bool scalar.
        """
        return self._filtered(predicate, "filter", while_=False)

    def take_while(self, predicate: Callable, name=None):
        """The elements before the first one for which `predicate` is false.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(9).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        return self._filtered(predicate, "take_while", while_=True)

    def _filtered(self, predicate, name: str, while_: bool):
        function = Traced(predicate, arguments_of(self.element_spec))
        output = function.output
        if type(output) is not TensorSpec or output.dtype is not bool_ or output.dims:
            raise ValueError(f"{name}: the predicate returns {output!r}, not a bool scalar")
        operands = [self, *function.captures]
        return self._create(
            elementwise.Filter, operands, self.element_spec, function=function, while_=while_
        )

    def scan(self, initial_state, scan_func: Callable, name=None):
        """The results of `state, result = scan_func(state, element)`, one for each element.

        The first state is `initial_state`, a structure of tensors.

        >>> import allograph as ag
        >>> zero = ag.constant(0, ag.int64)
        >>> ds = ag.data.Dataset.range(1, 5).scan(zero, lambda s, x: (s + x, s + x))
        >>> [int(x) for x in ds]
        [1, 3, 6, 10]
        """
        state = normalized(initial_state)
        function = _with_state(
            scan_func, spec_of(state), self.element_spec, _pair_of, "scan: the state"
        )
        before = tensors_of(state)
        return self._create(
            elementwise.Scan, [self, *before, *function.captures], function.output[1],
            function=function, states=len(before),
        )  # fmt: skip

    def reduce(self, initial_state, reduce_func: Callable, name=None):
        """The last state of `state = reduce_func(state, element)`, over all elements.

        The first state is `initial_state`, a structure of tensors, which is also the result for an
        empty dataset.

        >>> import allograph as ag
        >>> zero = ag.constant(0, ag.int64)
        >>> int(ag.data.Dataset.range(5).reduce(zero, lambda total, x: total + x))
        10
        """
        state = normalized(initial_state)
        function = _with_state(
            reduce_func,
            spec_of(state),
            self.element_spec,
            lambda results: results,
            "reduce: the state",
        )
        before = tensors_of(state)
        results = nodes.run(
            "reduce_dataset", self.handle, *before, *function.captures,
            function=function, states=len(before), specs=flat_specs(function.output),
        )  # fmt: skip
        return packed(function.output, results)

    def take(self, count, name=None):
        """The first `count` elements; all for -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(9).take(2)]
        [0, 1]
        """
        return self._create(elementwise.Take, [self, count_tensor(count, -1)], self.element_spec)

    def skip(self, count, name=None):
        """The elements after the first `count`; none for -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(4).skip(2)]
        [2, 3]
        """
        return self._create(elementwise.Skip, [self, count_tensor(count, -1)], self.element_spec)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`-th element, starting with element `index`.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        operands = [self, count_tensor(num_shards, 0), count_tensor(index, 0)]
        return self._create(elementwise.Shard, operands, self.element_spec)

    def repeat(self, count=None, name=None):
        """The elements repeated `count` times; without end for None or -1.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._create(elementwise.Repeat, [self, count_tensor(count, -1)], self.element_spec)

    def concatenate(self, dataset, name=None):
        """These elements, followed by those of another dataset.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(2)
        >>> [int(x) for x in ds.concatenate(ds)]
        [0, 1, 0, 1]

        Raises TypeError if the elements differ in structure or dtype.
        """
        spec = joined(self.element_spec, dataset.element_spec, "concatenate")
        return self._create(elementwise.Concatenate, [self, dataset], spec)

    def enumerate(self, start=0, name=None):
        """Pairs of an int64 index, counted from `start`, and an element.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensor_slices([7, 8]).enumerate(5)
        >>> [(int(k), int(x)) for k, x in ds]
        [(5, 7), (6, 8)]
        """
        spec = (TensorSpec([], int64), self.element_spec)
        return self._create(elementwise.Enumerate, [self, count_tensor(start, 0)], spec)

    def flat_map(self, map_func: Callable, name=None):
        """The elements of the datasets that `map_func` returns, one dataset after the other.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4).flat_map(ag.data.Dataset.range)
        >>> [int(x) for x in ds]
        [0, 0, 1, 0, 1, 2]
        """
        function = self._dataset_function(map_func, "flat_map")
        operands = [self, *function.captures]
        spec = function.output.element_spec
        return self._create(elementwise.FlatMap, operands, spec, function=function)

    def interleave(
        self, map_func: Callable, cycle_length=None, block_length=None, num_parallel_calls=None,
        deterministic=None, name=None,
    ):  # fmt: skip
        """The elements of the datasets that `map_func` returns, interleaved.

        `block_length` consecutive elements (default 1) are taken from each of `cycle_length` open
        datasets (default 2).

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4)
        >>> ds = ds.interleave(lambda x: ag.data.Dataset.from_tensors(x).repeat(3), 2, 2)
        >>> [int(x) for x in ds]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        function = self._dataset_function(map_func, "interleave")
        cycle = 2 if cycle_length in (None, -1) else cycle_length
        operands = [self, count_tensor(cycle, 2), count_tensor(block_length, 1), *function.captures]
        spec = function.output.element_spec
        return self._create(elementwise.Interleave, operands, spec, function=function)

    def _dataset_function(self, map_func, name: str) -> Traced:
        function = Traced(map_func, arguments_of(self.element_spec))
        if type(function.output) is not DatasetSpec:
            raise TypeError(f"{name}: the function returns {function.output!r}, not a dataset")
        return function

    def apply(self, transformation_func: Callable, name=None):
        """`transformation_func(self)`, to chain functions of datasets.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).apply(lambda ds: ds.skip(1))]
        [1, 2]

        Raises TypeError unless it returns a dataset.
        """
        result = transformation_func(self)
        if not isinstance(result, Transformations):
            raise TypeError(f"apply: the function returns {result!r}, not a dataset")
        return result

    @classmethod
    def zip(cls, *args, datasets=None, name=None):
        """Tuples of the elements of several datasets, up to the shortest of them.

        The datasets are separate arguments, or one structure, which the elements then have.

        >>> import allograph as ag
        >>> a, b = ag.data.Dataset.range(3), ag.data.Dataset.range(10, 12)
        >>> [(int(x), int(y)) for x, y in ag.data.Dataset.zip(a, b)]
        [(0, 10), (1, 11)]
        """
        argument = datasets if not args else args if len(args) > 1 else args[0]
        argument = tuple(argument) if isinstance(argument, list) else argument
        structure = spec_of(normalized(argument))
        leaves = nest.flatten(structure)
        if not all(type(leaf) is DatasetSpec for leaf in leaves):
            raise TypeError(f"Dataset.zip takes datasets, not {argument!r}")
        specs = [leaf.element_spec for leaf in leaves]
        spec = specs[0] if isinstance(argument, cls) else nest.pack_sequence_as(structure, specs)
        return cls._create(elementwise.Zip, datasets_of(argument), spec)


def _pair_of(output):
    """The state in the result of a function of `scan`."""
    if type(output) is not tuple or len(output) != 2:
        raise TypeError(f"scan: the function returns {output!r}, not a pair of state and result")
    return output[0]


def _with_state(function, state, element, state_of: Callable, caller: str) -> Traced:
    """The traced function of a state and an element; a dimension that changes becomes unknown."""
    while True:
        traced = Traced(function, (state, element))
        joined_state = joined(state, state_of(traced.output), caller)
        if nest.flatten(joined_state) == nest.flatten(state):
            return traced
        state = joined_state
