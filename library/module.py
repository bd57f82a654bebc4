"""`Module`: an object that tracks the variables and modules among its attributes."""

from __future__ import annotations

import functools
import re
from typing import Any

from .. import Variable, name_scope
from ..extend import nest
from ..extend.registration import public
from ..extend.state import NAMES
from ..extend.tracing import PickledSources, call_user_code

_BORDERS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # of words in a name


@public("Module")
class Module:
    """Base class of objects with variables, which are found among the attributes.

    >>> import allograph as ag
    >>> class Line(ag.Module):
    ...     def __init__(self):
    ...         self.slope, self.shift = ag.Variable(2.0), ag.Variable(0.5, trainable=False)
    >>> line = Line()
    >>> len(line.variables), len(line.trainable_variables)
    (2, 1)
    """

    part_of_modules = True  # whether a containing module includes its variables
    part_of_layers = True  # whether a containing layer includes its variables
    _pickled_sources: PickledSources  # for pickles that hold the class by value

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        cls._pickled_sources = PickledSources(cls)

    def __init__(self, name: str | None = None):
        if name is not None and not str(name).isidentifier():
            raise ValueError(f"{name!r} is not a valid module name: it is a Python identifier")
        self._name = name
        if NAMES.get():
            self._outer_scope = NAMES.get()

    @property
    def name(self) -> str:
        own_name = self.__dict__.get("_name")
        return own_name or _BORDERS.sub("_", type(self).__name__).lower().lstrip("_")

    @property
    def name_scope(self) -> Any:
        """A context manager that prefixes names of operations and variables with the module's."""
        return name_scope(self.__dict__.get("_outer_scope", "") + self.name + "/")

    @classmethod
    def with_name_scope(cls, method) -> Any:
        """A decorator for methods that run in the `name_scope` of the module.

        >>> import allograph as ag
        >>> class Dense(ag.Module):
        ...     @ag.Module.with_name_scope
        ...     def __call__(self, x):
        ...         self.w = ag.Variable(ag.ones([x.shape[-1], 1]), name="w")
        ...         return x @ self.w
        >>> dense = Dense(name="last")
        >>> _ = dense(ag.ones([2, 3]))
        >>> dense.w.name
        'last/w:0'
        """

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return call_user_code(method, self, *args, **kwargs)

        return scoped

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The distinct variables of this module and its submodules."""
        return tuple(obj for obj in self._walk() if isinstance(obj, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        return tuple(obj for obj in self._walk() if isinstance(obj, Module))

    def __setattr__(self, name: str, value) -> None:
        super().__setattr__(name, value)
        if "_observers" in self.__dict__:
            for observer in tuple(self._observers.values()):  # type: ignore[attr-defined]
                observer(name, value)

    def _walk(self):
        """Variables and modules among the attributes, sorted by name, in breadth-first order."""
        seen = {id(self)}
        queue = [leaf for key in sorted(vars(self)) for leaf in nest.flatten(vars(self)[key])]
        while queue:
            obj = queue.pop(0)
            if id(obj) in seen or not isinstance(obj, (Variable, Module)):
                continue
            if isinstance(obj, Module) and not obj.part_of_modules:
                continue
            seen.add(id(obj))
            yield obj
            if isinstance(obj, Module):
                attributes = vars(obj)
                queue += [
                    leaf for key in sorted(attributes) for leaf in nest.flatten(attributes[key])
                ]


class _Observers(dict):
    """The observers of attribute assignments; a copy of the module starts without any."""

    def __reduce__(self):
        return _Observers, ()


def when_set(module: Module, key, observer) -> None:
    """Call `observer(name, value)` whenever an attribute of `module` is set.

    Another call with the same `key` replaces the observer; None removes it.
    """
    observers = vars(module).setdefault("_observers", _Observers())
    observers.pop(key, None)
    if observer is not None:
        observers[key] = observer
