"""Records why a function was traced again."""

from __future__ import annotations

import time
import warnings
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...autograph.identity_map import IdentityMap
from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import conversion
from ...runtime.core.public_names import public
from ...runtime.core.shapes import as_python, show
from ...runtime.core.source_locations import SourceLocation, depth_of_user, user_location
from ...runtime.ops.state.variables import Variable
from ..structures import nest
from ..type_system.trace_types import (
    Container,
    Literal,
    Reference,
    TensorSpec,
    TraceType,
    WeakTensorSpec,
)

if TYPE_CHECKING:
    from ..type_system.function_type import FunctionType

WINDOW, TOO_MANY = 6, 5  # so many traces in so many calls are worth a warning
MOST_KEPT, MOST_COMPARED = 1000, 32  # traces told of; earlier traces looked at to explain one
MANY_FUNCTIONS = 10  # so many functions made of the same code are worth a warning
LONGEST = 200  # letters of a type


@public("errors.RetracingWarning")
class RetracingWarning(UserWarning):
    """A function is traced in nearly every call; each time costs far more than a call does.

    Raised as a Python warning, once for each function, with the arguments that cause it. Silence it
    with `warnings.simplefilter("ignore", ag.errors.RetracingWarning)`.
    """


class Change(NamedTuple):
    """A difference: its place (an argument, `args[0]`, a global), both types, and the cure."""

    place: str
    before: str
    after: str
    cure: str

    def __str__(self):
        return f"{self.place}: was {self.before}, is {self.after}. {self.cure}"


class TraceMade(NamedTuple):
    """When one trace was made, how long that took, and why, if there was an earlier one.

    `began` is in seconds since the epoch.
    """

    number: int
    changes: tuple[Change, ...]
    where: SourceLocation | None
    began: float
    seconds: float

    def __str__(self):
        head = f"trace {self.number}" + (f", by the call at {self.where}" if self.where else "")
        return "\n".join([head + ":", *(f"  {change}" for change in self.changes)])


class History:
    """The traces of one function, and how often its latest calls were traced."""

    def __init__(self, name: str):
        self.name = name
        self.count = 0
        self.made: deque[TraceMade] = deque(maxlen=MOST_KEPT)
        self._calls: deque[bool] = deque(maxlen=WINDOW)  # whether the latest were traced
        self._warned = False

    @property
    def retraces(self) -> list[TraceMade]:
        """The traces after the first."""
        return [trace for trace in self.made if trace.number > 1]

    def note(self, changes: list[Change], began: float) -> None:
        """A trace that `began` at this time is made, because of `changes`."""
        self.count += 1
        seconds = max(time.time() - began, 0.0)  # a clock may be set
        self.made.append(TraceMade(self.count, tuple(changes), user_location(2), began, seconds))

    def note_call(self, traced: bool, others: bool) -> None:
        """Note a call, and warn if most of the latest calls were traced.

        `others` tells whether fast calls came in between, which are not noted one by one.
        """
        self._calls.extend([False, False, traced] if others else [traced])
        if self._warned or sum(self._calls) < TOO_MANY:
            return
        self._warned = True
        calls = len(self._calls)
        last = self.made[-1] if self.count > 1 else ""
        warnings.warn(
            f"{TOO_MANY} of the last {calls} calls of {self.name} were traced, which costs far "
            f"more than a call. {self.name}.explain_retraces() tells all; the last was {last}",
            RetracingWarning,
            stacklevel=depth_of_user(),
        )

    def explain(self) -> str:
        """All retraces as a string, a paragraph each."""
        if not self.retraces:
            return f"{self.name}: {'one trace' if self.count else 'no trace yet'}, no retraces."
        head = f"{self.name}: {self.count} traces."
        return "\n".join([head, *map(str, self.retraces)])


FRESH: IdentityMap = IdentityMap()  # code -> weak references to the functions made of it


def _is_own(function) -> bool:
    """Whether a function is of this package, which makes one for each dataset that is mapped."""
    module = getattr(function, "__globals__", {}).get("__name__") or ""
    return module.partition(".")[0] == __name__.partition(".")[0]


def note_first_trace(function) -> None:
    """Warn if functions made of the same code are traced again and again, each for the first time.

    Functions that still exist count only if they have no variables of an outer function, which
    could make a difference.
    """
    code = getattr(function.python_function, "__code__", None)
    if code is None or _is_own(function.python_function):
        return
    earlier = FRESH.get(code)
    if earlier is None:
        FRESH[code] = earlier = deque(maxlen=MANY_FUNCTIONS)
    is_method = hasattr(function.python_function, "__self__")
    earlier.append(weakref.ref(function))
    alike = [known for known in earlier if known() is None or not (code.co_freevars or is_method)]
    if len(alike) < MANY_FUNCTIONS - 1 or len(earlier) < MANY_FUNCTIONS:
        return
    earlier.clear()
    warnings.warn(
        f"{MANY_FUNCTIONS} functions made of {function.name} at {code.co_filename}:"
        f"{code.co_firstlineno} were traced: each call of `function` makes a function with traces "
        "of its own. Decorate it once, outside of the loop or function that calls it",
        RetracingWarning,
        stacklevel=depth_of_user(),
    )


def closest_changes(earlier: list[FunctionType], wanted: FunctionType) -> list[Change]:
    """The differences to the most similar earlier trace; the latest of equally similar ones."""
    differences = [list(changes(old, wanted)) for old in reversed(earlier[-MOST_COMPARED:])]
    return min((rows for rows in differences if rows), key=len, default=[])


def changes(old: FunctionType, new: FunctionType) -> Iterator[Change]:
    """Why a trace of type `old` does not serve a call of type `new`."""
    for name, arg_type in new.types.items():
        if name in old.types:
            yield from _changes(name, old.types[name], arg_type)


def _changes(place: str, old: TraceType, new: TraceType) -> Iterator[Change]:
    if new.is_subtype_of(old):
        return
    if isinstance(old, Container) and isinstance(new, Container):
        pairs = new.paired(old)
        if pairs is not None:
            for label, (after, before) in zip(_labels(new, len(pairs)), pairs, strict=True):
                yield from _changes(place + label, before, after)
            return
    was, is_now = _display(old), _display(new)
    if was == is_now and isinstance(new, Reference):
        is_now = f"another object of class {new.object_type.__name__}"
    yield Change(place, was, is_now, _cure(place, old, new))


def _labels(container: Container, count: int) -> list[str]:
    """The Python expressions for the items: `[0]`, `['key']` or `.field`."""
    if issubclass(container.python_type, Mapping):
        return [f"[{key!r}]" for key in container.keys]
    if container.container_type in (nest.NAMED_TUPLE, nest.RECORD):
        return [f".{key}" for key in container.keys]
    return [f"[{index}]" for index in range(count)]


def _display(type_: TraceType) -> str:
    display = _words(type_)
    return display if len(display) <= LONGEST else display[: LONGEST - 3] + "..."


def _words(type_: TraceType) -> str:
    if isinstance(type_, TensorSpec):
        weak = "weak " if isinstance(type_, WeakTensorSpec) else ""
        return f"{weak}{type_.dtype.name} with shape {show(type_.dims)}"
    if isinstance(type_, Literal):
        return f"the Python value {type_.value!r}"
    if isinstance(type_, Reference):
        return f"an object of class {type_.object_type.__name__}"
    return repr(type_)


def _cure(place: str, old: TraceType, new: TraceType) -> str:
    """A cure for the caller."""
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        if old.dtype is not new.dtype:
            return f"Cast it before the call: {conversion(place, new.dtype, old.dtype)}."
        wide = old.most_specific_common_supertype([new])
        if wide is None:  # one of them is weak
            return f"Give all calls one type: ag.cast({place}, ag.{new.dtype.name}) is not weak."
        return (
            f"Allow both shapes: @ag.function(reduce_retracing=True), or an input_signature with "
            f"ag.TensorSpec({as_python(wide.dims)}, ag.{wide.dtype.name})."
        )
    if isinstance(new, Literal) and isinstance(new.value, (int, float, complex)):
        return (
            f"A Python number is a constant of the trace: pass a tensor, ag.constant({new.value!r})"
            ", unless Python itself needs the number."
        )
    if isinstance(old, TensorSpec) or isinstance(new, TensorSpec):
        return "Pass a tensor every time."
    if isinstance(new, Literal):
        return "Each Python value has a trace of its own: call with few different ones."
    if isinstance(new, Container):
        return "Keep the structure the same: pad it, or stack its items into one tensor."
    if isinstance(new, Reference) and issubclass(new.object_type, Variable):
        return (
            "Variables of one kind share a trace where the function knows them as arguments alone: "
            "pass the value, or all of them as arguments."
        )
    return (
        "Each object has a trace of its own: pass the same one again, give its class __eq__ and "
        "__hash__, or let __tf_tracing_type__ say what matters."
    )


__all__ = ["Change", "History", "RetracingWarning", "TraceMade", "closest_changes"]
