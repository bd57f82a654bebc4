"""Members that tensors lack: reading one is an error that says what to use instead."""

from __future__ import annotations

from ..core.tracebacks import hide_internal_frames
from ..core.user_source import package_name
from .late_binding import late

_NAMES = """
T add_ all any append argmax argmin argsort assign assign_add assign_sub astype at backward
bool clip clone compress conj copy cpu cumprod cumsum detach diagonal dim dot double expand
extend fill fill_ flat flatten float grad imag int item itemset itemsize long lower matmul max
mean min mm mul_ nbytes nonzero numel numpy partition permute prod put ravel real repeat
replace requires_grad requires_grad_ reshape resize round searchsorted size sort split squeeze
startswith std strip sub_ sum swapaxes take to tolist trace transpose unsqueeze upper var view
zero_
"""
NAMES = _NAMES.split()  # what to use in place of each is in library/missing_members.py


class MissingMember:
    """A member that tensors lack: reading it is an AttributeError that says what to use instead.

    A `__getattr__` would do, but slows every other attribute down.
    """

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance, owner):
        advice = late.advice_of(self.name, getattr(instance, "builder", None))
        cls = late.python_type(instance)
        if cls is not type(instance) and hasattr(cls, self.name):
            raise instance.refusal(
                f"'{self.name}' of a value of {cls.__name__} that a tensor decides",
                f"For its tensor {advice}.",
            )
        hint = f"'{owner.__name__}' object has no attribute '{self.name}': {advice}"
        try:
            raise AttributeError(hint.replace("ag.", f"{package_name()}."))
        except AttributeError as error:
            hide_internal_frames(error)
            raise
