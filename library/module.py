"""`Module`: an object that knows the variables and modules among its attributes."""

from __future__ import annotations

import functools

from ..runtime.core.public_names import public
from ..runtime.ops.state.variables import Variable
from ..runtime.tensors.name_scopes import NAMES, name_scope
from ..tracing.stager.user_functions import call_user_code
from ..tracing.structures import nest


@public("Module")
class Module:
    """Base class of objects with variables.

    >>> import allograph as ag
    >>> class Line(ag.Module):
    ...     def __init__(self):
    ...         self.slope, self.shift = ag.Variable(2.0), ag.Variable(0.5, trainable=False)
    >>> line = Line()
    >>> len(line.variables), len(line.trainable_variables)
    (2, 1)
    """

    part_of_modules = True  # whether the variables are also those of a module that holds this one
    part_of_layers = True  # and of a layer

    def __init__(self, name: str | None = None):
        if name is not None and not str(name).isidentifier():
            raise ValueError(f"{name!r} is not a valid module name: it is a Python identifier")
        self._name = name
        if NAMES.get():
            self._outer_scope = NAMES.get()

    @property
    def name(self) -> str:
        given = self.__dict__.get("_name")
        return given or "".join(
            "_" + c.lower() if c.isupper() else c for c in type(self).__name__
        ).lstrip("_")

    @property
    def name_scope(self):
        """A block in which the names of operations and variables begin with the module's."""
        return name_scope(self.__dict__.get("_outer_scope", "") + self.name + "/")

    @classmethod
    def with_name_scope(cls, method):
        """A method that runs in the `name_scope` of its module.

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
        """The variables of this module and of those below it, each once."""
        return tuple(thing for thing in self._walk() if isinstance(thing, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        return tuple(thing for thing in self._walk() if isinstance(thing, Module))

    def __setattr__(self, name: str, value) -> None:
        super().__setattr__(name, value)
        if "_watchers" in self.__dict__:
            for watch in tuple(self._watchers.values()):
                watch(name, value)

    def _walk(self):
        """Variables and modules among the attributes, in the order of their names, depth first."""
        seen = {id(self)}
        waiting = [leaf for key in sorted(vars(self)) for leaf in nest.flatten(vars(self)[key])]
        while waiting:
            thing = waiting.pop(0)
            if id(thing) in seen or not isinstance(thing, (Variable, Module)):
                continue
            if isinstance(thing, Module) and not thing.part_of_modules:
                continue
            seen.add(id(thing))
            yield thing
            if isinstance(thing, Module):
                inner = vars(thing)
                waiting += [leaf for key in sorted(inner) for leaf in nest.flatten(inner[key])]


class _Watchers(dict):
    """Who is told when an attribute is set; a copy of the module starts without any."""

    def __reduce__(self):
        return _Watchers, ()


def when_set(module: Module, key, watch) -> None:
    """Call `watch(name, value)` whenever an attribute of `module` is set from now on.

    Another call with the same `key` replaces the first; with None for `watch`, ends it.
    """
    watchers = vars(module).setdefault("_watchers", _Watchers())
    watchers.pop(key, None)
    if watch is not None:
        watchers[key] = watch
