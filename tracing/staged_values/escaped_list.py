"""A Python list that was changed in a loop on tensors, which tracing does once."""

from __future__ import annotations

from ...runtime.core.errors import OutOfScopeError
from ...runtime.core.source_locations import user_location

USES = (
    "__len__", "__iter__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__bool__",
    "__add__", "__radd__", "__iadd__", "__mul__", "__eq__", "__lt__", "__reversed__", "__repr__",
    "__tf_tensor__", "__array__",
)  # fmt: skip


class EscapedList:
    """Replaces such a list after the loop: every use raises OutOfScopeError.

    `name` is the user's variable. The error shows the line of the loop, which the list has left:
    the use may be in a caller.
    """

    def __init__(self, name: str):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_loop", user_location())

    def __getattr__(self, attribute: str):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        _refuse(self)

    __hash__ = None  # type: ignore[assignment]


def _refuse(self, *args, **kwargs):
    name = object.__getattribute__(self, "_name")
    raise OutOfScopeError(
        f"the list '{name}' was changed in a loop on tensors, whose body is traced once: what it "
        "holds is out of scope",
        "Use a TensorArray, or let lists grow in graphs: "
        "ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS).",
        where=object.__getattribute__(self, "_loop"),
    )


EscapedList.__name__ = "list"  # in Python's errors
for _use in USES:
    setattr(EscapedList, _use, _refuse)
