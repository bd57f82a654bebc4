"""`Options`: hints about how the elements of a dataset are made."""

from __future__ import annotations

from ....runtime.core.public_names import public


@public("data.Options")
class Options:
    """Hints about how the elements of a dataset are made; they never change the elements.

    Every attribute is None until it is set, and so are the attributes of its groups `autotune`,
    `experimental_distribute`, `experimental_optimization` and `threading`. The order of elements
    is kept whatever `deterministic` says.

    >>> import allograph as ag
    >>> options = ag.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> ds = ag.data.Dataset.range(3).with_options(options)
    >>> ds.batch(2).options().threading.private_threadpool_size
    4
    """

    GROUPS = ("autotune", "experimental_distribute", "experimental_optimization", "threading")

    def __init__(self):
        for name in self.GROUPS:
            setattr(self, name, _Group())

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return

    def merge(self, other: Options) -> Options:
        """These options, with those that `other` sets in their place."""
        made = Options()
        for source in (self, other):
            for name, value in vars(source).items():
                if isinstance(value, _Group):
                    vars(getattr(made, name)).update(vars(value))
                else:
                    setattr(made, name, value)
        return made

    def __eq__(self, other):
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None

    def __repr__(self):
        return f"{type(self).__name__.lstrip('_')}({vars(self)})"


class _Group(Options):
    """The attributes of one group of options."""

    GROUPS = ()
