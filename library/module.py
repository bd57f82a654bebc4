"""`Module`: an object that knows the variables and modules among its attributes."""

from __future__ import annotations

from ..runtime.variables import Variable
from ..runtime.vocabulary import public
from ..tracing import nest


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

    def __init__(self, name: str | None = None):
        self._name = name

    @property
    def name(self) -> str:
        given = self.__dict__.get("_name")
        return given or "".join(
            "_" + c.lower() if c.isupper() else c for c in type(self).__name__
        ).lstrip("_")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and of those below it, each once."""
        return tuple(thing for thing in self._walk() if isinstance(thing, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        return tuple(thing for thing in self._walk() if isinstance(thing, Module))

    def __setattr__(self, name: str, value) -> None:
        object.__setattr__(self, name, value)
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
