"""Named tuples and dataclasses in files: those that the program registered, and plain records.

A file names a class. Its objects are made only of a class that the loading program registered
under this name, and without a call of the class. Otherwise they are plain records.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
import operator
from typing import Any

from ...extend.errors import AlreadyExistsError, InvalidArgumentError
from ...extend.registration import public

MOST_FIELDS = 1000
_REGISTERED: dict[str, type] = {}


@public("saved_model.register")
def register(cls: type | None = None, *, name: str | None = None):
    """Let saved modules make objects of a named tuple or dataclass when they are loaded.

    The name in a file is `<module>.<class>`, and `name` states another one, such as that of a class
    that has moved. Objects of classes that are not registered become plain records, with the same
    fields.

    >>> import allograph as ag
    >>> import tempfile
    >>> from typing import NamedTuple
    >>> @ag.saved_model.register(name="geometry.Point")
    ... class Point(NamedTuple):
    ...     x: ag.Tensor
    ...     y: ag.Tensor
    >>> module = ag.Module()
    >>> module.mirrored = ag.function(lambda x, y: Point(y, x), [ag.TensorSpec([])] * 2)
    >>> folder = tempfile.mkdtemp()
    >>> ag.saved_model.save(module, folder)
    >>> type(ag.saved_model.load(folder).mirrored(1.0, 2.0)) is Point
    True

    Raises AlreadyExistsError if another class has the name, InvalidArgumentError for any other
    object than the class of a named tuple or dataclass.
    """
    if cls is None:
        return functools.partial(register, name=name)
    if fields_of(cls) is None:
        raise InvalidArgumentError(
            f"saved_model.register takes the class of a named tuple or dataclass, not {cls!r}"
        )
    known = _REGISTERED.setdefault(name or _own_name(cls), cls)
    if known is not cls and _own_name(known) != _own_name(cls):  # not a cell that ran once more
        raise AlreadyExistsError(f"{name or _own_name(cls)!r} is the registered name of {known!r}")
    _REGISTERED[name or _own_name(cls)] = cls
    return cls


def name_of(cls: type) -> list[str]:
    """The module and the name of a class, as a file holds them."""
    for name, registered in _REGISTERED.items():
        if registered is cls:
            module, _, own = name.rpartition(".")
            return [module, own]
    return [cls.__module__, cls.__qualname__]


def _own_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def fields_of(cls: type) -> list[str] | None:
    """The names of the fields of the class of a named tuple or dataclass."""
    if not isinstance(cls, type):
        return None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return list(cls._fields)
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return None


def named_tuple(module: str, name: str, fields: list[str], items: list):
    """The named tuple of a file."""
    return tuple.__new__(_class(tuple, module, name, fields), items)


def record(module: str, name: str, fields: list[str], items: list):
    """The dataclass object of a file."""
    instance: Any = object.__new__(_class(object, module, name, fields))
    for field, item in zip(fields, items, strict=True):
        object.__setattr__(instance, field, item)
    return instance


def _class(base: type, module: str, name: str, fields: list[str]) -> type:
    """The registered class, or a plain one."""
    cls = _REGISTERED.get(f"{module}.{name}".removeprefix("."))
    if cls is None:
        return _plain(base, name.split(".")[-1], tuple(fields))
    if issubclass(cls, tuple) != (base is tuple) or fields_of(cls) != fields:
        raise ValueError(
            f"the registered class {module}.{name} has the fields {fields_of(cls)}, "
            f"the file has {fields}"
        )
    return cls


# ---- plain records ---------------------------------------------------------------------------
# `collections.namedtuple` and `dataclasses.make_dataclass` write source and run it.


class _PlainTuple(tuple):
    """A named tuple of a class that is not registered."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __new__(cls, *items):
        return super().__new__(cls, items)

    def __getnewargs__(self):
        return tuple(self)

    def _asdict(self) -> dict:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self):
        items = ", ".join(f"{name}={item!r}" for name, item in self._asdict().items())
        return f"{type(self).__name__}({items})"


class _PlainRecord:
    """A dataclass object of a class that is not registered."""

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self):
        return hash(tuple(vars(self).items()))

    def __repr__(self):
        items = ", ".join(f"{name}={item!r}" for name, item in vars(self).items())
        return f"{type(self).__name__}({items})"


@functools.lru_cache(256)
def _plain(base: type, name: str, fields: tuple[str, ...]) -> type:
    """A class with these fields, one for each name: files may name the same class often."""
    for word in (name, *fields):
        if type(word) is not str or not word.isidentifier() or keyword.iskeyword(word):
            raise ValueError(f"{word!r} is not the name of a field or class")
    hidden = "_" if base is tuple else "__"
    if len(set(fields)) < len(fields) or any(field.startswith(hidden) for field in fields):
        raise ValueError(f"{fields} are not the names of fields")
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"a record has {len(fields)} fields, more than {MOST_FIELDS}")
    if base is not tuple:
        members: dict[str, Any] = {"__annotations__": dict.fromkeys(fields, Any)}
        cls = type(name, (_PlainRecord,), members)
        return dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    members = {field: property(operator.itemgetter(i)) for i, field in enumerate(fields)}
    return type(name, (_PlainTuple,), {**members, "_fields": fields, "__slots__": ()})
