"""User-defined gradients, and recomputation of values to save memory."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable

from .. import GradientTape, Tensor, convert_to_tensor
from ..extend import nest
from ..extend.graphs import (
    BUILDER,
    Builder,
    Derivative,
    Record,
    listeners,
    trainable_cells,
    zeros_of,
)
from ..extend.operations import OPERATIONS
from ..extend.registration import public
from ..extend.tensors import EagerTensor, can_be_tensor
from ..extend.tracing import call_user_code


class CustomRecord(Record):
    """A record with a user-defined pullback."""

    __slots__ = ("_pull",)

    def __init__(self, inputs, outputs, pull: Callable[[list], list]):
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._pull = pull

    def pullback(self, cotangents: list) -> list:
        filled = [
            zeros_of(out) if dy is None else dy
            for dy, out in zip(cotangents, self.outputs, strict=True)
        ]
        return self._pull(filled)


@public("custom_gradient")
def custom_gradient(f: Callable) -> Callable:
    """A function with a user-defined gradient: `f(*tensors)` returns `(y, grad)`.

    `grad(*dy)` takes a cotangent for every tensor of `y` and returns one for every tensor argument,
    in the order of the parameters of `f`, None where there is none; keyword-only ones may be left
    out. Where `f` reads trainable variables, `grad` takes them as `variables=` and returns a pair:
    these cotangents, and a list of one for each variable.

    >>> import allograph as ag
    >>> @ag.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: ag.clip_by_value(dy, -1.0, 1.0)
    >>> x = ag.constant(2.0)
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = 10.0 * clipped(x)
    >>> float(tape.gradient(y, x))
    1.0
    """

    @functools.wraps(f)
    def wrapped(*args, **kwargs):  # in pickles by value it refers to functions by name only
        return _called(f, args, kwargs)

    return wrapped


def _called(f: Callable, args, kwargs):
    """The `y` of a call, whose gradient is recorded."""
    if BUILDER.get() is None:
        return _eagerly(f, args, kwargs)
    return _in_graph(f, args, kwargs)


class _Arguments:
    """The arguments of a call: tensors and what becomes one, and objects, such as the instance of a
    method, which have no gradients. Numbers that are given by keyword are such objects.
    """

    def __init__(self, f, args, kwargs):
        self.args, self.kwargs = _in_order(f, args, kwargs)
        self.leaves = nest.flatten([*self.args, *self.kwargs.values()])
        count = len(nest.flatten(list(args)))  # those by keyword come after them
        self.is_tensor = list(map(can_be_tensor, self.leaves[:count]))
        self.is_tensor += [
            can_be_tensor(leaf) and not isinstance(leaf, (int, float, complex))
            for leaf in self.leaves[count:]
        ]
        self.tensors = [
            convert_to_tensor(leaf)
            for leaf, is_tensor in zip(self.leaves, self.is_tensor, strict=True)
            if is_tensor
        ]

    def called(self, f: Callable, tensors):
        """`f` of the same arguments, with other tensors."""
        rest = iter(tensors)
        leaves = zip(self.leaves, self.is_tensor, strict=True)
        values = nest.pack_sequence_as(
            [*self.args, *self.kwargs.values()],
            [next(rest) if is_tensor else leaf for leaf, is_tensor in leaves],
        )
        count = len(self.args)
        named = zip(self.kwargs, values[count:], strict=True)
        return call_user_code(f, *values[:count], **dict(named))

    def gradients(self, results) -> list:
        """What `grad` returned, for each tensor; it may return something for the objects, too."""
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        count = len(nest.flatten(list(self.args)))
        for flags in (
            self.is_tensor,
            self.is_tensor[:count],
        ):  # keyword-only ones may be left out
            if len(results) == len(flags):
                results = list(itertools.compress(results, flags))
            if len(results) == sum(flags):
                return results + [None] * (len(self.tensors) - len(results))
        raise ValueError(
            f"a custom gradient returned {len(results)} gradients for {len(self.tensors)} tensor "
            "arguments"
        )


def _in_order(f: Callable, args, kwargs) -> tuple:
    """The arguments in the order of the parameters: those by keyword by position, where one may."""
    if not kwargs:
        return args, kwargs
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except (TypeError, ValueError):  # no signature, or not its arguments, as the call will say
        return args, kwargs
    return bound.args, bound.kwargs


def _pull_of(grad: Callable, arguments: _Arguments, variables) -> Callable[[list], list]:
    """The user's `grad` as a pullback: cotangents of the arguments, then of the variables."""

    def pull(dys):
        if not variables:
            return arguments.gradients(call_user_code(grad, *dys))
        owners = [cell.owner() for cell in variables]
        of_arguments, of_variables = call_user_code(grad, *dys, variables=owners)
        is_list = isinstance(of_variables, (list, tuple))
        return [*arguments.gradients(of_arguments), *(of_variables if is_list else [of_variables])]

    return pull


def _eagerly(f, args, kwargs):
    listening = listeners(None)
    if not listening:
        return f(*args, **kwargs)[0]
    arguments = _Arguments(f, args, kwargs)
    inputs = arguments.tensors
    # Outer tapes hear the steps too: `grad` may use what they give, in a second derivative. The
    # results are new tensors, which only the stated gradient connects with the arguments.
    with GradientTape() as readings:
        y, grad = arguments.called(f, inputs)
    cells = [variable.handle for variable in readings.watched_variables()]
    outputs = [convert_to_tensor(leaf) for leaf in nest.flatten(y)]
    outputs = [EagerTensor(out.array) for out in outputs]
    record = CustomRecord([*inputs, *cells], outputs, _pull_of(grad, arguments, cells))
    for tape in listening:
        if tape.wants(record.inputs):
            tape.add(record)
    return nest.pack_sequence_as(y, outputs)


def _in_graph(f, args, kwargs):
    """A `Call` whose derivative is traced from the user's `grad` at once."""
    outer = BUILDER.get()
    arguments = _Arguments(f, args, kwargs)
    inputs = arguments.tensors
    inner = Builder(f"{outer.name}.{getattr(f, '__name__', 'custom')}", outer)
    readings = GradientTape()
    with inner:
        slots = [inner.input(t.dtype, t.dims, "argument") for t in inputs]
        with readings:
            y, grad = arguments.called(f, slots)
        leaves = nest.flatten(y)
        outputs = [convert_to_tensor(leaf) for leaf in leaves]
    plain = inner.finish(outputs)
    cells = [variable.handle for variable in readings.watched_variables()]
    pull = _pull_of(grad, arguments, cells)
    captures = len(plain.inputs) - len(inputs)

    def backward(dys):
        cotangents = pull([dy for dy in dys if dy is not None])
        of_inputs, of_cells = cotangents[: len(inputs)], cotangents[len(inputs) :]
        by_cell = {id(cell): grad for cell, grad in zip(cells, of_cells, strict=True)}
        return [
            *(None if each is None else convert_to_tensor(each) for each in of_inputs),
            *[None] * captures,
            *(by_cell.get(id(cell)) for cell in derivative_cells),
        ]

    derivative_cells = trainable_cells([plain])
    derivative = Derivative(plain, inner, backward)
    graph = inner.finish(outputs)
    derivative.graph = graph
    graph.facts.derivative = derivative
    operands = [*inputs, *(tensor for _, tensor in inner.captured())]
    results = outer.record(OPERATIONS["call"], operands, {"graph": graph}, inner.name)
    return nest.pack_sequence_as(y, list(results))


@public("recompute_grad")
def recompute_grad(f: Callable) -> Callable:
    """`f` with a gradient that runs `f` again instead of saving intermediate values.

    The forward pass saves only the arguments; the backward pass takes one more run of `f`.
    Source: Chen et al., "Training deep nets with sublinear memory cost", 2016.

    >>> import allograph as ag
    >>> cheap = ag.recompute_grad(lambda x: ag.exp(ag.sin(x)))
    >>> x = ag.constant(0.0)
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = cheap(x)
    >>> float(tape.gradient(y, x))
    1.0
    """

    @functools.wraps(f)
    def wrapped(*args, **kwargs):
        @custom_gradient
        def inner(*args, **kwargs):
            y = call_user_code(f, *args, **kwargs)

            def grad(*dys, variables=None):
                tensors = _Arguments(inner, args, kwargs).tensors
                with GradientTape() as tape:
                    tape.watch([tensor for tensor in tensors if isinstance(tensor, Tensor)])
                    again = call_user_code(f, *args, **kwargs)
                sources = [tensors, list(variables or [])]
                weights = nest.pack_sequence_as(again, list(dys))
                of_sources, of_variables = tape.gradient(again, sources, weights)
                return (of_sources, of_variables) if variables is not None else of_sources

            return y, grad

        return inner(*args, **kwargs)

    return wrapped
