"""Functions applied along the first axis: `map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`."""

from __future__ import annotations

from ..runtime.core.errors import InvalidArgumentError, ShapeError
from ..runtime.core.public_names import public
from ..runtime.ops.array.shape_ops import shape
from ..runtime.tensors.apply import convert_to_tensor
from ..tracing.functions.polymorphic_function import function
from ..tracing.stager.control_flow_api import while_loop
from ..tracing.stager.user_functions import call_user_code
from ..tracing.structures import nest
from ..tracing.type_system.trace_types import TensorSpec
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
    """`fn` of each element of `elems`, stacked; elements are taken along the first axis.

    elems                 a tensor, or a structure of them with first axes of one length
    fn_output_signature   data types or specs of what `fn` returns (`dtype` in older code); needed
                          where it is not of the type and structure of an element

    >>> import allograph as ag
    >>> ag.map_fn(lambda x: x * x, ag.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)

    Raises ShapeError for scalars, TypeError where `fn` returns something else than was said.
    """
    elems = _tensors(elems)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = nest.map_structure(lambda one: one.dtype, elems)
    count = _length(elems)
    if isinstance(count, int) and count == 0:  # no result shows its shape
        return vectorized_map(fn, elems)
    return _map(fn, elems, signature)


@public("vectorized_map")
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`fn` of each element of `elems`, stacked; what `fn` returns is found by tracing it.

    >>> import allograph as ag
    >>> pairs = ag.vectorized_map(lambda x: (x, x / 2), ag.constant([2, 4]))
    >>> pairs[1].numpy()
    array([1., 2.])
    """
    elems = _tensors(elems)
    one = nest.map_structure(lambda rows: TensorSpec(rows.shape[1:], rows.dtype), elems)
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
    """All values of `a = fn(a, element)`, stacked; the first `a` is `initializer`.

    Without it, the first element is the first value. `reverse` starts at the end.

    >>> import allograph as ag
    >>> ag.scan(lambda a, x: a + x, ag.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)

    Raises ShapeError for scalars, InvalidArgumentError for no elements and no initializer.
    """
    elems, state, places = _start(elems, initializer, reverse)
    count = _length(elems)
    outputs = [
        TensorArray(one.dtype, count, element_shape=one.shape) for one in nest.flatten(state)
    ]
    if initializer is None:
        first = count - 1 if reverse else 0
        outputs = _write(outputs, first, state)

    def step(place, state, outputs):
        state = _next(fn, state, _row(elems, place))
        return state, _write(outputs, place, state)

    _, outputs = _repeat(step, (state, outputs), places)
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

    >>> import allograph as ag
    >>> int(ag.foldr(lambda a, x: a - x, ag.constant([10, 2, 3])))
    -9
    """
    return _fold(fn, elems, initializer, reverse=True)


def _fold(fn, elems, initializer, reverse: bool):
    elems, state, places = _start(elems, initializer, reverse)

    def step(place, state):
        return (_next(fn, state, _row(elems, place)),)

    (state,) = _repeat(step, (state,), places)
    return state


def _map(fn, elems, signature):
    """`fn` of each row of `elems`; `signature` has a data type or a spec for each result."""
    count = _length(elems)
    outputs = [_array_for(one, count) for one in nest.flatten(signature)]

    def step(place, outputs):
        made = call_user_code(fn, _row(elems, place))
        nest.assert_same_structure(signature, made)
        return (_write(outputs, place, made),)

    (outputs,) = _repeat(step, (outputs,), (0, count, 1))
    return nest.pack_sequence_as(signature, [one.stack() for one in outputs])


def _array_for(kind, count) -> TensorArray:
    if hasattr(kind, "dtype"):
        return TensorArray(kind.dtype, count, element_shape=kind.shape)
    return TensorArray(kind, count)


def _start(elems, initializer, reverse: bool) -> tuple:
    """The tensors, the first state, and the places to visit: start, end and step."""
    elems = _tensors(elems)
    count = _length(elems)
    first = 0 if initializer is not None else 1
    places = (count - 1 - first, -1, -1) if reverse else (first, count, 1)
    if initializer is not None:
        return elems, nest.map_structure(convert_to_tensor, initializer), places
    if isinstance(count, int) and count == 0:
        raise InvalidArgumentError("there are no elements, and no initializer is given")
    return elems, _row(elems, count - 1 if reverse else 0), places


def _next(fn, state, row):
    made = nest.map_structure(convert_to_tensor, call_user_code(fn, state, row))
    nest.assert_same_structure(state, made)
    return made


def _repeat(step, state: tuple, places: tuple) -> tuple:
    """`state = step(place, *state)` for all places."""
    start, end, by = places
    going = (lambda place, *_: place < end) if by > 0 else (lambda place, *_: place > end)

    def body(place, *state):
        return (place + by, *step(place, *state))

    return while_loop(going, body, (start, *state))[1:]


def _tensors(elems):
    """A structure of tensors; ShapeError for scalars."""
    elems = nest.map_structure(convert_to_tensor, elems)
    if not nest.flatten(elems) or any(one.shape.rank == 0 for one in nest.flatten(elems)):
        raise ShapeError("elements are taken along the first axis, which a scalar does not have")
    return elems


def _length(elems):
    """The length of the first axis: an int where that is known, else a scalar tensor."""
    first = nest.flatten(elems)[0]
    size = first.shape[0] if first.shape.rank is not None else None
    return shape(first)[0] if size is None else size


def _row(elems, place):
    return nest.map_structure(lambda one: one[place], elems)


def _write(arrays: list[TensorArray], place, values) -> list[TensorArray]:
    return [
        one.write(place, value) for one, value in zip(arrays, nest.flatten(values), strict=True)
    ]
