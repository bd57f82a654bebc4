"""Structures as JSON: specifications, Python values and containers, without loss."""

from __future__ import annotations

import base64
import collections
import dataclasses
import inspect
import keyword
from collections.abc import Callable, Collection, Mapping

from ... import DType, TensorShape, TensorSpec
from ...extend.errors import InvalidArgumentError
from ...extend.registration import public
from ...extend.specs import (
    CompositeSpec,
    Container,
    FunctionType,
    Literal,
    TraceType,
    as_shape,
    dtype_named,
    trace_type,
)
from .registered_classes import name_of, named_tuple, record

MOST_KEYS = 10_000  # of one mapping
MAPPINGS = {"dict": dict, "OrderedDict": collections.OrderedDict}


@public("errors.NotSavableError")
class NotSavableError(InvalidArgumentError):
    """A value cannot be represented in a file."""


def _dims_of(shape) -> list | None:
    return None if shape is None else list(shape)


# Leaves: the encoder of each type, and the readers of all encoded types.
LEAVES = {
    TensorSpec: lambda spec: [spec.dtype.name, _dims_of(spec.dims), spec.name],
    type(None): lambda value: None,
    bool: bool,
    int: int,
    str: str,
    float: float.hex,
    complex: lambda value: [value.real.hex(), value.imag.hex()],
    bytes: lambda value: base64.b64encode(value).decode(),
    DType: lambda dtype: dtype.name,
    TensorShape: lambda shape: _dims_of(as_shape(shape)),
    range: lambda value: [value.start, value.stop, value.step],
    slice: lambda value: [encode(part) for part in (value.start, value.stop, value.step)],
}
READERS = {
    "TensorSpec": lambda content: TensorSpec(content[1], dtype_named(content[0]), content[2]),
    "NoneType": lambda content: None,
    "bool": bool,
    "int": int,
    "str": str,
    "float": float.fromhex,
    "complex": lambda content: complex(float.fromhex(content[0]), float.fromhex(content[1])),
    "bytes": base64.b64decode,
    "DType": dtype_named,
    "TensorShape": TensorShape,
    "range": lambda content: range(*content),
    "slice": lambda content: slice(*map(decode, content)),
    "list": lambda content: [decode(item) for item in content],
    "tuple": lambda content: tuple(decode(item) for item in content),
    "mapping": lambda content: _mapping(*content),
    "composite": lambda content: CompositeSpec.by_name[content[0]](*map(decode, content[1])),
    "named": lambda content: _rebuilt(named_tuple, *content),
    "record": lambda content: _rebuilt(record, *content),
}


def _rebuilt(rebuild: Callable, module: str, name: str, fields: list, items: list):
    return rebuild(module, name, fields, [decode(item) for item in items])


def _mapping(type_name: str, entries: list):
    if len(entries) > MOST_KEYS:  # numbers can be chosen so that each is compared with all others
        raise ValueError(f"a mapping has {len(entries):,} keys, more than {MOST_KEYS:,}")
    return MAPPINGS[type_name]((decode(key), decode(item)) for key, item in entries)


def encode(value):
    """A structure as a JSON value. Raises NotSavableError for a value that cannot be saved.

    >>> encode([1, TensorSpec([None], "float32")])
    {'list': [{'int': 1}, {'TensorSpec': ['float32', [None], None]}]}
    """
    if type(value) in LEAVES:
        return {type(value).__name__: LEAVES[type(value)](value)}
    if isinstance(value, CompositeSpec):
        parameters = [encode(parameter) for parameter in value.parameters()]
        return {"composite": [type(value).__name__, parameters]}
    if isinstance(value, Mapping):
        type_name = "OrderedDict" if isinstance(value, collections.OrderedDict) else "dict"
        entries = [[encode(key), encode(item)] for key, item in value.items()]
        return {"mapping": [type_name, entries]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [encode(item) for item in value]
        return {"named": [*name_of(type(value)), list(value._fields), items]}
    if isinstance(value, (list, tuple)):
        type_name = "list" if isinstance(value, list) else "tuple"
        return {type_name: [encode(item) for item in value]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        items = [encode(getattr(value, name)) for name in names]
        return {"record": [*name_of(type(value)), names, items]}
    raise NotSavableError(f"{value!r}, a {type(value).__name__}, cannot be saved")


def decode(value):
    """The structure that `encode` wrote.

    >>> decode(encode({"a": (1, 2.5), "b": None}))
    {'a': (1, 2.5), 'b': None}
    """
    ((type_name, content),) = value.items()
    if type_name not in READERS:
        raise InvalidArgumentError(f"this version of allograph cannot read a saved '{type_name}'")
    return READERS[type_name](content)


# ---- the types of functions ------------------------------------------------------------------


def structure_of(type_: TraceType):
    """The structure that a trace type represents: specifications and Python values."""
    if isinstance(type_, Container):
        return type_.around(map(structure_of, type_.components))
    if isinstance(type_, Literal):
        return type_.value
    if isinstance(type_, (TensorSpec, CompositeSpec)):
        return type_
    raise NotSavableError(
        f"an argument of the trace type {type_!r} cannot be saved",
        "Tensors, numbers, strings and structures of them can.",
    )


def encode_signature(signature: inspect.Signature) -> list:
    """Names, kinds and defaults of parameters; a placeholder for a default that cannot be saved."""
    entries = []
    for parameter in signature.parameters.values():
        entry = {"name": parameter.name, "kind": parameter.kind.name}
        if parameter.default is not parameter.empty:
            try:
                entry["default"] = encode(parameter.default)
            except NotSavableError:
                entry["default"] = encode(f"<{type(parameter.default).__name__}, not saved>")
        entries.append(entry)
    return entries


def decode_signature(entries: list) -> inspect.Signature:
    """The signature that `encode_signature` wrote. Raises ValueError for names that are none."""
    for entry in entries:
        if keyword.iskeyword(entry["name"]):  # generated code contains the names
            raise ValueError(f"{entry['name']!r} is not the name of a parameter")
    empty = inspect.Parameter.empty
    return inspect.Signature(
        [
            inspect.Parameter(
                entry["name"],
                getattr(inspect.Parameter, entry["kind"]),
                default=decode(entry["default"]) if "default" in entry else empty,
            )
            for entry in entries
        ]
    )


def encode_types(types: dict[str, TraceType]) -> list:
    """The types of the arguments of one trace, by parameter."""
    return [[name, encode(structure_of(type_))] for name, type_ in types.items()]


def decode_types(signature: inspect.Signature, entries: list) -> FunctionType:
    """The function type with these arguments. Raises ValueError for names of no parameter."""
    check_names(signature, [name for name, _ in entries])
    return FunctionType(signature, {name: trace_type(decode(entry)) for name, entry in entries})


def check_names(signature: inspect.Signature, names: Collection[str]) -> None:
    """Raise ValueError unless these are parameters of a function, each of them once."""
    if len(set(names)) < len(names) or not set(names) <= signature.parameters.keys():
        raise ValueError(f"{[*names]} are not the parameters of the function {signature}")
