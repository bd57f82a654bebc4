"""Structures as JSON: specifications, Python values and the containers around them, exactly."""

from __future__ import annotations

import base64
import collections
import dataclasses
import inspect
import sys
from collections.abc import Mapping

from ...runtime.core.dtypes import DType, as_dtype
from ...runtime.core.errors import InvalidArgumentError
from ...runtime.core.shapes import TensorShape
from ...tracing.type_system.function_type import FunctionType
from ...tracing.type_system.trace_types import Container, Literal, TensorSpec, TraceType, trace_type

MAPPINGS = {"dict": dict, "OrderedDict": collections.OrderedDict}


class NotSavableError(InvalidArgumentError):
    """A value has no form that another process could read."""


def _shape(shape) -> list | None:
    return None if shape is None else list(shape)


# Leaves: what is written for each type, and how that is read.
LEAVES = {
    TensorSpec: lambda spec: [spec.dtype.name, _shape(spec.dims), spec.name],
    type(None): lambda value: None,
    bool: bool,
    int: int,
    str: str,
    float: float.hex,
    complex: lambda value: [value.real.hex(), value.imag.hex()],
    bytes: lambda value: base64.b64encode(value).decode(),
    DType: lambda dtype: dtype.name,
    TensorShape: lambda shape: _shape(shape._dims),
    range: lambda value: [value.start, value.stop, value.step],
    slice: lambda value: [encode(part) for part in (value.start, value.stop, value.step)],
}
READERS = {
    "TensorSpec": lambda row: TensorSpec(row[1], row[0], row[2]),
    "NoneType": lambda row: None,
    "bool": bool,
    "int": int,
    "str": str,
    "float": float.fromhex,
    "complex": lambda row: complex(float.fromhex(row[0]), float.fromhex(row[1])),
    "bytes": base64.b64decode,
    "DType": as_dtype,
    "TensorShape": TensorShape,
    "range": lambda row: range(*row),
    "slice": lambda row: slice(*map(decode, row)),
    "list": lambda row: [decode(item) for item in row],
    "tuple": lambda row: tuple(decode(item) for item in row),
    "mapping": lambda row: MAPPINGS[row[0]]((decode(key), decode(item)) for key, item in row[1]),
    "named": lambda row: _named(*row),
    "record": lambda row: _record(*row),
}


def encode(value):
    """JSON for a structure; NotSavableError names what cannot be written.

    >>> encode([1, TensorSpec([None], "float32")])
    {'list': [{'int': 1}, {'TensorSpec': ['float32', [None], None]}]}
    """
    if type(value) in LEAVES:
        return {type(value).__name__: LEAVES[type(value)](value)}
    if isinstance(value, Mapping):
        kind = "OrderedDict" if isinstance(value, collections.OrderedDict) else "dict"
        rows = [[encode(key), encode(item)] for key, item in value.items()]
        return {"mapping": [kind, rows]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": [*_class_of(value), list(value._fields), [encode(x) for x in value]]}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encode(item) for item in value]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {
            "record": [*_class_of(value), names, [encode(getattr(value, name)) for name in names]]
        }
    raise NotSavableError(f"{value!r}, a {type(value).__name__}, cannot be saved")


def decode(row):
    """The structure that `encode` wrote.

    >>> decode(encode({"a": (1, 2.5), "b": None}))
    {'a': (1, 2.5), 'b': None}
    """
    ((kind, content),) = row.items()
    if kind not in READERS:
        raise InvalidArgumentError(f"this version of allograph cannot read a saved '{kind}'")
    return READERS[kind](content)


# ---- classes of the user ---------------------------------------------------------------------
# A named tuple or dataclass is of the user's own class where that is loaded already, else of one
# made from the names of its fields: reading a file imports nothing.


def _class_of(value) -> list[str]:
    return [type(value).__module__, type(value).__qualname__]


def _loaded_class(module: str, path: str, fields: list[str]):
    found = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    if not isinstance(found, type):
        return None
    if dataclasses.is_dataclass(found):
        own = [field.name for field in dataclasses.fields(found)]
    else:
        own = list(getattr(found, "_fields", ()))
    return found if own == fields else None


def _named(module, path, fields, items):
    kind = _loaded_class(module, path, fields)
    if kind is None:
        kind = collections.namedtuple(path.split(".")[-1], fields)
    return kind(*map(decode, items))


def _record(module, path, fields, items):
    kind = _loaded_class(module, path, fields)
    if kind is None:
        kind = dataclasses.make_dataclass(path.split(".")[-1], fields)
    made = object.__new__(kind)
    for name, item in zip(fields, items, strict=True):
        object.__setattr__(made, name, decode(item))
    return made


# ---- the types of functions ------------------------------------------------------------------


def structure_of(kind: TraceType):
    """The structure that a trace type stands for: specifications and Python values."""
    if isinstance(kind, Container):
        return kind.around(map(structure_of, kind.components))
    if isinstance(kind, Literal):
        return kind.value
    if isinstance(kind, TensorSpec):
        return kind
    raise NotSavableError(
        f"an argument of the trace type {kind!r} cannot be saved",
        "Tensors, numbers, strings and structures of them can.",
    )


def encode_signature(signature: inspect.Signature) -> list:
    """Names, kinds and defaults of the parameters; a default that cannot be saved is left out."""
    rows = []
    for parameter in signature.parameters.values():
        row = {"name": parameter.name, "kind": parameter.kind.name}
        if parameter.default is not parameter.empty:
            try:
                row["default"] = encode(parameter.default)
            except NotSavableError:
                row["default"] = encode(f"<{type(parameter.default).__name__}, not saved>")
        rows.append(row)
    return rows


def decode_signature(rows: list) -> inspect.Signature:
    """The signature that `encode_signature` wrote."""
    kinds = inspect.Parameter
    return inspect.Signature(
        [
            kinds(
                row["name"],
                getattr(kinds, row["kind"]),
                default=decode(row["default"]) if "default" in row else kinds.empty,
            )
            for row in rows
        ]
    )


def encode_types(types: dict[str, TraceType]) -> list:
    """The types of the arguments of one trace, by parameter."""
    return [[name, encode(structure_of(kind))] for name, kind in types.items()]


def decode_types(signature: inspect.Signature, rows: list) -> FunctionType:
    """The function type with these arguments."""
    return FunctionType(signature, {name: trace_type(decode(row)) for name, row in rows})
