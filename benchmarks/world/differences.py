"""Where two outcomes of one call differ."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Iterator

import numpy as np

from .outcomes import ADDRESS, Outcome

SHOWN = 200


@dataclasses.dataclass
class Difference:
    """kind      "value", "type", "dtype", "shape", "shared memory", "error", "output" or "state"
    where     the place in the outcome, such as "result[1]" or "argument 0"
    expected  what Python gives, as text
    actual    what `ag.jit` gives, as text
    numbers   of a value: both, as arrays
    """

    kind: str
    where: str
    expected: str
    actual: str
    numbers: tuple[np.ndarray, np.ndarray] | None = None

    def __str__(self) -> str:
        return f"{self.kind} of {self.where}: {self.expected}, not {self.actual}"


def differences(python: Outcome, ours: Outcome) -> list[Difference]:
    """All differences, of which the first is the most telling."""
    if python.error != ours.error:
        return [Difference("error", "the call", _error(python), _error(ours))]
    found = list(_values(python.result, ours.result, "result"))
    for at, pair in enumerate(zip(python.arguments[0], ours.arguments[0], strict=True)):
        found += _values(*pair, f"argument {at}")
    for name, value in python.arguments[1].items():
        found += _values(value, ours.arguments[1][name], f"argument {name}")
    for name, value in python.outer.items():
        found += _values(value, ours.outer[name], f"outer array {name}")
    if not found:
        found += _shared_memory(python, ours)
    if python.output != ours.output:
        found.append(Difference("output", "the call", shown(python.output), shown(ours.output)))
    for name, one, other in zip(("random", "np.random"), python.states, ours.states, strict=True):
        if not _same_state(one, other):
            found.append(Difference("state", name, "one state", "another one"))
    return found


def _error(outcome: Outcome) -> str:
    if outcome.error is None:
        return f"returns {shown(outcome.result)}"
    return f"raises {outcome.error[0].__name__}: {outcome.error[1]}"


def shown(value) -> str:
    text = " ".join(ADDRESS.sub("0x", repr(value)).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _values(one, other, where: str) -> Iterator[Difference]:
    if type(one) is not type(other):
        names = [f"{type(value).__name__} {shown(value)}" for value in (one, other)]
        yield Difference("type", where, *names)
    elif isinstance(one, np.ndarray):
        yield from _arrays(one, other, where)
    elif isinstance(one, (np.generic, float, complex)):
        if isinstance(one, np.generic) and one.dtype.str != other.dtype.str:
            yield Difference("dtype", where, one.dtype.str, other.dtype.str)
        else:
            yield from _arrays(np.asarray(one), np.asarray(other), where)
    elif type(one) is int and max(abs(one), abs(other)) < 2**62:
        yield from _arrays(np.asarray(one), np.asarray(other), where)
    elif isinstance(one, (list, tuple)):
        if len(one) != len(other):
            yield Difference("value", where, shown(one), shown(other))
        else:
            for at, pair in enumerate(zip(one, other, strict=True)):
                yield from _values(*pair, f"{where}[{at}]")
    elif isinstance(one, dict):
        if list(one) != list(other):
            yield Difference("value", where, shown(one), shown(other))
        else:
            for key, value in one.items():
                yield from _values(value, other[key], f"{where}[{key!r}]")
    elif isinstance(one, np.random.Generator):
        if not _same_state(one.bit_generator.state, other.bit_generator.state):
            yield Difference("state", where, "one state", "another one")
    elif isinstance(one, np.random.RandomState):
        if not _same_state(one.get_state(), other.get_state()):
            yield Difference("state", where, "one state", "another one")
    elif not _same_object(one, other):
        yield Difference("value", where, shown(one), shown(other))


def _arrays(one: np.ndarray, other: np.ndarray, where: str) -> Iterator[Difference]:
    if one.dtype.str != other.dtype.str or one.dtype != other.dtype:
        yield Difference("dtype", where, str(one.dtype), str(other.dtype))
    elif one.shape != other.shape:
        yield Difference("shape", where, str(one.shape), str(other.shape))
    elif one.dtype.names:
        for name in one.dtype.names:
            yield from _arrays(one[name], other[name], f"{where}[{name!r}]")
    elif one.dtype.hasobject:
        for at, pair in enumerate(zip(one.flat, other.flat, strict=True)):
            yield from _values(*pair, f"{where}.flat[{at}]")
    else:
        same = _same_elements(one, other)
        if not same.all():
            expected, actual = shown(one[~same]), shown(other[~same])
            yield Difference("value", where, expected, actual, (one, other))


def _same_elements(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Elements that are equal: NaN to NaN of any sign, and zero to zero of the same sign."""
    if one.dtype.kind == "c":
        return _same_elements(one.real, other.real) & _same_elements(one.imag, other.imag)
    same = one == other
    if one.dtype.kind in "fmM":
        same = same | ((one != one) & (other != other))
    if one.dtype.kind == "f":
        same = same & ((one != 0) | (np.signbit(one) == np.signbit(other)))
    return np.asarray(same)


def _same_object(one, other) -> bool:
    if one is other or isinstance(one, (types.FunctionType, types.MethodType)):
        return True  # of two functions nothing is compared
    try:
        if bool(one == other):
            return True
    except Exception:
        pass
    own, others = getattr(one, "__dict__", None), getattr(other, "__dict__", None)
    if own and others is not None:
        return not list(_values(own, others, ""))
    return shown(one) == shown(other)


def _same_state(one, other) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same_state(one[k], other[k]) for k in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_same_state, one, other))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))


def _arrays_in(value) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays_in(item)]
    return []


def _shared_memory(python: Outcome, ours: Outcome) -> Iterator[Difference]:
    """Results that are views of arguments for one, and new arrays for the other."""
    rows = []
    for outcome in (python, ours):
        results, arguments = _arrays_in(outcome.result), _arrays_in(outcome.arguments[0])
        arguments = [one for one in arguments if one.size]
        rows.append([[_relation(one, argument) for argument in arguments] for one in results])
    for at, (expected, actual) in enumerate(zip(*rows, strict=False)):
        if expected != actual:
            yield Difference("shared memory", f"result {at}", str(expected), str(actual))


def _relation(result: np.ndarray, argument: np.ndarray) -> str:
    if result is argument:
        return "the argument"
    return "a view" if np.may_share_memory(result, argument) else "new"
