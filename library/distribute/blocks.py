"""`distribute.map_blocks` and its like: decorated functions on the blocks of Dask arrays.

Dask asks a function for the type of its results by calling it on empty arrays. Here the types come
from a trace for arrays of open sizes, which also serves the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import Tensor, TensorSpec
from ... import function as decorate
from ...extend import nest
from ...extend.errors import InvalidArgumentError, UnimplementedError
from ...extend.graphs import specialise_shapes
from ...extend.registration import public
from ...extend.specs import FROM_NUMPY
from ...extend.tracing import ConcreteFunction, JitFunction, PolymorphicFunction
from .block_sizes import is_dask, result_chunks

if TYPE_CHECKING:
    import dask.array


class BlockFunction:
    """A function of NumPy arrays, which a decorated function computes. It travels to workers."""

    def __init__(self, function: Callable):
        is_decorated = isinstance(function, PolymorphicFunction)
        made: Any = function if is_decorated else decorate(function)
        self.function = made
        self.__name__ = made.name

    def __call__(self, *blocks, **keywords):
        results = self.function(*blocks, **keywords)
        return nest.map_structure(_array_of, results)

    def result_types(self, arrays: Iterable, keywords: dict, margins=False) -> list[TensorSpec]:
        """The specs of the results for blocks of these arrays, from a trace.

        With `margins` the sizes of blocks are not those of the arrays.
        """
        concrete = self.trace(arrays, keywords, margins)
        return [leaf for leaf in nest.flatten(concrete.structured_outputs) if leaf is not None]

    def trace(self, arrays: Iterable, keywords: dict, margins=False) -> ConcreteFunction:
        """The trace for all blocks of these arrays."""
        specs = [_spec_of(array, margins) for array in arrays]
        return self.function.get_concrete_function(*specs, **keywords)

    def shapes(self, arrays: Iterable, keywords: dict) -> Callable[[list[tuple]], tuple]:
        """A function that gives the shape of the only result for blocks of given shapes."""
        concrete = self.trace(arrays, keywords)
        captured = [tuple(tensor.dims or ()) for tensor in concrete.captured_tensors]

        def shape(inputs: list[tuple]) -> tuple:
            graph = specialise_shapes(concrete.frozen, [*inputs, *captured])
            return graph.outputs[0].shape or ()

        return shape


class JitBlockFunction(BlockFunction):
    """Such a function by `jit`. Its traces are for arrays of known sizes, so a call with ones tells
    what it gives for blocks of a size.
    """

    def __init__(self, function: JitFunction):
        self.function = function
        self.__name__ = function.__name__

    def result_types(self, arrays: Iterable, keywords: dict, margins=False) -> list[TensorSpec]:
        result = self.function(*map(_ones_like_a_block, arrays), **keywords)
        results = map(np.asarray, result if isinstance(result, (tuple, list)) else [result])
        return [TensorSpec(one.shape, FROM_NUMPY[one.dtype]) for one in results]

    def shapes(self, arrays: Iterable, keywords: dict) -> Callable[[list[tuple]], tuple]:
        dtypes = [np.asarray(_ones_like_a_block(array)).dtype for array in arrays]

        def shape(inputs: list[tuple]) -> tuple:
            pairs = zip(inputs, dtypes, strict=False)  # those by name follow
            blocks = [np.ones([_known_size(one) for one in size], dtype) for size, dtype in pairs]
            return np.shape(self.function(*blocks, **keywords))

        return shape


def _ones_like_a_block(array):
    if not is_dask(array):
        return array
    return np.ones([_known_size(sizes[0]) for sizes in array.chunks], array.dtype)


def _known_size(size) -> int:
    """Raises InvalidArgumentError for the size of a block that Dask does not know."""
    if size is None or size != size:
        raise InvalidArgumentError(
            "blocks of unknown sizes, which `jit` cannot be asked about",
            "Compute the sizes first: array.compute_chunk_sizes().",
        )
    return int(size)


def block_function(function: Callable) -> BlockFunction:
    if isinstance(function, JitFunction):
        return JitBlockFunction(function)
    return BlockFunction(function)


def _array_of(result):
    return result.numpy() if isinstance(result, Tensor) else result


def _spec_of(array, margins: bool):
    """The spec of a block: sizes are open along the axes that have several blocks, or margins."""
    if not is_dask(array):
        return array
    sizes = [
        _known(sizes[0]) if len(sizes) == 1 and not margins else None for sizes in array.chunks
    ]
    return TensorSpec(sizes, FROM_NUMPY[np.dtype(array.dtype)])


def _known(size) -> int | None:
    return None if size != size else int(size)


def import_dask() -> Any:
    """The module `dask.array`. Raises UnimplementedError where it is not installed."""
    try:
        import dask.array  # an optional package
    except ImportError:
        raise UnimplementedError(
            "this needs the package dask", "pip install 'allograph[dask]'"
        ) from None
    return dask.array


def _one_result(
    block: BlockFunction, arrays: Iterable, keywords: dict, margins: bool = False
) -> tuple[TensorSpec, Any]:
    """The spec of the only result, and an empty array of its type."""
    specs = block.result_types(arrays, keywords, margins)
    if len(specs) != 1 or specs[0].dims is None:
        raise InvalidArgumentError(
            f"'{block.__name__}' gives {len(specs)} results for a block"
            if len(specs) != 1
            else f"the number of axes of the result of '{block.__name__}' is not known",
            "Return one tensor, of which the number of axes follows from those of the arguments.",
        )
    return specs[0], np.empty((0,) * len(specs[0].dims), specs[0].dtype.numpy_dtype)


@public("distribute.map_blocks")
def map_blocks(function: Callable, *arrays, **options) -> dask.array.Array:
    """The Dask array of the results of a function for each block, as `dask.array.map_blocks`.

    The data type and the shape of the result come from a trace; nothing runs. A function of `jit`
    is called with ones, for each size of blocks. Sizes that depend on
    the content of blocks are NaN, as in Dask. `options` are those of Dask (`chunks`, `drop_axis`,
    `new_axis`, `name`) and keywords of the function.

    >>> import allograph as ag, dask.array as da
    >>> x = da.arange(6, chunks=3, dtype="float32")
    >>> halves = ag.distribute.map_blocks(lambda block: block / 2.0, x)
    >>> halves
    dask.array<lambda, shape=(6,), dtype=float32, chunksize=(3,), chunktype=numpy.ndarray>
    >>> halves.compute()
    array([0. , 0.5, 1. , 1.5, 2. , 2.5], dtype=float32)

    Raises InvalidArgumentError where the blocks of the result have sizes that have to be given.
    """
    da = import_dask()
    block = block_function(function)
    own = {key: options.pop(key) for key in [*options] if key in OPTIONS}
    spec, meta = _one_result(block, arrays, options)
    if not own.keys() & {"chunks", "drop_axis", "new_axis"}:
        _check_sizes(block, spec, arrays)
        given = nest.flatten([*arrays, *options.values()])
        own["chunks"] = result_chunks(block.__name__, block.shapes(arrays, options), given)
    return da.map_blocks(block, *arrays, meta=meta, dtype=meta.dtype, **own, **options)


OPTIONS = {"name", "token", "chunks", "drop_axis", "new_axis", "enforce_ndim"}


def _check_sizes(block: BlockFunction, spec: TensorSpec, arrays: Iterable) -> None:
    """Raise InvalidArgumentError where Dask would take other axes for those of the result."""
    most = max((array.ndim for array in arrays if is_dask(array)), default=0)
    if len(spec.dims or ()) != most:
        raise InvalidArgumentError(
            f"the blocks have {most} axes, but '{block.__name__}' gives {len(spec.dims or ())}",
            "Say which: drop_axis=1, new_axis=0, or chunks=(...).",
        )


@public("distribute.map_overlap")
def map_overlap(
    function: Callable, *arrays, depth=None, boundary=None, trim=True, align_arrays=True,
    allow_rechunk=True, **keywords,
) -> dask.array.Array:  # fmt: skip
    """As `dask.array.map_overlap`: each block comes with a margin of the blocks around it.

    The results have the sizes of the blocks with their margins, which are cut off. The data type
    comes from a trace; nothing runs. `keywords` are those of the function.

    >>> import allograph as ag, dask.array as da
    >>> x = da.arange(6, chunks=3, dtype="float32")
    >>> means = ag.distribute.map_overlap(
    ...     lambda x: (x + ag.roll(x, 1, 0) + ag.roll(x, -1, 0)) / 3.0, x, depth=1,
    ...     boundary="nearest")
    >>> means.compute()
    array([0.33333334, 1.        , 2.        , 3.        , 4.        ,
           4.6666665 ], dtype=float32)
    """
    da = import_dask()
    block = block_function(function)
    _, meta = _one_result(block, arrays, keywords, margins=True)
    return da.map_overlap(
        block, *arrays, depth=depth, boundary=boundary, trim=trim, align_arrays=align_arrays,
        allow_rechunk=allow_rechunk, meta=meta, dtype=meta.dtype, **keywords,
    )  # fmt: skip


@public("distribute.blockwise")
def blockwise(function: Callable, out_ind, *pairs, **options) -> dask.array.Array:
    """As `dask.array.blockwise`, with the type of the result from a trace.

    `pairs` are arrays and their indices in turn. Blocks along an index that the result does not
    have arrive as one array.

    >>> import allograph as ag, dask.array as da
    >>> x = da.ones((4, 6), chunks=(2, 3), dtype="float32")
    >>> ag.distribute.blockwise(lambda x: ag.reduce_sum(x, 1), "i", x, "ij").compute()
    array([6., 6., 6., 6.], dtype=float32)
    """
    da = import_dask()
    block = block_function(function)
    _, meta = _one_result(block, pairs[::2], {})
    options.setdefault("concatenate", True)
    return da.blockwise(block, out_ind, *pairs, meta=meta, dtype=meta.dtype, **options)


@public("distribute.apply_gufunc")
def apply_gufunc(function: Callable, signature: str, *arrays, **options):
    """As `dask.array.apply_gufunc`, with the types of the results from a trace.

    >>> import allograph as ag, dask.array as da
    >>> x = da.ones((4, 6), chunks=(2, 6), dtype="float32")
    >>> ag.distribute.apply_gufunc(lambda x: ag.reduce_max(x, -1), "(i)->()", x).compute()
    array([1., 1., 1., 1.], dtype=float32)
    """
    da = import_dask()
    block = block_function(function)
    types = [spec.dtype.numpy_dtype for spec in block.result_types(arrays, {})]
    several = signature.partition("->")[2].count("(") > 1
    output_dtypes = types if several else types[0]
    return da.apply_gufunc(block, signature, *arrays, output_dtypes=output_dtypes, **options)
