"""Records, named tuples, and attributes computed once for each object."""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

T = TypeVar("T")
C = TypeVar("C", bound=type)
_NOT_GIVEN: Any = object()


def class_of(container) -> type:
    """The class of a container in plain Python: a list may be of another one while it is traced."""
    return vars(type(container)).get("class_in_python", type(container))


class cached_property(Generic[T]):  # noqa: N801 (named as that of functools)
    """A property whose value is kept in the object's `__dict__`.

    Before Python 3.12, that of `functools` holds one lock for all objects of a class while it
    computes: one compilation would wait for another, and a child process that was forked
    meanwhile would wait for ever. Here two threads may both compute; the first value is kept.

    >>> class Circle:
    ...     radius = 2
    ...
    ...     @cached_property
    ...     def diameter(self):
    ...         print("computed")
    ...         return 2 * self.radius
    >>> circle = Circle()
    >>> circle.diameter, circle.diameter
    computed
    (4, 4)
    """

    def __init__(self, compute: Callable[[Any], T]):
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.compute(instance))


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(dataclasses.field,))
def record(*, frozen: bool = True, eq: bool = False, slots: bool = True) -> Callable[[C], C]:
    """A dataclass that is declared in a fifth of the time: the modules of a first call declare so
    many that `dataclasses.dataclass` takes 13 ms more for a loop, 45 ms more in `jit`.

    `dataclass` compiles up to eight methods for each class; here `__init__` is the only one, since
    it alone runs often. `replace`, `fields` and the other functions of `dataclasses` take records.

    >>> @record()
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), dataclasses.replace(Point(1), y=2), Point(1) == Point(1)
    (Point(x=1, y=0), Point(x=1, y=2), False)
    >>> Point(1).x = 3
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """

    def declare(declared: C) -> C:
        methods: dict[str, Any] = {"__repr__": _repr}
        if eq:
            methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
        if frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        if frozen and slots:
            methods |= {"__getstate__": _values, "__setstate__": _set_values}
        for name, method in methods.items():
            if name not in vars(declared):
                setattr(declared, name, method)
        make = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)
        record: Any = make(declared)
        _compile_when_called(record, "__init__", lambda: _init_of(record, frozen, slots))
        return record

    return declare


def _compile_when_called(cls: type, name: str, compiled: Callable[[], Callable]) -> None:
    """Give a class a method that is `compiled` by its first call: most classes of a program have
    no instances.
    """

    def first(instance, /, *args, **kwargs):
        method = compiled()
        setattr(cls, name, method)
        return method(instance, *args, **kwargs)

    setattr(cls, name, first)


def _init_of(cls: type, frozen: bool, slots: bool) -> Callable[..., None]:
    """The method `__init__` of a record."""
    fields = dataclasses.fields(cls)
    has_factory = tuple(field.default_factory is not dataclasses.MISSING for field in fields)
    scope: dict[str, Any] = {"not_given": _NOT_GIVEN, "set_field": object.__setattr__}
    scope["__name__"] = cls.__module__  # by which debuggers know whose frame it is
    defaults = []
    for position, field in enumerate(fields):
        scope[f"name_{position}"], scope[f"make_{position}"] = field.name, field.default_factory
        if frozen and slots:
            scope[f"set_{position}"] = getattr(cls, field.name).__set__
        if has_factory[position]:
            defaults.append(_NOT_GIVEN)
        elif field.default is not dataclasses.MISSING or defaults:
            defaults.append(field.default)
    template = _template_of_init(has_factory, frozen, slots)
    names = [field.name for field in fields]
    return _named(template, f"{cls.__qualname__}.__init__", names, scope, tuple(defaults))


@functools.cache
def _template_of_init(has_factory: tuple[bool, ...], frozen: bool, slots: bool) -> CodeType:
    """The code of an `__init__` for fields named `_0`, `_1` and so on."""
    lines = []
    for at, is_made in enumerate(has_factory):
        value = f"make_{at}() if _{at} is not_given else _{at}" if is_made else f"_{at}"
        of_frozen = f"set_{at}(self, {value})" if slots else f"set_field(self, name_{at}, {value})"
        lines.append(of_frozen if frozen else f"self._{at} = {value}")
    parameters = ", ".join(["self", *(f"_{at}" for at in range(len(has_factory)))])
    return _code_of(f"def __init__({parameters}): {'; '.join(lines or ['pass'])}")


def _code_of(definition: str) -> CodeType:
    """The code of a function. Debuggers of users do not stop in this module."""
    scope: dict[str, Any] = {"__name__": __name__}
    exec(definition, scope)
    return scope.popitem()[1].__code__


def _named(code: CodeType, qualname: str, fields, scope: dict, defaults: tuple) -> Any:
    """A function by the code of a template, which takes a tenth of the time of compiling it."""
    names = {f"_{position}": field for position, field in enumerate(fields)}
    inside = tuple(names.get(name, name) for name in code.co_varnames)
    used = tuple(names.get(name, name) for name in code.co_names)
    code = code.replace(co_varnames=inside, co_names=used, co_qualname=qualname)
    function = FunctionType(code, scope, code.co_name, defaults)
    function.__module__ = scope["__name__"]
    return function


def _values(self) -> list:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_values(self, values: list) -> None:
    for field, value in zip(dataclasses.fields(self), values, strict=True):
        object.__setattr__(self, field.name, value)


def _repr(self) -> str:
    shown = [field.name for field in dataclasses.fields(self) if field.repr]
    items = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({items})"


def _eq(self, other) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self) -> int:
    return hash(tuple(_values(self)))


def _refuse(self, name: str, value: Any = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


# ---- named tuples ------------------------------------------------------------------------------


_Example = namedtuple("_Example", "field")


def _shown(self: Any) -> str:
    items = zip(self.__match_args__, self, strict=True)
    return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in items)})"


def _replaced(self: Any, /, **changes: Any):
    result = type(self)(*map(changes.pop, self.__match_args__, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return result


# `collections.namedtuple` would compile them for each class anew.
_METHODS: dict[str, Any] = {name: vars(_Example)[name] for name in ("_asdict", "__getnewargs__")}
_METHODS |= {"__repr__": _shown, "_replace": _replaced}
_METHODS["_make"] = classmethod(lambda cls, items: cls(*items))


@functools.cache
def _template_of_new(count: int) -> CodeType:
    """The code of a `__new__` for so many fields."""
    fields = "".join(f"_{at}, " for at in range(count))
    return _code_of(f"def __new__(_cls, {fields}): return _new(_cls, ({fields}))")


class _Declared(type):
    def __new__(cls, name, bases, namespace):
        """The class; its first call compiles its method `__new__`."""
        fields = tuple(namespace.get("__annotations__", ()))
        defaults = tuple(namespace.pop(field) for field in fields if field in namespace)

        def compiled():
            scope = {"_new": tuple.__new__, "__name__": declared.__module__}  # as in `_init_of`
            return _named(_template_of_new(len(fields)), f"{name}.__new__", fields, scope, defaults)

        namespace |= {"__slots__": (), "_fields": fields, "__match_args__": fields}
        for position, field in enumerate(fields):
            namespace[field] = type(_Example.field)(position, f"Alias for field number {position}")
        declared: Any = type(name, (tuple, *bases[1:]), {**_METHODS, **namespace})
        _compile_when_called(declared, "__new__", compiled)
        return declared


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    NamedTuple = type.__new__(_Declared, "NamedTuple", (), {})
    NamedTuple.__doc__ = """A named tuple as that of `typing`, declared in a fifth of the time.

    With those of `typing`, a first call takes 18 ms more for a loop, 16 ms in `jit`.

    >>> class Point(NamedTuple):
    ...     x: int
    ...     y: int = 0
    >>> Point(1)._replace(x=2)
    Point(x=2, y=0)
    """
