"""`Options`: hints about how the elements of a dataset are computed."""

from __future__ import annotations

from ....extend.registration import expose, public


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
            setattr(self, name, OptionGroup())

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return

    def merge(self, other: Options) -> Options:
        """These options, overridden by those that are set in `other`."""
        merged = Options()
        for source in (self, other):
            for name, value in vars(source).items():
                if isinstance(value, OptionGroup):
                    vars(getattr(merged, name)).update(vars(value))
                else:
                    setattr(merged, name, value)
        return merged

    def __eq__(self, other):
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"{type(self).__name__}({vars(self)})"


class OptionGroup(Options):
    """The attributes of one group of options.

    >>> options = ag.data.Options()
    >>> options.threading = ag.data.ThreadingOptions()
    >>> options.threading.max_intra_op_parallelism = 1
    """

    GROUPS: tuple[str, ...] = ()


expose(
    OptionGroup,
    "data.ThreadingOptions",
    "data.experimental.AutotuneOptions",
    "data.experimental.DistributeOptions",
    "data.experimental.OptimizationOptions",
    "data.experimental.ThreadingOptions",
)
