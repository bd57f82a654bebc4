"""Functions of NumPy arrays that call themselves: a call is a node, which names the graph of the
function.

The graph is recorded until nothing is found out that it lacks. Arguments start as they are in the
first call, and are inputs of the graph from when on a call inside has others. Until it is known
what the function returns, calls inside end their branches: the others tell it.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from ...extend.graphs import BUILDER, Builder, Callee
from ...extend.operations import OPERATIONS, WRITES, Spec
from ...extend.specs import FROM_NUMPY
from ...extend.tracing import (
    Number,
    RefusedError,
    assigned_around,
    carried_or_nothing,
    flattened,
    form_of,
    is_from_outside,
    is_same,
    joined_layouts,
    numpy_trace,
    retried,
    spread,
    with_tuples,
)


def called_in_graph(function, form, args, kwargs):
    """`form(*args, **kwargs)`, where `form` is the converted form of a function."""
    args, kwargs = in_order_of_parameters(function, args, kwargs)
    for active in reversed(numpy_trace().active):
        if active.function is function:
            return active.call_inside(args, kwargs)
    return retried(Recursion(function, form, args, kwargs).result)


def in_order_of_parameters(function, args, kwargs) -> tuple:
    """The arguments of a call, each in the place of its parameter, and defaults for the others."""
    if type(function) is not types.FunctionType or hasattr(function, "__signature__"):
        return args, kwargs
    bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


class Values:
    """Values that calls pass or return: tuples as their parts, of which those with a layout are
    numbers, and the others are the same each time.
    """

    def __init__(self, refusal: str, values: tuple):
        self.refusal = refusal  # of other values
        self.forms = [form_of(value, value) for value in values]
        self.parts = spread(self.forms, values)
        self.layouts: list[Any] = [None] * len(self.parts)

    def widen(self, values: tuple) -> bool:
        """Let others be of these values, too; whether they were not."""
        before = list(self.layouts)
        if self.forms != [form_of(value, value) for value in values]:
            raise RefusedError(self.refusal)
        for at, (own, part) in enumerate(zip(self.parts, spread(self.forms, values), strict=True)):
            is_kept = own is part or (type(own) is not list and is_same(own, part))
            if self.layouts[at] is not None or not is_kept:
                wanted = carried_or_nothing(part)
                known = self.layouts[at] or carried_or_nothing(own)
                if type(wanted) is not Number or type(known) is not Number:
                    raise RefusedError(self.refusal)
                self.layouts[at] = joined_layouts("an argument", known, wanted)
        return before != self.layouts

    @property
    def leaves(self) -> list:
        return [leaf for layout in self.layouts if layout for leaf in layout.leaves]

    def tensors(self, values: tuple) -> list:
        pairs = zip(self.layouts, spread(self.forms, values), strict=True)
        return [tensor for layout, part in pairs if layout for tensor in flattened(part, layout)]

    def made_of(self, tensors) -> tuple:
        """The values that these tensors carry."""
        rest, pairs = iter(tensors), zip(self.layouts, self.parts, strict=True)
        parts = [layout.unflatten(rest) if layout else part for layout, part in pairs]
        return with_tuples(self.forms, parts)


class UnknownResultError(Exception):
    """A call whose result is not known yet, or with other arguments than foreseen."""


class Recursion:
    """A call of a function by other functions, and the graph of it."""

    def __init__(self, function, form, args, kwargs):
        self.function, self.form, self.names = function, form, tuple(kwargs)
        self.cells = assigned_around(function)  # of variables, which are passed and returned, too
        self.given = (*args, *kwargs.values(), *self.contents())
        self.name = function.__qualname__.rpartition("<locals>.")[2]
        refusal = f"{self.name} calls itself with other arrays, lists or objects"
        self.passed = Values(refusal, self.given)
        self.returned: Any = None
        self.captured: list = []  # tensors from outside that the graph reads, by keys
        self.callee: Any = None

    def contents(self) -> list:
        """The values of the variables around the function that it assigns."""
        try:
            return [cell.cell_contents for cell in self.cells]
        except ValueError:
            raise RefusedError(f"{self.name} assigns a variable that has no value") from None

    def bind(self, values) -> None:
        for cell, value in zip(self.cells, values, strict=True):
            cell.cell_contents = value

    def is_around(self, container) -> bool:
        """Whether a container was there before the function was called."""
        return id(container) in self.around or id(container) not in numpy_trace().lists

    def result(self, statement):
        """What the call returns. Its node is in the present graph."""
        trace, self.outer, self.captured = numpy_trace(), BUILDER.get(), []
        trace.active.append(self)
        try:
            while not self.is_recorded():
                pass
        finally:
            trace.active.remove(self)
        trace.check_writes(self.outer)
        return self.recorded(self.given)

    def is_recorded(self) -> bool:
        """Record the graph; whether nothing was found out that it lacks."""
        trace, had_result = numpy_trace(), self.returned is not None
        outputs = self.returned.leaves if self.returned else ()
        specs = tuple(Spec(FROM_NUMPY[dtype], shape) for dtype, shape in outputs)
        self.callee, self.is_wider = Callee(self.function.__name__, specs), False
        self.callee.is_of_arrays, before = True, dict(self.captured)
        name = f"{self.outer.name}.{self.function.__name__}.body"
        builder = Builder(name, self.outer, repeats=True)
        layouts, self.around = list(self.passed.layouts), set(trace.lists)
        made = [(each, dict(vars(each))) for each in trace.made]
        with builder:
            inputs = [builder.input(FROM_NUMPY[dtype], shape, "argument")
                      for dtype, shape in self.passed.leaves]  # fmt: skip
            values = self.passed.made_of(inputs)
            last = len(values) - len(self.cells)
            count, around = last - len(self.names), self.contents()
            named = dict(zip(self.names, values[count:last], strict=True))
            self.bind(values[last:])
            try:
                result = self.form(*values[:count], **named), *self.contents()
            except UnknownResultError:
                if self.passed.layouts == layouts:
                    raise
                return False
            finally:
                self.bind(around)
            if any(vars(each) != attributes for each, attributes in made):
                raise RefusedError(f"{self.name} calls itself, and changes an object")
            tensors = self._tensors_returned(builder, result)
            trace.indexed.check(builder)
            for tensor in tensors:
                builder.value_of(tensor)
        before = {} if self.is_wider else before  # arguments may have been captured
        self.captured = list({**before, **dict(builder.captured())}.items())
        if self.is_wider or not had_result or len(before) != len(self.captured):
            return False
        self.callee.graph = builder.finish(tensors, self.captured)
        self.callee.effect = WRITES
        builder.close()
        trace.leave([builder])
        return True

    def _tensors_returned(self, builder: Builder, values: tuple) -> list:
        if self.returned is None:
            refusal = f"{self.name} calls itself, and returns other values than numbers"
            self.returned = Values(refusal, values)
            for at, part in enumerate(self.returned.parts):
                layout = carried_or_nothing(part)
                if type(layout) is Number and part is not None:
                    self.returned.layouts[at] = layout
                elif not is_from_outside(self.outer, part):
                    raise RefusedError(refusal)
            self.is_wider = True
        else:
            self.is_wider |= self.returned.widen(values)
        return self.returned.tensors(values)

    def call_inside(self, args, kwargs):
        """What a call of the function returns that is made by itself."""
        values = (*args, *kwargs.values(), *self.contents())
        if tuple(kwargs) != self.names or len(values) != len(self.given):
            raise RefusedError(f"{self.name} calls itself with other parameters")
        self.is_wider |= self.passed.widen(values)
        if self.is_wider or self.returned is None:
            self.is_wider = numpy_trace().has_guessed = True  # loops that end here run no iteration
            raise UnknownResultError(f"{self.name} calls itself before a path returns")
        return self.recorded(values)

    def recorded(self, values: tuple):
        """What a call with these arguments returns, which is recorded."""
        operands = [*self.passed.tensors(values), *(tensor for _, tensor in self.captured)]
        builder: Any = BUILDER.get()
        outputs = builder.record(OPERATIONS["recur"], operands, {"callee": self.callee}, "call")
        result, *contents = self.returned.made_of(outputs)
        self.bind(contents)
        return result
