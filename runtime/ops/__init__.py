"""The operations, a family a file; importing this package registers all of them."""

from . import (
    casting,
    comparison,
    constants,
    control,
    creation,
    effects,
    elementwise,
    joining,
    linear_algebra,
    logic,
    random,
    reductions,
    shaping,
    slicing,
    sorting,
    strings,
    transcendental,
)
