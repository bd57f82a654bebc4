"""What NumPy leaves open, so that a difference is no mistake. The rules are these:

rounding         Floats differ by at most 4 units in the last place of the larger one, or by 64
                 units in the last place of the largest element of the array. The sign of NaN is
                 never compared.
conditioning     Numbers differ by no more than 16 times what the Python function itself differs by
                 where each float among its arguments, and each result of an elementary function,
                 moves by a unit in its last place. So sums may be added in another order, linear
                 systems be solved in another one, and the last bit of `exp` be another.
not sorted       The function calls `searchsorted`, `interp` or `digitize`, and its argument at the
                 place of their sorted array is one that is not sorted.
not repeatable   The Python function itself gives another result in a second call: it reads memory
                 that `np.empty` gives, a clock, or the address of an object.

Data types, shapes, types, exceptions, output and states of generators are never open, unless the
function is not repeatable.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np

from .copies import copied
from .differences import Difference, differences
from .outcomes import Outcome

UNITS = 4
UNITS_OF_LARGEST = 64
TIMES = 16
ROUNDS = 4
NEED_ORDER = {"searchsorted": 0, "interp": 1, "digitize": 1}  # the place of that argument
SPOILED = (0x5A, 0x33)


def why_open(
    found: list[Difference], python: Outcome, run, arguments: tuple, names: tuple = ()
) -> str | None:
    """The rule under which all differences are open, or None.

    `run` calls the Python function with arguments, from the same states of everything else. `names`
    are those that its code reads.
    """
    if all(is_rounding(one) for one in found):
        return "rounding"
    places = [NEED_ORDER[name] for name in names if name in NEED_ORDER]
    ordered = [arguments[0][at] for at in places if at < len(arguments[0])]
    if all(one.kind == "value" for one in found) and not all(map(is_sorted, ordered)):
        return "not sorted"
    for byte in SPOILED:
        _spoil_memory(python.result, byte)
        if differences(python, run(copied(arguments))):
            return "not repeatable"
    are_numbers = all(one.numbers and one.numbers[0].dtype.kind in "biufc" for one in found)
    if are_numbers and is_condition(found, python, run, arguments):
        return "conditioning"
    return None


def is_sorted(value) -> bool:
    """Whether no element of an array is less than the one before it; NaN comes last."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufc" or value.ndim != 1:
        return True
    return np.array_equal(np.sort(value), value, equal_nan=value.dtype.kind in "fc")


def _spoil_memory(result, byte: int) -> None:
    """Write into memory that NumPy gives next, so that it is not what it was by chance."""
    sizes = {64, 256}
    values = result if isinstance(result, (list, tuple)) else [result]
    sizes |= {one.nbytes for one in values if isinstance(one, np.ndarray)}
    for size in sizes:
        blocks = [np.full(size, byte, np.uint8) for _ in range(8)]
        del blocks


def _parts(pair: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays of real floats."""
    one, other = (np.ascontiguousarray(array).ravel() for array in pair)
    if one.dtype.kind == "c":
        return one.view(one.real.dtype), other.view(other.real.dtype)
    if one.dtype.kind != "f":
        return one.astype(float), other.astype(float)
    return one, other


def is_rounding(difference: Difference) -> bool:
    if difference.numbers is None or difference.numbers[0].dtype.kind not in "fc":
        return False
    one, other = _parts(difference.numbers)
    finite = np.isfinite(one) & np.isfinite(other)
    with np.errstate(all="ignore"):
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        if not (finite | same).all():
            return False
        size = np.maximum(np.abs(one), np.abs(other))
        near = np.abs(one - other) <= UNITS * np.spacing(size)
        if finite.any():
            largest = np.spacing(size[finite].max())
            near |= np.abs(one - other) <= UNITS_OF_LARGEST * largest
        signs = (one != 0) | (other != 0) | (np.signbit(one) == np.signbit(other))
    return bool(((near & signs) | np.isnan(one)).all())


def is_condition(found: list[Difference], python: Outcome, run, arguments: tuple) -> bool:
    """Whether arguments that move by a unit in the last place move each difference as far."""
    moved = []
    for seed in range(ROUNDS):
        with _moving_functions(seed):
            moved.append(run(_moved(copied(arguments), seed)))
    for difference in found:
        one, other = _parts(difference.numbers)
        with np.errstate(all="ignore"):
            own = np.zeros_like(one)
            for outcome in moved:
                pair = next(
                    (
                        each.numbers
                        for each in differences(python, outcome)
                        if each.where == difference.where and each.numbers is not None
                    ),
                    None,
                )
                if pair is not None:
                    first, second = _parts(pair)
                    own = np.fmax(own, np.abs(first - second))
            limit = np.fmax(own, own.max(initial=0.0) / TIMES)
            apart = np.where(one == other, 0.0, np.abs(one - other))
            near = (apart <= TIMES * limit) | (np.isnan(one) & np.isnan(other))
            near &= (one != 0) | (other != 0) | (np.signbit(one) == np.signbit(other)) | (own > 0)
        if not near.all():
            return False
    return True


ELEMENTARY = (
    "acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh "
    "cbrt cos cosh erf erfc exp exp2 expm1 gamma hypot lgamma log log10 log1p log2 pow power sin "
    "sinh tan tanh"
).split()


@contextlib.contextmanager
def _moving_functions(seed: int) -> Iterator[None]:
    """Move what the elementary functions of NumPy and `math` return."""
    rng = np.random.default_rng(seed)
    originals = [
        (module, name, getattr(module, name))
        for module in (np, math)
        for name in ELEMENTARY
        if hasattr(module, name)
    ]

    def moving(function):
        return lambda *args, **kwargs: _move(function(*args, **kwargs), rng)

    try:
        for module, name, function in originals:
            setattr(module, name, moving(function))
        yield
    finally:
        for module, name, function in originals:
            setattr(module, name, function)


def _moved(arguments: tuple, seed: int) -> tuple:
    """The arguments, with each float a unit in its last place up, down, or where it was."""
    rng = np.random.default_rng(seed)
    args, kwargs = arguments
    moved = {name: _move(value, rng) for name, value in kwargs.items()}
    return tuple(_move(value, rng) for value in args), moved


def _move(value, rng: np.random.Generator):
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc" and value.flags.writeable and value.size:
            parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
            for part in parts:
                steps = rng.integers(-1, 2, part.shape).astype(part.dtype)
                finite = np.where(np.isfinite(part), np.spacing(np.abs(part)), 0)
                part += (steps * finite).astype(part.dtype)
        return value
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return type(value)(value + rng.integers(-1, 2) * np.spacing(np.abs(value)))
    if isinstance(value, tuple):
        items = [_move(one, rng) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is list:
        return [_move(one, rng) for one in value]
    return value
