"""Item assignment: in place on Python's containers, a new value on staged ones."""

from __future__ import annotations

import operator

from ..stager import CURRENT

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


def set_item(value, target, key):
    """What `target` is after `target[key] = value`: a tensor is replaced, all else changes."""
    if CURRENT.stager.is_tensor(target):
        return CURRENT.stager.set_item(target, key, value)
    target[key] = value
    return target


def update_item(target, key, sign: str, value):
    """What `target` is after `target[key] += value()`, or another operator."""
    old = target[key]
    return set_item(UPDATES[sign](old, value()), target, key)
