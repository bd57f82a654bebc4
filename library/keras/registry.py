"""Things that are found by name and described by data: `keras.losses.get("mse")`, `get_config`."""

from __future__ import annotations

import functools
import inspect
import re

from ...runtime.core.public_names import expose, public

TABLES: dict[str, dict[str, object]] = {}
ALSO_AT_THE_ROOT = {"initializers", "losses", "metrics", "optimizers", "optimizers.schedules"}


def snake(name: str) -> str:
    """`mean_squared_error` for `MeanSquaredError`, `conv2d` for `Conv2D`.

    >>> snake("MeanSquaredError"), snake("Conv2DTranspose"), snake("SimpleRNN")
    ('mean_squared_error', 'conv2d_transpose', 'simple_rnn')
    """
    return re.sub(r"(?<=.)(?=[A-Z][a-z0-9])|(?<=[a-z])(?=[A-Z])", "_", name).lower()


def register(family: str, thing, *names: str):
    """Make `thing` public below `keras.<family>` by its name, and findable by other names."""
    table = TABLES.setdefault(family, {})
    own = thing.__name__
    for name in (own, *names):
        expose(thing, f"keras.{family}.{name}")
        if family in ALSO_AT_THE_ROOT:
            expose(thing, f"{family}.{name}")
    for name in (own, snake(own), own.lower(), *names):
        table.setdefault(name, thing)
    return thing


def keras_class(family: str, *names: str):
    """Decorator form of `register` for the members of a family."""
    return lambda thing: register(family, thing, *names)


def finder(family: str, default=None):
    """`keras.<family>.get`: a member from its name, its configuration, or itself."""
    return public(f"keras.{family}.get")(finder_of(family, default))


def finder_of(family: str, default=None):
    """A function that finds a member of a family; `default` for None."""

    def get(identifier):
        if identifier is None:
            return default
        if isinstance(identifier, str):
            found = TABLES[family].get(identifier)
            if found is None:
                raise ValueError(f"keras.{family} has no member {identifier!r}")
            return found() if isinstance(found, type) else found
        if isinstance(identifier, dict):
            found = TABLES[family][identifier["class_name"]]
            return found.from_config(identifier.get("config", {}))
        if isinstance(identifier, type):
            return identifier()
        return identifier

    get.__doc__ = f"A member of keras.{family} from its name, its configuration, or itself."
    return get


def described(value):
    """An argument of a constructor as data that `from_config` reads back."""
    if isinstance(value, (list, tuple)):
        return type(value)(described(one) for one in value)
    if hasattr(value, "get_config") and not isinstance(value, type):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    for table in TABLES.values():
        if callable(value) and table.get(getattr(value, "__name__", "")) is value:
            return value.__name__
    return value


class Aside:
    """Holds what belongs to an object but is none of its parts: checkpoints do not look in here."""

    def __init__(self, *things):
        self.things = things


class Configured:
    """Base class of things that remember the arguments they were made with."""

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        made.__dict__["_arguments"] = Aside(args, kwargs)
        return made

    def get_config(self) -> dict:
        """The arguments it was made with, by name, as data."""
        args, kwargs = self._arguments.things
        try:
            bound = _signature(type(self)).bind(None, *args, **kwargs).arguments
        except TypeError:
            return {key: described(value) for key, value in kwargs.items()}
        given = {key: value for key, value in list(bound.items())[1:] if key != "kwargs"}
        return {
            key: described(value) for key, value in {**given, **bound.get("kwargs", {})}.items()
        }

    @classmethod
    def from_config(cls, config: dict):
        """A new one from the result of `get_config`."""
        return cls(**config)


@functools.cache
def _signature(kind: type) -> inspect.Signature:
    return inspect.signature(kind.__init__)
