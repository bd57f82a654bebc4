"""Item assignment: in place on Python's containers, a new value on staged ones."""

from __future__ import annotations

import operator

from ..stager import CURRENT
from .checked_values import Checked, stored, variable_in, with_default
from .containers import attributes_of
from .undefined import MaybeSet, Undefined

UPDATES = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}

slice_ = slice


def set_item(value, target, key, put=None):
    """The new `target` after `target[key] = value`: tensors are replaced, other objects changed.

    `put` stores a replaced target in the object that held it.
    """
    stager = CURRENT.stager
    if stager.is_tensor(target):
        target = stager.set_item(target, key, value)
        if put is not None:
            put(target)
    elif type(target) is list and stager.is_staged(key):
        target[:] = stager.set_item(target, key, value)
    else:
        tensor = stager.tensor_for(target, key, value)
        if tensor is not None:
            return set_item(value, tensor, key, put)
        target[key] = value
    return target


def update_item(target, key, sign: str, value, put=None):
    """The new `target` after `target[key] += value()`, or another operator."""
    stager = CURRENT.stager
    if type(target) is list and stager.is_staged(key):
        old = stager.get_item(target, key)
        return set_item(UPDATES[sign](old, value()), target, key, put)
    tensor = stager.tensor_for(target, key)
    target = target if tensor is None else tensor
    old, operand = target[key], value()
    tensor = stager.tensor_for(target, operand)  # its items cannot be updated in place
    if tensor is not None:
        target, old = tensor, tensor[key]
    return set_item(UPDATES[sign](old, operand), target, key, put)


# ---- the state of a staged statement: reading and storing --------------------------------


def ldu(load, name: str):
    """The value that `load` reads, or an Undefined."""
    try:
        return variable_in(load(), name)
    except (AttributeError, KeyError, NameError, IndexError):
        return Undefined(name)


def present(owner, key):
    """`owner[key]`, without making a missing item of a dictionary with defaults."""
    if isinstance(owner, dict) and key not in owner:
        raise KeyError(key)
    return owner[key]


def put_attribute(owner, name: str, value) -> None:
    """`owner.name = value`, unless it is that already; an Undefined value deletes it."""
    if isinstance(value, Undefined) and not value.reason:
        if name in attributes_of(owner):
            delattr(owner, name)
        return
    value = stored(value)
    if getattr(owner, name, put_attribute) is not value:
        setattr(owner, name, value)


def put_item(owner, key, value) -> None:
    """`owner[key] = value`; an Undefined value deletes it."""
    if isinstance(value, Undefined) and not value.reason:
        if key in owner:
            del owner[key]
    else:
        if type(value) is MaybeSet and hasattr(type(owner), "__missing__"):
            value = with_default(value, owner, key)
        value = stored(value)
        try:
            owner[key] = value
        except TypeError as error:
            if not isinstance(value, Checked):
                raise
            owner_class = type(owner).__name__.strip("_")
            raise CURRENT.stager.refusal_of_construct(
                f"the item {key!r} of a {owner_class} would exist only where a tensor decides so",
                "Set the item before the statement, or where the function is called.",
            ) from error
