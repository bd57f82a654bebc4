"""The methods of `Dataset` that group elements, or draw them from several datasets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .... import (
    TensorSpec,
    cast,
    convert_to_tensor,
    float64,
    int32,
    int64,
    one_hot,
    random,
    reduce_max,
    zeros,
)
from ....extend import tracing
from ....extend.operations import OPERATIONS, ops
from ..elements import nodes
from ..elements.dataset_specs import DatasetSpec
from ..elements.element_structure import arguments_of, flat_specs, joined, packed, require_tensors
from ..transformations import group_and_sample
from ..transformations.user_function_graphs import Traced
from .batching_methods import _seed
from .elementwise_methods import count_tensor

KEY = TensorSpec([], int64)
LEAST = 1e-9  # of frequencies: quotients are finite


class Selecting:
    """Mixin of `Dataset` with the methods that group and sample elements."""

    def group_by_window(
        self, key_func: Callable, reduce_func: Callable, window_size=None, window_size_func=None,
        name=None,
    ):  # fmt: skip
        """The results of `reduce_func` for windows of `window_size` elements with equal keys.

        `key_func(*element)` returns an int64 scalar. `reduce_func(key, window)` gets the window as
        a dataset and returns a dataset, whose elements are those of the result. Windows that are
        incomplete at the end are reduced too. `window_size_func(key)` is an alternative to
        `window_size`.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(7)
        >>> ds = ds.group_by_window(lambda x: x % 2, lambda key, window: window.batch(9), 2)
        >>> [x.tolist() for x in ds.as_numpy_iterator()]
        [[0, 2], [1, 3], [4, 6], [5]]

        Raises ValueError unless exactly one of `window_size` and `window_size_func` is given.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("group_by_window: give window_size or window_size_func")
        fixed_size = None if window_size is None else convert_to_tensor(window_size, int64)
        key = Traced(key_func, arguments_of(self.element_spec))
        if key.output != KEY:
            raise ValueError(f"group_by_window: the key is {key.output!r}, not an int64 scalar")
        size = Traced(window_size_func or (lambda key: fixed_size), (KEY,))
        reduce = Traced(reduce_func, (KEY, DatasetSpec(self.element_spec)))
        if type(reduce.output) is not DatasetSpec:
            raise TypeError(
                f"group_by_window: reduce_func returns {reduce.output!r}, not a dataset"
            )
        functions = (key, size, reduce)
        captures = [tensor for function in functions for tensor in function.captures]
        counts = [len(function.captures) for function in functions]
        return self._create(
            group_and_sample.GroupByWindow, [self, *captures], reduce.output.element_spec,
            key=key, size=size, reduce=reduce, counts=counts,
        )  # fmt: skip

    def bucket_by_sequence_length(
        self, element_length_func: Callable, bucket_boundaries, bucket_batch_sizes,
        padded_shapes=None, padding_values=None,
        no_padding=False, drop_remainder=False, name=None,
    ):  # fmt: skip
        """Padded batches of elements of similar length.

        Bucket `k` collects elements with a length below `bucket_boundaries[k]`, the last bucket all
        others. The batches of bucket `k` have the size `bucket_batch_sizes[k]`.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensor_slices([1, 5, 2, 6]).map(lambda n: ag.ones([n]))
        >>> ds = ds.bucket_by_sequence_length(lambda x: ag.shape(x)[0], [3], [2, 2])
        >>> [tuple(x.shape) for x in ds]
        [(2, 2), (2, 6)]

        Raises ValueError unless there is one batch size more than boundaries.
        """
        boundaries, sizes = list(bucket_boundaries), list(bucket_batch_sizes)
        if len(sizes) != len(boundaries) + 1:
            raise ValueError("bucket_by_sequence_length: one batch size more than boundaries")
        limits, counts = convert_to_tensor(boundaries, int64), convert_to_tensor(sizes, int64)
        length_of = tracing.converted(element_length_func)

        def bucket(*element):
            return _count_reached(limits, length_of(*element))

        def batched(key, window):
            if no_padding:
                return window.batch(counts[key], drop_remainder)
            return window.padded_batch(counts[key], padded_shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, batched, window_size_func=lambda key: counts[key])

    def unique(self, name=None):
        """The distinct elements, in order of first appearance.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.from_tensor_slices([1, 2, 1, 3]).unique()]
        [1, 2, 3]
        """
        require_tensors(self.element_spec, "unique")
        return self._create(group_and_sample.Unique, [self], self.element_spec)

    def ignore_errors(self, log_warning=False, name=None):
        """The elements without those for which a preceding function raises an exception.

        With `log_warning` the exceptions are printed.
        """
        return self._create(
            group_and_sample.IgnoreErrors, [self], self.element_spec, log=bool(log_warning)
        )

    def get_single_element(self, name=None):
        """The only element.

        >>> import allograph as ag
        >>> ag.data.Dataset.range(3).batch(3).get_single_element().numpy().tolist()
        [0, 1, 2]

        Raises InvalidArgumentError if there is none or more than one.
        """
        specs = flat_specs(self.element_spec)
        return packed(self.element_spec, nodes.run("dataset_element", self.handle, specs=specs))

    @classmethod
    def choose_from_datasets(cls, datasets, choice_dataset, stop_on_empty_dataset=True, name=None):
        """Elements of several datasets, in the order that `choice_dataset` determines.

        Each element of `choice_dataset`, an int64 scalar, is the index of the dataset from which
        the next element is taken. The result ends with the first empty dataset, or with the last if
        `stop_on_empty_dataset` is False.

        >>> import allograph as ag
        >>> a, b = (ag.data.Dataset.from_tensors(x).repeat() for x in (10, 20))
        >>> ds = ag.data.Dataset.choose_from_datasets([a, b], ag.data.Dataset.range(2).repeat(2))
        >>> [int(x) for x in ds]
        [10, 20, 10, 20]
        """
        if choice_dataset.element_spec != KEY:
            raise TypeError(
                f"choose_from_datasets: choices are int64, not {choice_dataset.element_spec!r}"
            )
        spec = _common_spec(datasets, "choose_from_datasets")
        return cls._create(
            group_and_sample.Choose,
            [choice_dataset, *datasets],
            spec,
            stop=bool(stop_on_empty_dataset),
        )

    @classmethod
    def sample_from_datasets(
        cls, datasets, weights=None, seed=None, stop_on_empty_dataset=False,
        rerandomize_each_iteration=None, name=None,
    ):  # fmt: skip
        """Elements of several datasets, each taken from one that is drawn at random.

        `weights` are the relative probabilities of the datasets, equal by default. An exhausted
        dataset is skipped, or ends the result if `stop_on_empty_dataset` is true.

        >>> import allograph as ag
        >>> a, b = (ag.data.Dataset.from_tensors(x).repeat(3) for x in (1, 2))
        >>> sorted(int(x) for x in ag.data.Dataset.sample_from_datasets([a, b], seed=7))
        [1, 1, 1, 2, 2, 2]
        """
        spec = _common_spec(datasets, "sample_from_datasets")
        probabilities = np.ones(len(datasets)) if weights is None else weights
        probabilities = convert_to_tensor(probabilities)
        if probabilities.dims not in (None, (None,), (len(datasets),)):
            raise ValueError("sample_from_datasets: one weight for each dataset is needed")
        return cls._create(
            group_and_sample.Sample, [probabilities, *_seed(seed), *datasets], spec,
            seeded=seed is not None, varies=bool(rerandomize_each_iteration),
            stop=bool(stop_on_empty_dataset),
        )  # fmt: skip

    def rejection_resample(
        self, class_func: Callable, target_dist, initial_dist=None, seed=None, name=None
    ):
        """Pairs of a class and an element, without some, so that classes are as frequent as told.

        `class_func` gives the class of an element, an integer; `target_dist` has the frequency
        that each class should have. `initial_dist` has the frequencies in this dataset; without
        it, they are those of the elements so far.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensor_slices([0, 1, 1, 1] * 50)
        >>> kept = ds.rejection_resample(lambda x: x, [1.0, 0.0], [0.25, 0.75])
        >>> {int(label) for label, _ in kept}
        {0}
        """
        target = convert_to_tensor(target_dist, float64)
        given = None if initial_dist is None else convert_to_tensor(initial_dist, float64)
        is_single = not isinstance(self.element_spec, tuple)

        def labelled(*element):
            label = cast(tracing.call_user_code(class_func, *element), int32)
            return label, element[0] if is_single else element

        def step(seen, pair):
            seen = seen + one_hot(pair[0], target.dims[0], dtype=float64)
            share = target / ops.maximum(seen if given is None else given, LEAST)
            keep = random.uniform([], dtype=float64, seed=seed) < share[pair[0]] / reduce_max(share)
            return seen, (keep, *pair)

        steps = self.map(labelled).scan(zeros([target.dims[0]], float64), step)
        kept = steps.filter(lambda keep, label, element: keep)
        return kept.map(lambda keep, label, element: (label, element))

    def assert_cardinality(self, expected_cardinality):
        """The same elements. Raises InvalidArgumentError at the end if their number differs."""
        operands = [self, count_tensor(expected_cardinality, -1)]
        return self._create(group_and_sample.AssertCardinality, operands, self.element_spec)


def _count_reached(limits, length):
    """The number of boundaries that are at most a length."""
    reached = limits <= OPERATIONS["cast"](convert_to_tensor(length), dtype=int64)
    return OPERATIONS["reduce_sum"](
        OPERATIONS["cast"](reached, dtype=int64), axis=None, keepdims=False
    )


def _common_spec(datasets, caller: str):
    """The narrowest specification that covers the elements of all datasets."""
    if not datasets:
        raise ValueError(f"{caller}: there is no dataset")
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        spec = joined(spec, dataset.element_spec, caller)
    return spec
