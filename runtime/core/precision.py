"""Whether native code computes `exp`, `log` and their like by formulas or by the C library."""

from __future__ import annotations

from .debug_output import is_on
from .public_names import public


class Precision:
    """The state of the switch, which the emitter reads."""

    precise_math = is_on("ALLOGRAPH_PRECISE_MATH")


@public("config.set_precise_math")
def set_precise_math(enabled: bool) -> None:
    """Whether native code calls the C library for `exp`, `log`, `sin` and their like.

    By default it computes them with formulas that work on several elements at once and are exact to
    2 units in the last place. The switch holds for what is compiled after it; the environment
    variable ALLOGRAPH_PRECISE_MATH=1 sets it from the start.

    >>> ag.config.set_precise_math(True)
    >>> ag.config.precise_math_enabled()
    True
    >>> ag.config.set_precise_math(False)
    """
    Precision.precise_math = bool(enabled)


@public("config.precise_math_enabled")
def precise_math_enabled() -> bool:
    """Whether `set_precise_math` is on."""
    return Precision.precise_math
