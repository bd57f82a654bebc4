"""Functions applied along the first axis: `map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import (
    TensorSpec,
    TypeSpec,
    concat,
    convert_to_tensor,
    function,
    int64,
    shape,
    while_loop,
    zeros,
)
from ..extend import nest
from ..extend.errors import InvalidArgumentError, ShapeError
from ..extend.registration import public
from ..extend.specs import CompositeSpec, CompositeTensor, container_of, trace_type
from ..extend.tensors import StagedSequence
from ..extend.tracing import call_user_code
from .tensor_array import TensorArray


@public("map_fn")
def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """The results of `fn` for each slice of `elems` along the first axis, stacked.

    elems                 a tensor, or a structure of tensors with first axes of equal length; those
                          of ragged tensors are mapped row by row
    fn_output_signature   the dtype or spec of the result of `fn`, or a structure of them (the older
                          name is `dtype`); needed unless the result has the structure and dtypes of
                          an element

    Results of several lengths are rows of a ragged tensor: those for rows of a ragged tensor, and
    those with the signature `RaggedTensorSpec([None], dtype)`.

    >>> import allograph as ag
    >>> ag.map_fn(lambda x: x * x, ag.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    >>> ag.map_fn(lambda row: row[1:] * 2, ag.ragged.constant([[1, 2, 3], [4]]))
    <ag.RaggedTensor [[4, 6], []]>

    Raises ShapeError for scalars, TypeError if the result does not fit the signature.
    """
    elems = _tensors(elems)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = _signature_like(fn, elems)
    elif any(getattr(one, "ragged_rank", 1) for one in _composite(signature)):
        raise TypeError(
            "map_fn: results are tensors, or rows of ragged ones, not ragged or sparse themselves: "
            "append them in a loop, rows = ag.concat([rows, ag.expand_dims(row, 0)], 0)"
        )
    count = _length(elems)
    if isinstance(count, int) and count == 0:  # no result shows its shape
        return vectorized_map(fn, elems)
    return _map(fn, elems, signature)


def _composite(signature) -> list:
    return [leaf for leaf in nest.flatten(signature) if isinstance(leaf, CompositeSpec)]


def _signature_like(fn, elems):
    """The dtypes of the elements; of ragged elements, the types of the results of tracing `fn`."""
    leaves = nest.flatten(elems, container_of)
    if not any(isinstance(leaf, CompositeTensor) for leaf in leaves):
        return nest.map_structure(lambda one: one.dtype, elems, classify=container_of)
    leaf = nest.map_structure(_slice_type, elems, classify=container_of)
    found = function(fn).get_concrete_function(leaf).structured_outputs
    return nest.map_structure(_row_type, found)


def _row_type(spec):
    """The type of a row of a ragged tensor, where its length is unknown."""
    if isinstance(spec, TensorSpec) and spec.shape.rank and spec.shape[0] is None:
        from .ragged.ragged_spec import RaggedTensorSpec  # its room loads in 9 ms

        return RaggedTensorSpec(spec.shape, spec.dtype, ragged_rank=0)
    return spec


@public("vectorized_map")
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """The results of `fn` for each slice of `elems` along the first axis, stacked.

    The structure and dtypes of the results are determined by tracing `fn`.

    >>> import allograph as ag
    >>> pairs = ag.vectorized_map(lambda x: (x, x / 2), ag.constant([2, 4]))
    >>> pairs[1].numpy()
    array([1., 2.])

    Raises ShapeError for scalars.
    """
    elems = _tensors(elems)
    one = nest.map_structure(_slice_type, elems, classify=container_of)
    return _map(fn, elems, function(fn).get_concrete_function(one).structured_outputs)


@public("scan")
def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """All values of `a = fn(a, element)` for the slices of `elems` along the first axis, stacked.

    `a` starts as `initializer`. Without it, the first element is the first value. `reverse=True`
    starts at the last element.

    >>> import allograph as ag
    >>> ag.scan(lambda a, x: a + x, ag.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)

    Raises ShapeError for scalars, InvalidArgumentError without elements and initializer.
    """
    elems, state, bounds = _start(elems, initializer, reverse)
    count = _length(elems)
    outputs = [
        TensorArray(one.dtype, count, element_shape=one.shape) for one in nest.flatten(state)
    ]
    if initializer is None:
        first = count - 1 if reverse else 0
        outputs = _write(outputs, first, state)

    def step(index, state, outputs):
        state = _next(fn, state, _element(elems, index))
        return state, _write(outputs, index, state)

    _, outputs = _repeat(step, (state, outputs), bounds)
    return nest.pack_sequence_as(state, [one.stack() for one in outputs])


@public("foldl")
def foldl(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """The last value of `a = fn(a, element)`, from the first element to the last.

    `a` starts as `initializer`, or as the first element without it.

    >>> import allograph as ag
    >>> int(ag.foldl(lambda a, x: a - x, ag.constant([10, 2, 3])))
    5
    """
    return _fold(fn, elems, initializer, reverse=False)


@public("foldr")
def foldr(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """The last value of `a = fn(a, element)`, from the last element to the first.

    `a` starts as `initializer`, or as the last element without it.

    >>> import allograph as ag
    >>> int(ag.foldr(lambda a, x: a - x, ag.constant([10, 2, 3])))
    -9
    """
    return _fold(fn, elems, initializer, reverse=True)


def _fold(fn, elems, initializer, reverse: bool):
    elems, state, bounds = _start(elems, initializer, reverse)

    def step(index, state):
        return (_next(fn, state, _element(elems, index)),)

    (state,) = _repeat(step, (state,), bounds)
    return state


def _map(fn, elems, signature):
    """The stacked results of `fn`; `signature` has a dtype or a spec for each result."""
    count = _length(elems)
    outputs = [_array_for(one, count) for one in nest.flatten(signature)]

    def step(index, outputs):
        result = call_user_code(fn, _element(elems, index))
        nest.assert_same_structure(signature, result)
        return (_write(outputs, index, result),)

    (outputs,) = _repeat(step, (outputs,), (0, count, 1))
    return nest.pack_sequence_as(signature, [one.stack() for one in outputs])


class RaggedRows(NamedTuple):
    """The rows of a ragged tensor that is being made: their elements, and their lengths."""

    values: Any
    lengths: TensorArray

    def write(self, index, row) -> RaggedRows:
        row = convert_to_tensor(row, self.values.dtype)
        length = shape(row, int64)[0]
        return RaggedRows(concat([self.values, row], 0), self.lengths.write(index, length))

    def stack(self) -> CompositeTensor:
        from .ragged.ragged_tensor import RaggedTensor

        return RaggedTensor.from_row_lengths(self.values, self.lengths.stack(), validate=False)


def _array_for(spec, count) -> TensorArray | RaggedRows:
    if isinstance(spec, CompositeSpec):
        sizes = [0, *(spec.dims or (None,))[1:]]
        return RaggedRows(zeros(sizes, spec.dtype), TensorArray(int64, count, element_shape=[]))
    if hasattr(spec, "dtype"):
        return TensorArray(spec.dtype, count, element_shape=spec.shape)
    return TensorArray(spec, count)


def _start(elems, initializer, reverse: bool) -> tuple:
    """The tensors, the initial state, and the index range of the loop: start, end and step."""
    elems = _tensors(elems)
    count = _length(elems)
    first = 0 if initializer is not None else 1
    bounds = (count - 1 - first, -1, -1) if reverse else (first, count, 1)
    if initializer is not None:
        return elems, nest.map_structure(convert_to_tensor, initializer), bounds
    if isinstance(count, int) and count == 0:
        raise InvalidArgumentError("there are no elements, and no initializer is given")
    return elems, _element(elems, count - 1 if reverse else 0), bounds


def _next(fn, state, element):
    following = nest.map_structure(convert_to_tensor, call_user_code(fn, state, element))
    nest.assert_same_structure(state, following)
    return following


def _repeat(step, state: tuple, bounds: tuple) -> tuple:
    """The final state of `state = step(index, *state)` over an index range."""
    start, end, by = bounds
    is_running = (lambda index, *_: index < end) if by > 0 else (lambda index, *_: index > end)

    def body(index, *state):
        return (index + by, *step(index, *state))

    return while_loop(is_running, body, (start, *state))[1:]


def _tensors(elems):
    """A structure of tensors. Raises ShapeError for scalars."""
    elems = nest.map_structure(_leaf, elems, classify=container_of)
    leaves = nest.flatten(elems, container_of)
    if not leaves:
        raise ShapeError(f"elements are taken from tensors, and there are none in {elems!r}")
    if any(leaf.shape.rank == 0 for leaf in leaves):
        raise ShapeError("elements are taken along the first axis, which a scalar does not have")
    return elems


def _slice_type(value) -> TypeSpec:
    """The type of a slice along the first axis."""
    if isinstance(value, CompositeTensor):
        return trace_type(value).unbatched()  # type: ignore[attr-defined]
    return TensorSpec(value.shape[1:], value.dtype)


def _leaf(value):
    """A tensor, or a ragged one. Raises TypeError for other composite values."""
    if not isinstance(value, CompositeTensor):
        return convert_to_tensor(value)
    if not isinstance(value, StagedSequence):
        raise TypeError(f"elements are taken along the first axis, which {value!r} does not offer")
    return value


def _length(elems):
    """The length of the first axis: an int if it is static, else a scalar tensor."""
    first = nest.flatten(elems, container_of)[0]
    if isinstance(first, StagedSequence):
        return first.staged_length()
    size = first.shape[0] if first.shape.rank is not None else None
    return shape(first)[0] if size is None else size


def _element(elems, index):
    return nest.map_structure(lambda one: one[index], elems, classify=container_of)


def _write(arrays: list[TensorArray], index, values) -> list[TensorArray]:
    return [
        array.write(index, value) for array, value in zip(arrays, nest.flatten(values), strict=True)
    ]
