"""Registries of Keras classes and functions by name, and serialization to configurations."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, Self

from ...extend.errors import did_you_mean
from ...extend.registration import expose, public

TABLES: dict[str, dict[str, object]] = {}
CUSTOM: dict[str, object] = {}  # classes and functions of the user, by the names in files
ALSO_AT_THE_ROOT = {"initializers", "losses", "metrics", "optimizers", "optimizers.schedules"}


def snake(name: str) -> str:
    """`mean_squared_error` for `MeanSquaredError`, `conv2d` for `Conv2D`.

    >>> snake("MeanSquaredError"), snake("Conv2DTranspose"), snake("SimpleRNN")
    ('mean_squared_error', 'conv2d_transpose', 'simple_rnn')
    """
    return re.sub(r"(?<=.)(?=[A-Z][a-z0-9])|(?<=[a-z])(?=[A-Z])", "_", name).lower()


def register(family: str, member, *names: str):
    """Make `member` public as `keras.<family>.<name>`, and register its names for `get`."""
    table = TABLES.setdefault(family, {})
    own = member.__name__
    for name in (own, *names):
        expose(member, f"keras.{family}.{name}")
        if family in ALSO_AT_THE_ROOT:
            expose(member, f"{family}.{name}")
    for name in (own, snake(own), own.lower(), *names):
        table.setdefault(name, member)
    return member


def keras_class(family: str, *names: str) -> Callable[[Any], Any]:
    """A decorator that calls `register` for the members of a family."""
    return lambda member: register(family, member, *names)


def finder(family: str, default=None):
    """Define `keras.<family>.get`, which finds a member by name or configuration, and beside it
    `serialize` and `deserialize`.
    """
    serializer(family)
    return public(f"keras.{family}.get")(finder_of(family, default))


def serializer(family: str) -> None:
    """Define `keras.<family>.serialize` and `deserialize`: members as data, and back."""
    find = finder_of(family)

    def serialize(member):
        return described(member)

    def deserialize(config, custom_objects=None):
        with custom_object_scope(custom_objects or {}):
            return find(config)

    serialize.__doc__ = f"A member of keras.{family} as data, for `deserialize`."
    deserialize.__doc__ = f"The member of keras.{family} that `serialize` described."
    public(f"keras.{family}.serialize")(serialize)
    public(f"keras.{family}.deserialize")(deserialize)


@public("keras.saving.custom_object_scope", "keras.utils.custom_object_scope")
@contextlib.contextmanager
def custom_object_scope(objects: dict):
    """Register classes and functions by name inside a `with` statement."""
    before = dict(CUSTOM)
    CUSTOM.update(objects)
    try:
        yield
    finally:
        CUSTOM.clear()
        CUSTOM.update(before)


expose(custom_object_scope, "keras.saving.CustomObjectScope", "keras.utils.CustomObjectScope")


def finder_of(family: str, default=None):
    """A function that finds a member of a family; it returns `default` for None."""

    def get(identifier):
        if identifier is None:
            return default
        if isinstance(identifier, str):
            member = CUSTOM.get(identifier) or TABLES[family].get(identifier)
            if member is None:
                hint = did_you_mean(identifier, TABLES[family])
                raise ValueError(f"keras.{family} has no member {identifier!r}.{hint}")
            return member() if isinstance(member, type) else member
        if isinstance(identifier, dict):
            return _revived_by(identifier, {**TABLES[family], **CUSTOM})
        if isinstance(identifier, type):
            return identifier()
        return identifier

    get.__doc__ = f"The member of keras.{family} for a name, a configuration, a class or a member."
    return get


def _revived_by(described: dict, members: dict):
    """The object that a configuration with the name of its class describes."""
    member = members.get(described["class_name"])
    if not hasattr(member, "from_config"):
        name = described["class_name"]
        raise ValueError(
            f"there is no class {name!r}.{did_you_mean(name, members)} Register a class of your "
            "own before: @ag.keras.saving.register_keras_serializable()"
        )
    return member.from_config(described.get("config", {}))


def revived(value):
    """The argument of a constructor that `described` gave."""
    if isinstance(value, list):
        return [revived(one) for one in value]
    if isinstance(value, dict) and value.keys() == {"class_name", "config"}:
        return _revived_by(value, {**_all_members(), **CUSTOM})
    return value


def _all_members() -> dict:
    """The classes of all families; layers first."""
    results: dict[str, object] = {}
    for family in sorted(TABLES, key=lambda name: name == "layers"):
        results.update(TABLES[family])
    return results


def described(value):
    """An argument of a constructor as data for `from_config`."""
    if isinstance(value, (list, tuple)):
        return type(value)(described(one) for one in value)
    if hasattr(value, "get_config") and not isinstance(value, type):
        return {"class_name": name_of(type(value)), "config": value.get_config()}
    for name, member in CUSTOM.items():
        if member is value:
            return name
    for table in TABLES.values():
        if callable(value) and table.get(getattr(value, "__name__", "")) is value:
            return value.__name__
    return value


def name_of(cls: type) -> str:
    """The name of a class in configurations."""
    return next((name for name, one in CUSTOM.items() if one is cls), cls.__name__)


class Untracked:
    """A container for attributes that checkpoints do not track."""

    def __init__(self, *objects):
        self.objects = objects


class Configured:
    """Base class of objects that record the arguments of their constructor."""

    def __new__(cls, *args, **kwargs) -> Self:
        instance = super().__new__(cls)
        instance.__dict__["_arguments"] = Untracked(args, kwargs)
        return instance

    def get_config(self) -> dict:
        """The arguments of the constructor, by name, as data."""
        args, kwargs = self._arguments.objects
        try:
            bound = _signature(type(self)).bind(None, *args, **kwargs).arguments
        except TypeError:
            return {key: described(value) for key, value in kwargs.items()}
        further = _name_of_further_arguments(type(self))
        arguments = {key: value for key, value in list(bound.items())[1:] if key != further}
        arguments |= bound.get(further, {})
        return {key: described(value) for key, value in arguments.items()}

    @classmethod
    def from_config(cls, config: dict):
        """A new instance from the result of `get_config`."""
        return cls(**{key: revived(value) for key, value in config.items()})


@functools.cache
def _name_of_further_arguments(cls: type) -> str:
    """The name before which `**` stands in the constructor; empty if there is none."""
    parameters = _signature(cls).parameters.values()
    return next(
        (parameter.name for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD), ""
    )


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)
