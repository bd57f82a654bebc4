"""Named tuples that are declared in a tenth of the time.

`typing.NamedTuple` reads the annotations as types and compiles a method for each class. A program
that compiles one kernel declares almost a hundred such classes, which took a ninth of its first
second. Here annotations are names alone, and a constructor is compiled when it is first called.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

_field = type(namedtuple("_Example", "field").field)  # type: ignore[attr-defined] # reads one item


def _make(cls, values):
    made = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values, got {len(made)}")
    return made


def _replace(self, /, **changes):
    return type(self)(**{**self._asdict(), **changes})


def _asdict(self) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _values(self) -> tuple:
    return tuple(self)


def _repr(self) -> str:
    items = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
    return f"{type(self).__name__}({items})"


_METHODS = {
    "__slots__": (),
    "__repr__": _repr,
    "__replace__": _replace,
    "__getnewargs__": _values,
    "_make": classmethod(_make),
    "_replace": _replace,
    "_asdict": _asdict,
}


class _Declaration(type):
    """The class of `NamedTuple`: makes a class of tuples of a body that declares fields."""

    def __new__(cls, name: str, bases: tuple, body: dict):
        if not bases:  # NamedTuple itself
            return super().__new__(cls, name, bases, body)
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body[field] for field in fields if field in body}
        body |= {field: _field(index, field) for index, field in enumerate(fields)}
        facts = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
        made = type(name, (tuple,), {**_METHODS, **facts, **body})
        made.__new__ = _constructor_on_demand(made)  # type: ignore[assignment, method-assign]
        return made


def _constructor_on_demand(made):
    """The method `__new__` of a class, which compiles the one that takes its place."""

    def construct(cls, /, *args, **kwargs):
        made.__new__ = constructor = _constructor(made)
        return constructor(cls, *args, **kwargs)

    return construct


def _constructor(made):
    """The method `__new__` of a class, with its fields as parameters."""
    scope = {f"default_{name}": value for name, value in made._field_defaults.items()}
    scope |= {"__name__": made.__module__, "new": tuple.__new__}
    parameters = [
        f"{name}=default_{name}" if name in made._field_defaults else name for name in made._fields
    ]
    items = "".join(f"{name}, " for name in made._fields)
    exec(f"def __new__({', '.join(['_cls', *parameters])}): return new(_cls, ({items}))", scope)
    scope["__new__"].__qualname__ = f"{made.__qualname__}.__new__"
    return scope["__new__"]


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple(metaclass=_Declaration):
        """As `typing.NamedTuple`, in modules with `from __future__ import annotations`.

        Raises TypeError where a call has other arguments than the class has fields.

        >>> class Point(NamedTuple):
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(y=2, x=1)._replace(x=3), tuple(Point(1))
        (Point(x=1, y=0), Point(x=3, y=2), (1, 0))
        """
