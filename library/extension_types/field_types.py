"""Field annotations of extension types: which values fit, and which may hold tensors."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping

from ... import DType, Tensor, TensorShape, TensorSpec, convert_to_tensor

NONE = type(None)
PLAIN = (bool, int, float, complex, str, bytes, NONE, DType, TensorShape)
_MAPPINGS = (Mapping, dict)


class FrozenDict(Mapping):
    """A mapping that does not change."""

    def __init__(self, items):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f"FrozenDict({self._items!r})"


def _composition(annotation):
    """The form of a composed annotation, and its arguments."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return "union", typing.get_args(annotation)
    if origin is tuple:
        return "tuple", typing.get_args(annotation)
    if origin in _MAPPINGS:
        return "mapping", typing.get_args(annotation)
    if origin is typing.Literal:
        return "literal", typing.get_args(annotation)
    return None, ()


def check(annotation, path: str) -> None:
    """Raise TypeError unless an annotation is one that extension types support."""
    form, arguments = _composition(annotation)
    if form in ("union", "tuple", "mapping"):
        for argument in arguments:
            if argument is not Ellipsis:
                check(argument, path)
    elif form is None and not _is_simple(annotation):
        raise TypeError(
            f"{path}: unsupported type annotation {annotation!r}; use Tensor, a TensorSpec, "
            "numbers, text, None, DType, TensorShape, extension types, and tuple, Mapping, Union "
            "or Literal of them"
        )


def _is_simple(annotation) -> bool:
    if annotation is None or isinstance(annotation, TensorSpec):
        return True
    return isinstance(annotation, type) and (
        annotation in PLAIN or annotation is Tensor or hasattr(annotation, "__tf_flatten__")
    )


def may_hold_tensors(annotation) -> bool:
    """Whether values of an annotation may pass through graphs, rather than be constants."""
    form, arguments = _composition(annotation)
    if form == "literal":
        return False
    if form is not None:
        return any(may_hold_tensors(argument) for argument in arguments if argument is not Ellipsis)
    return isinstance(annotation, TensorSpec) or annotation not in (*PLAIN, None)


def fit(value, annotation, path: str):
    """`value` converted to the annotation: tensors created, lists to tuples, dictionaries frozen.

    Raises TypeError, naming the field by `path`, if it does not fit.
    """
    if annotation is Tensor or isinstance(annotation, TensorSpec):
        return _fit_tensor(value, annotation, path)
    form, arguments = _composition(annotation) if type(annotation) is not type else (None, ())
    if form is not None:
        return _COMPOSED[form](value, arguments, path)
    wanted = NONE if annotation is None else annotation
    if not isinstance(value, wanted):
        raise TypeError(f"{path}: expected {wanted.__name__}, got {value!r}")
    return value


def _fit_tensor(value, annotation, path: str):
    if value is None:
        raise TypeError(f"{path}: expected a tensor, got None")
    try:
        if annotation is Tensor:
            return convert_to_tensor(value)
        return annotation.cast(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{path}: expected {_display(annotation)}: {error}") from error


def _fit_union(value, arguments, path: str):
    for argument in arguments:
        try:
            return fit(value, argument, path)
        except TypeError:
            continue
    raise TypeError(f"{path}: expected one of {', '.join(map(_display, arguments))}, got {value!r}")


def _fit_tuple(value, arguments, path: str):
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{path}: expected a tuple, got {value!r}")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        arguments = (arguments[0],) * len(value)
    if len(arguments) != len(value):
        raise TypeError(f"{path}: expected {len(arguments)} items, got {len(value)}")
    pairs = enumerate(zip(value, arguments, strict=True))
    return tuple(fit(item, argument, f"{path}[{index}]") for index, (item, argument) in pairs)


def _fit_mapping(value, arguments, path: str):
    if not isinstance(value, Mapping):
        raise TypeError(f"{path}: expected a mapping, got {value!r}")
    key_type, value_type = arguments
    return FrozenDict(
        (fit(key, key_type, f"{path} key"), fit(item, value_type, f"{path}[{key!r}]"))
        for key, item in value.items()
    )


def _fit_literal(value, arguments, path: str):
    if not any(type(value) is type(argument) and value == argument for argument in arguments):
        raise TypeError(f"{path}: expected one of {arguments}, got {value!r}")
    return value


_COMPOSED = {
    "union": _fit_union,
    "tuple": _fit_tuple,
    "mapping": _fit_mapping,
    "literal": _fit_literal,
}


def _display(annotation) -> str:
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)
