"""`Dataset`: a sequence of elements that need not fit into memory."""

from __future__ import annotations

import os

from .... import Tensor, TensorSpec, TypeSpec, as_dtype, convert_to_tensor, int64
from ....extend import nest
from ....extend.errors import in_users_words
from ....extend.graphs import BUILDER
from ....extend.registration import public
from ....extend.specs import CompositeTensor, as_shape, container_of
from ....extend.tensors import RichDisplay
from ...file_io.tfrecord import files_matching
from ..elements import nodes
from ..elements.dataset_specs import DatasetSpec, specified_by
from ..elements.element_storage import Stored, read_spec, store, write_spec
from ..elements.element_structure import (
    common_length,
    normalized,
    spec_of,
    tensors_of,
    unbatched,
)
from ..elements.options import Options
from ..transformations import sources
from .batching_methods import Grouping
from .dask_arrays import in_blocks_of_rows, row_shape
from .elementwise_methods import Transformations
from .iterators import Elements, Iterator, NumpyIterator, iterate, refuse_python_loop
from .sampling_methods import Selecting


@public("data.Dataset")
@specified_by(DatasetSpec)
class Dataset(Transformations, Grouping, Selecting, Elements, RichDisplay):
    """A sequence of elements, each a structure of tensors.

    Every iteration starts from the beginning. Datasets are immutable: each method returns a new
    one. A `for` statement over a dataset in a decorated function becomes a loop of the graph. A
    function is not traced again for another dataset with the same `element_spec`.

    >>> import allograph as ag
    >>> ds = ag.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6]))
    >>> @ag.function
    ... def dot(ds):
    ...     total = 0
    ...     for x, y in ds:
    ...         total += x * y
    ...     return total
    >>> int(dot(ds))
    32
    """

    def __init__(self, variant_tensor, element_spec):
        super().__init__(variant_tensor, element_spec)

    @staticmethod
    def _create(factory, operands, element_spec, **fixed) -> Dataset:
        """The dataset of the node `factory(*operands, **fixed)`; operands: datasets, tensors."""
        handles = [one.handle if isinstance(one, Dataset) else one for one in operands]
        dataset = Dataset(nodes.make(factory, handles, fixed), element_spec)
        options = [one.own_options for one in operands if isinstance(one, Dataset)]
        for one in options:
            if one is not None:
                dataset.own_options = dataset.options().merge(one)
        return dataset

    def __tf_tracing_type__(self, context) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    # ---- sources ---------------------------------------------------------------------------

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Dataset:
        """A dataset of the slices of a tensor, or of a structure of tensors, along the first axis.

        >>> ds = Dataset.from_tensor_slices({"a": [1, 2], "b": [[3.0], [4.0]]})
        >>> [row["b"].tolist() for row in ds.as_numpy_iterator()]
        [[3.0], [4.0]]

        Raises ShapeError for a scalar, and if the first dimensions differ.
        """
        value = normalized(tensors)
        common_length(value, "from_tensor_slices")
        spec = unbatched(spec_of(value))
        if any(isinstance(leaf, CompositeTensor) for leaf in nest.flatten(value, container_of)):
            return Dataset.from_tensors(value).unbatch()
        return Dataset._create(sources.Slices, tensors_of(value), spec)

    @staticmethod
    def from_dask(arrays, name=None) -> Dataset:
        """A dataset of the rows of a Dask array, or of a structure of Dask arrays.

        One block of rows is computed at a time, so the arrays need not fit into memory. Arrays that
        are cut into other rows than the first one are cut anew.

        >>> import dask.array as da
        >>> x = da.arange(6, chunks=2).reshape(3, 2)
        >>> [row.tolist() for row in Dataset.from_dask(x).as_numpy_iterator()]
        [[0, 1], [2, 3], [4, 5]]

        Raises TypeError for anything but Dask arrays, ShapeError for one without axes, and if the
        numbers of rows differ.
        """
        leaves = in_blocks_of_rows(nest.flatten(arrays))
        specs = [TensorSpec(row_shape(leaf), as_dtype(leaf.dtype)) for leaf in leaves]
        spec = nest.pack_sequence_as(arrays, specs)
        return Dataset._create(sources.Blocks, [], spec, arrays=leaves)

    @staticmethod
    def from_tensors(tensors, name=None) -> Dataset:
        """A dataset of one element, a tensor or a structure of tensors.

        >>> [x.tolist() for x in Dataset.from_tensors([1, 2]).as_numpy_iterator()]
        [[1, 2]]
        """
        value = normalized(tensors)
        return Dataset._create(sources.Whole, tensors_of(value), spec_of(value))

    @staticmethod
    def range(*args, output_type=int64, name=None) -> Dataset:
        """The integers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        >>> [int(x) for x in Dataset.range(1, 6, 2)]
        [1, 3, 5]

        Raises ValueError for another number of arguments.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range takes 1 to 3 numbers, not {len(args)}")
        start, stop, step = {1: (0, *args, 1), 2: (*args, 1), 3: args}[len(args)]
        dtype = as_dtype(output_type)
        operands = [convert_to_tensor(bound) for bound in (start, stop, step)]
        return Dataset._create(sources.Counting, operands, TensorSpec([], dtype), dtype=dtype)

    @classmethod
    def counter(cls, start=0, step=1, dtype=int64, name=None) -> Dataset:
        """The integers `start, start + step, ...`, without end.

        >>> [int(x) for x in Dataset.counter(5, 2).take(3)]
        [5, 7, 9]
        """
        dtype = as_dtype(dtype)
        operands = [convert_to_tensor(start), convert_to_tensor(step)]
        return cls._create(sources.Endless, operands, TensorSpec([], dtype), dtype=dtype)

    @staticmethod
    def from_generator(
        generator, output_types=None, output_shapes=None, args=None, output_signature=None,
        name=None,
    ) -> Dataset:  # fmt: skip
        """The items of a Python generator; each pass calls `generator(*args)`.

        output_signature   a structure of `TensorSpec`, the type of an item
        output_types       the older alternative: a structure of dtypes, with `output_shapes`

        >>> def squares():
        ...     for k in range(3):
        ...         yield k * k
        >>> ds = Dataset.from_generator(squares, output_signature=TensorSpec([], "int32"))
        >>> [int(x) for x in ds]
        [0, 1, 4]

        Raises TypeError if `generator` is not callable, and TypeError or ValueError, on iteration,
        for an item that does not fit the signature. Exceptions of the generator propagate.
        """
        if not callable(generator):
            raise TypeError(
                "from_generator: `generator` must be a callable that returns an iterable: the "
                "generator function itself, not the result of its call"
            )
        spec = _declared(output_types, output_shapes, output_signature)
        operands = [convert_to_tensor(arg) for arg in args or ()]
        return Dataset._create(sources.Generated, operands, spec, function=generator, spec=spec)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Dataset:
        """The names of the files that match one or more patterns, as strings in random order.

        With `shuffle=False` they are sorted. Raises NotFoundError if no file matches.
        """
        names = files_matching(file_pattern)
        dataset = Dataset.from_tensor_slices(names)
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None) -> None:
        """Write all elements to the folder `path`, for `Dataset.load`."""
        folder = os.fspath(path)
        write_spec(self._element_spec, folder)
        elements = list(self._node().elements())
        for _ in store(elements, os.path.join(folder, "elements"), len(elements)):
            pass

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Dataset:
        """The dataset that `save` wrote to the folder `path`.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> Dataset.range(3).save(folder)
        >>> [int(x) for x in Dataset.load(folder)]
        [0, 1, 2]

        Nothing of the files is executed, so they may come from a stranger. Raises NotFoundError if
        the folder has no dataset, DataLossError if a file is damaged.
        """
        folder = os.fspath(path)
        spec = read_spec(folder)
        name = convert_to_tensor(os.path.join(folder, "elements"))
        return Dataset._create(Stored, [name], spec, spec=spec)

    # ---- elements --------------------------------------------------------------------------

    def __iter__(self) -> Iterator:
        if BUILDER.get() is not None:
            raise refuse_python_loop(self)
        return iterate(self._node(), self._element_spec)

    def as_numpy_iterator(self):
        """An iterator over the elements as structures of NumPy arrays; eager mode only."""
        return NumpyIterator(self)

    def staged_iter(self):
        return Iterator(nodes.run("make_iterator", self.handle), self._element_spec)

    def cardinality(self, name=None) -> Tensor:
        """The number of elements, as an int64 scalar: -1 if infinite, -2 if unknown.

        >>> int(Dataset.range(7).batch(2).cardinality())
        4
        """
        return nodes.run("dataset_cardinality", self.handle)

    def __len__(self) -> int:
        """The number of elements. Raises TypeError if it is unknown or infinite."""
        if BUILDER.get() is not None:
            raise TypeError("the length of a dataset is not known while tracing: use cardinality()")
        return int(nodes.run("dataset_length", self.handle))

    def staged_length(self):
        """As `len`, when the graph runs."""
        return nodes.run("dataset_length", self.handle)

    def options(self) -> Options:
        """The options of this dataset, including those of the datasets that it is built from."""
        return Options() if self.own_options is None else self.own_options

    def with_options(self, options: Options, name=None) -> Dataset:
        """The same elements, with `options` for this dataset and all that are built from it."""
        dataset = Dataset(self.handle, self._element_spec)
        dataset.own_options = self.options().merge(options)
        return dataset

    def __repr__(self):
        return f"<Dataset element_spec={self._element_spec!r}>"


def _declared(types, shapes, signature):
    """The specification of generated elements, from a signature or from types and shapes."""
    if signature is not None:
        if types is not None or shapes is not None:
            raise TypeError("from_generator: output_signature replaces output_types and shapes")
        for leaf in nest.flatten(signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(f"from_generator: {leaf!r} in output_signature is not a TensorSpec")
        return signature
    if types is None:
        example = in_users_words("ag.TensorSpec([], ag.int32) for numbers")
        raise TypeError(f"from_generator needs output_signature, such as {example}")
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)
    leaves = nest.flatten(types)
    shapes_of_leaves = _shapes_like(types, shapes)
    specs = [
        TensorSpec(shape, dtype) for shape, dtype in zip(shapes_of_leaves, leaves, strict=True)
    ]
    return nest.pack_sequence_as(types, specs)


def _shapes_like(types, shapes) -> list:
    """A shape for each type, from a structure in which shapes may be tuples or lists."""
    container = nest.container_type(types)
    if container is None:
        return [as_shape(shapes)]
    keys = container.keys(types)
    pairs = zip(container.children(types, keys), container.children(shapes, keys), strict=True)
    return [shape for child, shape_child in pairs for shape in _shapes_like(child, shape_child)]
