"""`Dataset`: a sequence of elements that may be too long to be held at once."""

from __future__ import annotations

import os

from ....runtime.core.dtypes import as_dtype, int64
from ....runtime.core.public_names import public
from ....runtime.core.shapes import as_shape
from ....runtime.tensors.apply import BUILDER, convert_to_tensor
from ....runtime.tensors.tensor import Tensor
from ....tracing.structures import nest
from ....tracing.type_system.trace_types import TensorSpec, TypeSpec
from ...file_io.tfrecord import files_matching
from ..elements import nodes
from ..elements.dataset_specs import DatasetSpec, specified_by
from ..elements.element_storage import Stored, read_spec, store, write_spec
from ..elements.element_structure import (
    map_specs,
    normalised,
    packed_arrays,
    rows_of,
    spec_of,
    tensors_of,
)
from ..elements.options import Options
from ..transformations import sources
from .batching_methods import Grouping
from .elementwise_methods import Transformations
from .iterators import Elements, Iterator, iterate, refuse_python_loop
from .sampling_methods import Selecting


@public("data.Dataset")
@specified_by(DatasetSpec)
class Dataset(Transformations, Grouping, Selecting, Elements):
    """A sequence of elements, each a structure of tensors; every loop over it starts anew.

    Datasets do not change: each method gives a new one. A `for` in a decorated function becomes a
    loop of the graph, traced once; a function called with another dataset of the same elements is
    not traced again.

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

    _options: Options | None = None

    def __init__(self, variant_tensor, element_spec):
        super().__init__(variant_tensor, element_spec)

    @staticmethod
    def _made(factory, operands, element_spec, **fixed) -> Dataset:
        """The dataset whose node is `factory(*operands, **fixed)`, of datasets and tensors."""
        handles = [one._handle if isinstance(one, Dataset) else one for one in operands]
        made = Dataset(nodes.make(factory, handles, fixed), element_spec)
        for one in operands:
            if isinstance(one, Dataset) and one._options is not None:
                made._options = (
                    one.options() if made._options is None else made._options.merge(one.options())
                )
        return made

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    # ---- where elements come from ----------------------------------------------------------

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Dataset:
        """The rows of a tensor, or of a structure of tensors, which are as long as each other.

        >>> ds = Dataset.from_tensor_slices({"a": [1, 2], "b": [[3.0], [4.0]]})
        >>> [row["b"].tolist() for row in ds.as_numpy_iterator()]
        [[3.0], [4.0]]

        Raises ShapeError for a scalar, and where the first dimensions differ.
        """
        value = normalised(tensors)
        rows_of(value, "from_tensor_slices")
        spec = map_specs(lambda shape, _: None if shape is None else shape[1:], spec_of(value))
        return Dataset._made(sources.Slices, tensors_of(value), spec)

    @staticmethod
    def from_tensors(tensors, name=None) -> Dataset:
        """One element.

        >>> [x.tolist() for x in Dataset.from_tensors([1, 2]).as_numpy_iterator()]
        [[1, 2]]
        """
        value = normalised(tensors)
        return Dataset._made(sources.Whole, tensors_of(value), spec_of(value))

    @staticmethod
    def range(*args, output_type=int64, name=None) -> Dataset:
        """The numbers `range(stop)`, `range(start, stop)` or `range(start, stop, step)` has.

        >>> [int(x) for x in Dataset.range(1, 6, 2)]
        [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range takes 1 to 3 numbers, not {len(args)}")
        start, stop, step = {1: (0, *args, 1), 2: (*args, 1), 3: args}[len(args)]
        dtype = as_dtype(output_type)
        operands = [convert_to_tensor(bound) for bound in (start, stop, step)]
        return Dataset._made(sources.Counting, operands, TensorSpec([], dtype), dtype=dtype)

    @staticmethod
    def counter(start=0, step=1, dtype=int64, name=None) -> Dataset:
        """The numbers `start, start + step, ...`, without end.

        >>> [int(x) for x in Dataset.counter(5, 2).take(3)]
        [5, 7, 9]
        """
        dtype = as_dtype(dtype)
        operands = [convert_to_tensor(start), convert_to_tensor(step)]
        return Dataset._made(sources.Endless, operands, TensorSpec([], dtype), dtype=dtype)

    @staticmethod
    def from_generator(
        generator, output_types=None, output_shapes=None, args=None, output_signature=None,
        name=None,
    ) -> Dataset:  # fmt: skip
        """What a Python generator yields; `generator` is called for each pass, with `args`.

        output_signature   a structure of `TensorSpec`
        output_types       the older form: a structure of data types, with `output_shapes` if known

        >>> def squares():
        ...     for k in range(3):
        ...         yield k * k
        >>> ds = Dataset.from_generator(squares, output_signature=TensorSpec([], "int32"))
        >>> [int(x) for x in ds]
        [0, 1, 4]

        Raises TypeError where `generator` is not callable, TypeError or ValueError when an item
        does not fit the signature. Errors of the generator pass as they are.
        """
        if not callable(generator):
            raise TypeError("from_generator: `generator` must be callable, and give an iterable")
        spec = _declared(output_types, output_shapes, output_signature)
        operands = [convert_to_tensor(one) for one in args or ()]
        return Dataset._made(sources.Generated, operands, spec, function=generator, spec=spec)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Dataset:
        """The names of the files that match one or more patterns, in random order.

        With `shuffle=False` they are sorted. Raises NotFoundError when there are none.
        """
        names = files_matching(file_pattern)
        dataset = Dataset.from_tensor_slices(names)
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None) -> None:
        """Write all elements into a folder, from which `Dataset.load` reads them."""
        folder = os.fspath(path)
        write_spec(self._element_spec, folder)
        rows = list(self._thing().elements())
        for _ in store(rows, os.path.join(folder, "elements"), len(rows)):
            pass

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Dataset:
        """The dataset that `save` wrote.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> Dataset.range(3).save(folder)
        >>> [int(x) for x in Dataset.load(folder)]
        [0, 1, 2]

        Raises NotFoundError when nothing was saved there.
        """
        folder = os.fspath(path)
        spec = read_spec(folder)
        name = convert_to_tensor(os.path.join(folder, "elements"))
        return Dataset._made(Stored, [name], spec)

    # ---- elements --------------------------------------------------------------------------

    def __iter__(self) -> Iterator:
        if BUILDER.get() is not None:
            raise refuse_python_loop(self)
        return iterate(self._thing().elements(), self._element_spec)

    def as_numpy_iterator(self):
        """The elements as NumPy arrays, eagerly."""
        spec = self._element_spec
        for flat in self._thing().elements():
            element = packed_arrays(spec, flat)
            yield nest.map_structure(lambda leaf: leaf.numpy(), element)

    def staged_iter(self):
        return Iterator(nodes.run("make_iterator", self._handle), self._element_spec)

    def cardinality(self, name=None) -> Tensor:
        """How many elements there are: -1 when they never end, -2 when nobody knows.

        >>> int(Dataset.range(7).batch(2).cardinality())
        4
        """
        return nodes.run("dataset_cardinality", self._handle)

    def __len__(self) -> int:
        """How many elements there are; TypeError when that is unknown or infinite."""
        if BUILDER.get() is not None:
            raise TypeError("the length of a dataset is not known while tracing: use cardinality()")
        count = self._thing().cardinality()
        if count < 0:
            raise TypeError(
                "the dataset is infinite"
                if count == nodes.INFINITE
                else "the length of this dataset is not known"
            )
        return count

    def staged_length(self):
        return self.cardinality()

    def options(self) -> Options:
        """The options that hold for this dataset: its own, and those of what it is made from."""
        return Options() if self._options is None else self._options

    def with_options(self, options: Options, name=None) -> Dataset:
        """The same elements; `options` hold for this dataset and what is made from it."""
        made = Dataset(self._handle, self._element_spec)
        made._options = self.options().merge(options)
        return made

    def __repr__(self):
        return f"<Dataset element_spec={self._element_spec!r}>"


def _declared(types, shapes, signature):
    """The specification of generated elements, from either form."""
    if signature is not None:
        if types is not None or shapes is not None:
            raise TypeError("from_generator: output_signature replaces output_types and shapes")
        for leaf in nest.flatten(signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(f"from_generator: {leaf!r} in output_signature is no TensorSpec")
        return signature
    if types is None:
        raise TypeError("from_generator needs output_signature")
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)
    leaves = nest.flatten(types)
    found = _shapes_like(types, shapes)
    specs = [TensorSpec(shape, dtype) for shape, dtype in zip(found, leaves, strict=True)]
    return nest.pack_sequence_as(types, specs)


def _shapes_like(types, shapes) -> list:
    """One shape for each type; a shape may be written as a tuple or list."""
    kind = nest.kind_of(types)
    if kind is None:
        return [as_shape(shapes)]
    keys = kind.keys(types)
    pairs = zip(kind.children(types, keys), kind.children(shapes, keys), strict=True)
    return [shape for part, inner in pairs for shape in _shapes_like(part, inner)]
