"""Decorated functions in pickles: by name where a module has them, else by value.

Python's `pickle` writes a function as its name, and refuses one that has none. `cloudpickle` writes
a function of `__main__`, a lambda or a closure by value: its code, and what it refers to. A
decorated function follows the pickler's decision. Its pickle has two Python functions in it, the
*address* and the *content*, which are attributes of the decorated function:

    pickler writes functions by name     both are names, and the other process has its own function
    pickler writes functions by value    the content function returns what f is made from, and the
                                         sources of the functions in it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograph.pickled_sources import PickledSources, owner_of
from ...runtime.core.classes import cached_property

NAMED_IN_PICKLES = 4  # from this protocol on, a pickle can name attributes of any object


class Pickled:
    """Base of decorated functions; `content` gives the arguments that make an equal one."""

    python_function: Callable

    def content(self) -> tuple:
        """The arguments that make the function, for `fill`."""
        raise NotImplementedError

    def fill(self, *content) -> None:
        """Set the attributes of an instance that `__new__` made."""
        raise NotImplementedError

    def content_and_sources(self) -> tuple:
        """The state for `__setstate__`. The class of a method may have functions that it calls."""
        owner = owner_of(self.python_function, inside=1)
        roots = [self.python_function, owner if isinstance(owner, type) else None]
        return [PickledSources(root) for root in roots if root is not None], *self.content()

    @property
    def has_name(self) -> bool:
        """Whether its module has this very object under its name."""
        return owner_of(self) is self

    def __reduce_ex__(self, protocol):
        if not self.has_name:
            return empty, (type(self),), self.content_and_sources()
        if protocol < NAMED_IN_PICKLES:
            return self.__qualname__  # type: ignore[attr-defined]
        return addressed, (type(self), self.pickle_address), self.pickle_content

    def __setstate__(self, state) -> None:
        if callable(state):
            if state is self.__dict__.get("pickle_content"):
                return  # found by name
            state = state()
        _, *content = state
        self.fill(*content)

    @cached_property
    def pickle_address(self) -> Callable:
        return self._attribute(lambda: None, "pickle_address")

    @cached_property
    def pickle_content(self) -> Callable:
        content = Content(self)
        return self._attribute(lambda: content, "pickle_content")

    def _attribute(self, function: Any, name: str) -> Callable:
        function.__module__ = self.__module__
        function.__qualname__ = f"{self.__qualname__}.{name}"  # type: ignore[attr-defined]
        function.__name__ = name
        return function


class Content:
    """The content of a function; it is computed if a pickler writes it by value."""

    def __init__(self, function: Pickled):
        self.function = function

    def __reduce__(self):
        return as_tuple, self.function.content_and_sources()


def as_tuple(*parts) -> tuple:
    return parts


def empty(cls: type):
    """An instance that gets its content afterwards, which may refer to it."""
    return object.__new__(cls)


def addressed(cls: type, address: Callable):
    """The decorated function that has this address; a new one if no module has it."""
    owner = owner_of(address, inside=1)
    if getattr(owner, "__dict__", {}).get("pickle_address") is address:
        return owner
    return empty(cls)
