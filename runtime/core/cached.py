"""Attributes that are computed once for each object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


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
