"""`Options`: hints about how the elements of a dataset are computed."""

from __future__ import annotations

from ....runtime.core.public_names import public


@public("data.Options")
class Options:
    """Hints about how the elements of a dataset are computed; they never change the elements.

    Every attribute is None until it is set. This includes the attributes of the groups `autotune`,
    `experimental_distribute`, `experimental_optimization` and `threading`. The order of elements is
    always kept, whatever the value of `deterministic`.

    >>> import allograph as ag
    >>> options = ag.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> ds = ag.data.Dataset.range(3).with_options(options)
    >>> ds.batch(2).options().threading.private_threadpool_size
    4
    """

    GROUPS: tuple[str, ...] = (
        "autotune",
        "experimental_distribute",
        "experimental_optimization",
        "threading",
    )

    def __init__(self):
        for name in self.GROUPS:
            setattr(self, name, _Group())

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return

    def merge(self, other: Options) -> Options:
        """These options, overridden by those that are set in `other`."""
        merged = Options()
        for source in (self, other):
            for name, value in vars(source).items():
                if isinstance(value, _Group):
                    vars(getattr(merged, name)).update(vars(value))
                else:
                    setattr(merged, name, value)
        return merged

    def __eq__(self, other):
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"{type(self).__name__.lstrip('_')}({vars(self)})"


class _Group(Options):
    """The attributes of one group of options."""

    GROUPS: tuple[str, ...] = ()
