"""Datasets of the sequences in an array, for models of time series."""

from __future__ import annotations

import numpy as np

from .... import convert_to_tensor, gather
from ....extend.registration import public
from .dataset import Dataset


@public(
    "keras.utils.timeseries_dataset_from_array", "keras.preprocessing.timeseries_dataset_from_array"
)
def timeseries_dataset_from_array(
    data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128,
    shuffle=False, seed=None, start_index=None, end_index=None,
):  # fmt: skip
    """A dataset of batches of sequences from an array, with their targets unless these are None.

    A sequence has `sequence_length` rows, `sampling_rate` apart, and begins `sequence_stride` rows
    after the one before. `targets[i]` is that of the sequence which begins at row i. Batches of
    `batch_size` sequences, or single ones for None.

    >>> windows = ag.keras.preprocessing.timeseries_dataset_from_array
    >>> batches = windows(np.arange(4), None, 2, batch_size=8)
    >>> next(iter(batches)).numpy().tolist()
    [[0, 1], [1, 2], [2, 3]]

    Raises ValueError for sizes that are not positive.
    """
    for name, value in (
        ("sequence_length", sequence_length), ("sequence_stride", sequence_stride),
        ("sampling_rate", sampling_rate),
    ):  # fmt: skip
        if value < 1:
            raise ValueError(f"timeseries_dataset_from_array: {name} is positive, not {value}")
    first = start_index or 0
    rows = np.asarray(data)[first:end_index]
    count = max(0, len(rows) - (sequence_length - 1) * sampling_rate)
    if targets is not None:
        labels = np.asarray(targets)[first:end_index]
        count = min(count, len(labels))
    starts = np.arange(0, count, sequence_stride)
    if shuffle:
        starts = np.random.default_rng(seed).permutation(starts)
    steps = np.arange(sequence_length) * sampling_rate
    source, offsets = convert_to_tensor(rows), convert_to_tensor(steps)

    def sequence(start):
        return gather(source, start + offsets)

    dataset = Dataset.from_tensor_slices(convert_to_tensor(starts))
    sequences = dataset.map(sequence)
    if targets is not None:
        sequences = Dataset.zip((sequences, Dataset.from_tensor_slices(labels[starts])))
    if batch_size is not None:
        sequences = sequences.batch(batch_size)
    return sequences.prefetch(1)


@public("keras.utils.split_dataset")
def split_dataset(
    dataset, left_size=None, right_size=None, shuffle=False, seed=None, preferred_backend=None
):
    """Two datasets of the first and the last elements of a dataset or of arrays.

    A size is a number of elements, or a share of them; that of the other one follows.

    >>> one, other = ag.keras.utils.split_dataset(np.arange(5), left_size=0.6)
    >>> [int(x) for x in one], [int(x) for x in other]
    ([0, 1, 2], [3, 4])

    Raises ValueError for sizes that do not fit.
    """
    data = dataset if isinstance(dataset, Dataset) else Dataset.from_tensor_slices(dataset)
    rows = list(data)
    if shuffle:
        rows = [rows[one] for one in np.random.default_rng(seed).permutation(len(rows))]
    left, right = (
        None if size is None else round(size * len(rows)) if isinstance(size, float) else size
        for size in (left_size, right_size)
    )
    if left is None and right is None:
        raise ValueError("split_dataset: give left_size or right_size")
    left = len(rows) - right if left is None else left
    right = len(rows) - left if right is None else right
    if min(left, right) < 1 or left + right > len(rows):
        raise ValueError(f"split_dataset: {left} and {right} of {len(rows)} elements")

    def part(chosen) -> Dataset:
        return Dataset.from_generator(lambda: iter(chosen), output_signature=data.element_spec)

    return part(rows[:left]), part(rows[left : left + right])
