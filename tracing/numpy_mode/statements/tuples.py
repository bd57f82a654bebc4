"""Tuples, named tuples and objects of data classes in the state of staged statements: their parts
are state of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....autograph.operators.raising import Retrace
from ....autograph.operators.undefined import UndefinedReturnValue
from ....runtime.core.classes import NamedTuple
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.graph_builder import Builder
from ...structures.argument_structures import is_named_tuple_class
from ..refusal import RefusedError, TupleState
from ..traced_array import TracedArray
from ..traced_scalar import COMPARISONS, OPERATORS, NumPyOperand, TracedScalar, boolean, require
from .chosen_objects import choose, chosen_object, is_of_trace, original_of
from .plain_classes import is_plain_class, is_plain_record_class
from .ranges import TracedRange


class Form(NamedTuple):
    """A tuple of a class, or a range, and the forms of its parts; None is that of anything else. An
    object has attributes of the `names`: `is_own` says whether the trace made it, `is_chosen`
    whether it may be one of two.
    """

    cls: type
    parts: tuple[Form | None, ...]
    names: tuple[str, ...] = ()
    is_own: bool = False
    is_chosen: bool = False


Forms = Sequence[Form | None]
NUMBERS = (TracedScalar, int, float, complex, np.generic)


class Absent(UndefinedReturnValue):
    """A part of a tuple while the other value is there, which iterations without it hand on."""


class Maybe(NumPyOperand):
    """A tuple or an array, or the other value where a truth of the graph holds: None or a number,
    with which Python computes.
    """

    _noun = "value that may be None or a number"

    def __init__(self, value, is_other, other=None):
        self.held, self.is_other, self.other = value, is_other, other

    @property
    def none(self):
        """The truth of whether it is None; None where it never is."""
        none = getattr(self.other, "none", None)
        return self.is_other if self.other is None else none and _both(self.is_other, none)

    @property
    def certain(self):
        require(OPS["logical_not"](self.is_other))
        return self.held

    @property
    def truth(self):
        if self.other is not None:
            raise RefusedError("the truth of what is a number or a tuple")
        return _both(OPS["logical_not"](self.none), boolean(self.held))

    def _missing(self, name: str):
        return getattr(self.certain, name)


def _both(left, right):
    return OPS["logical_and"](left, right)


for _form in (iter, len, operator.getitem, operator.setitem):
    _name = _form.__name__
    setattr(Maybe, f"__{_name}__", lambda a, *args, form=_form: form(a.certain, *args))
for _name in (*OPERATORS, *COMPARISONS):
    _form = getattr(operator, f"__{_name}__")
    setattr(Maybe, f"__{_name}__", lambda a, b, form=_form: form(a.certain, known(b)))
    setattr(Maybe, f"__r{_name}__", lambda a, b, form=_form: form(known(b), a.certain))


def known(value):
    """What is there of a value that may be None, where it is not."""
    if type(value) is TracedScalar:
        return value.certain()
    return value.certain if type(value) is Maybe else value


def form_of(left, right) -> Form | None:
    """The form of both values, where both are tuples alike, or one is and the other no result."""
    values = [each for each in (left, right) if not isinstance(each, UndefinedReturnValue)]
    if type(left) is type(right) is range and left == right:
        return None
    if not values or not all(map(_is_tuple, values)):
        return _form_beside_others(values)
    first, last = values[0], values[-1]
    left, right = _parts_of(first), _parts_of(last)
    is_one, is_list = original_of(first) is original_of(last), list in (type(first), type(last))
    own = _class_and_names(first)
    if own != _class_and_names(last) or len(left) != len(right) or (is_list and not is_one):
        return None
    if own[1] and is_one and not is_plain_record_class(own[0]):  # its attributes are state
        return None
    form = Form(own[0], tuple(map(form_of, left, right)), own[1])
    if not form.names:
        return form
    if not is_one:
        choose(first, last)
    is_own = is_of_trace(first) and is_of_trace(last)
    return form._replace(is_own=is_own, is_chosen=not is_one)


def _form_beside_others(values: list) -> Form | None:
    """The form of a tuple beside None or a number, or of an array beside None; or else None."""
    others, known = [], []
    for value in values:
        if type(value) is Maybe or value is None or isinstance(value, NUMBERS):
            others.append(value.other if type(value) is Maybe else value)
            known += [value.held] if type(value) is Maybe else []
        else:
            known.append(value)
    if not others or not known:
        return None
    is_array = {type(each) is TracedArray for each in known}
    form = form_of(known[0], known[-1]) if is_array == {False} else None
    has_number = any(each is not None for each in others)
    is_tuple = form is not None and not form.names and form.cls not in (list, TracedRange)
    is_either = is_tuple or (is_array == {True} and not has_number)
    return Form(Maybe, (form, None, None)[: 2 + has_number]) if is_either else None


def _is_tuple(value) -> bool:
    """Whether a value is a tuple, a range, an object of a data class, or a list of these."""
    if type(value) is list:
        return any(is_plain_class(type(item)) for item in value)
    is_tuple = type(value) in (tuple, range, TracedRange) or is_named_tuple_class(type(value))
    return is_tuple or is_plain_class(type(value))


def _class_and_names(value) -> tuple[type, tuple[str, ...]]:
    """The class of a tuple, and the names of the attributes of an object."""
    if isinstance(value, (range, TracedRange)):
        return TracedRange, ()
    return type(value), () if isinstance(value, (tuple, list)) else tuple(vars(value))


def _parts_of(value) -> tuple:
    if isinstance(value, (range, TracedRange)):
        return value.start, value.stop, value.step
    return tuple(value if isinstance(value, (tuple, list)) else vars(value).values())


def spread(forms: Forms, values) -> tuple:
    """The values with the parts of tuples in their place. What is no tuple, such as the name of
    one, stands for each part.
    """
    pairs = zip(forms, values, strict=True)
    return tuple(part for form, value in pairs for part in _leaves_of(form, value))


def _leaves_of(form: Form | None, value) -> tuple:
    if form is None:
        return (value,)
    if form.cls is Maybe:
        is_number = isinstance(value, NUMBERS)
        parts = (value, False, None)
        if value is None or is_number:
            parts = Absent(), True, value
        if type(value) is Maybe:
            parts = value.held, TracedScalar(value.is_other, bool, 1), value.other
        if isinstance(value, (str, UndefinedReturnValue)):  # a name, or no result yet
            parts = (value,) * 3
        return spread(form.parts, parts[: len(form.parts)])
    parts = _parts_of(value) if _is_tuple(value) else (value,) * len(form.parts)
    return spread(form.parts, parts)


def with_tuples(forms: Forms, values) -> tuple:
    """The values with tuples in place of their parts."""
    rest = iter(values)
    return tuple(_made(form, rest) for form in forms)


def _made(form: Form | None, rest) -> Any:
    """The next value, or a tuple of the next ones; while there is no result yet, that."""
    if form is None:
        return next(rest)
    parts = [_made(part, rest) for part in form.parts]
    if form.cls is Maybe and isinstance(parts[1], (bool, TracedScalar)):
        value, is_other, *other = parts
        if type(is_other) is TracedScalar:
            return Maybe(value, is_other.tensor, *other)
        return (*other, None)[0] if is_other else value
    missing = [part for part in parts if isinstance(part, UndefinedReturnValue)]
    if missing and len(missing) < len(parts):
        raise RefusedError("a tuple is returned of which a statement gives some parts only")
    if missing:
        return missing[0]
    if form.names:
        attributes = dict(zip(form.names, parts, strict=True))
        if form.is_own:
            return chosen_object(form.cls, attributes, form.is_chosen)
        record = object.__new__(form.cls)
        vars(record).update(attributes)
        return record
    if form.cls is TracedRange:
        return TracedRange(*parts)
    return form.cls(parts) if form.cls in (tuple, list) else form.cls._make(parts)


def body_of_parts(builder: Builder, forms: list, body: Callable, /, *values):
    """A loop body whose state has the parts of tuples.

    Raises Retrace, for `builder`, if a name that holds a tuple gets another one.
    """
    before = with_tuples(forms, values)
    after = body(*before)
    for at, (form, old, new) in enumerate(zip(forms, before, after, strict=True)):
        is_other = form is None and old is not new and old is not None
        if is_other and (wanted := form_of(old, new)) is not None:
            raise Retrace(TupleState(builder, at, wanted))
    return spread(forms, after)
