"""Tuples, named tuples and objects of data classes in the state of staged statements: their parts
are state of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....autograph.operators.raising import Retrace
from ....autograph.operators.undefined import UndefinedReturnValue
from ....runtime.core.classes import NamedTuple
from ....runtime.tensors.graph_builder import Builder
from ...structures.argument_structures import is_named_tuple_class
from ..refusal import RefusedError, TupleState
from .chosen_objects import choose, chosen_object, is_of_trace, original_of
from .plain_classes import is_plain_record_class


class Form(NamedTuple):
    """A tuple of a class, and the forms of its parts; None is that of anything else. An object has
    attributes of the `names`: `is_own` says whether the trace made it, `is_chosen` whether it may
    be one of two.
    """

    cls: type
    parts: tuple[Form | None, ...]
    names: tuple[str, ...] = ()
    is_own: bool = False
    is_chosen: bool = False


Forms = Sequence[Form | None]


def form_of(left, right) -> Form | None:
    """The form of both values, where both are tuples alike, or one is and the other no result."""
    values = [each for each in (left, right) if not isinstance(each, UndefinedReturnValue)]
    if not values or not all(map(_is_tuple, values)):
        return None
    first, last = values[0], values[-1]
    left, right = _parts_of(first), _parts_of(last)
    if list in (type(first), type(last)) and original_of(first) is not original_of(last):
        return None
    if type(first) is not type(last) or len(left) != len(right) or _names(first) != _names(last):
        return None
    form = Form(type(first), tuple(map(form_of, left, right)), _names(first))
    if not form.names:
        return form
    is_chosen = original_of(first) is not original_of(last)
    if is_chosen:
        choose(first, last)
    is_own = is_of_trace(first) and is_of_trace(last)
    return form._replace(is_own=is_own, is_chosen=is_chosen)


def _is_tuple(value) -> bool:
    """Whether a value is a tuple, an object of a data class, or a list of these."""
    if type(value) is list:
        return any(is_plain_record_class(type(item)) for item in value)
    is_tuple = type(value) is tuple or is_named_tuple_class(type(value))
    return is_tuple or is_plain_record_class(type(value))


def _names(value) -> tuple[str, ...]:
    return () if isinstance(value, (tuple, list)) else tuple(vars(value))


def _parts_of(value) -> tuple:
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
    return form.cls(parts) if form.cls in (tuple, list) else form.cls._make(parts)


def body_of_parts(builder: Builder, forms: list, body: Callable) -> Callable:
    """A loop body whose state has the parts of tuples.

    Raises Retrace, for `builder`, if a name that holds a tuple gets another one.
    """

    def call(*values):
        before = with_tuples(forms, values)
        after = body(*before)
        for at, (form, old, new) in enumerate(zip(forms, before, after, strict=True)):
            if form is None and old is not new and (wanted := form_of(old, new)) is not None:
                raise Retrace(TupleState(builder, at, wanted))
        return spread(forms, after)

    return call
