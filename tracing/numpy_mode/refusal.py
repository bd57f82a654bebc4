"""How a trace in NumPy mode ends early.

An `Exception` in a branch means that Python runs what takes the branch. A `TraceSignal` ends the
trace, and no handler of the function catches it.
"""

from __future__ import annotations

import enum
import re
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...autograph.current_trace import TRACE, Notes, Trace
from ...autograph.operators.raising import RefusedError, Retrace, TraceSignal
from ...runtime.core.classes import NamedTuple, record
from ...runtime.core.errors import Error
from ...runtime.core.source_locations import SourceLocation, is_internal, is_internal_module
from ...runtime.core.tracebacks import RAISE, is_users
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.graph_builder import Builder

# What a refusal may be about; else the graph around a loop, a name of which holds something of
# another type after an iteration than before.
FINAL = "known numbers and unrolled loops would not help"  # Python runs it as fast
RECURSION = "known numbers may end a recursion, unrolled loops would not"
SHARED = "an array changes that a branch or a loop may have given two names"
OF_SIZE = "a size, an axis or an index of Python's depends on computed values"


class FormattedError(Exception):
    """A computed value becomes a string, as in the message of an exception."""

    def __init__(self):
        super().__init__("a computed value is formatted as a string")


DEBUGGERS = ("pdb", "bdb", "ipdb", "pudb", "debugpy", "pydevd", "_pydevd_bundle", "IPython")


def _is_asked_by_debugger() -> bool:
    """Whether a debugger shows a value that the program has not asked for."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_internal(frame):
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "") if frame is not None else ""
    return name.split(".")[0] in DEBUGGERS


class WithoutText:
    """A value of the graph: what it is as a string, or beside another value, only a call tells."""

    __slots__ = ()
    __array_priority__ = 100  # operators of NumPy's arrays and numbers leave it to those here

    def __format__(self, spec):
        if _is_asked_by_debugger():
            return f"<traced {noun(self)[2:].lstrip()}: ag.debug(f)(...) stops with its value>"
        raise FormattedError

    __repr__ = __str__ = lambda self: self.__format__("")

    def __eq__(self, other):
        raise RefusedError(f"{noun(self)} is compared")

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype=None, copy=None):
        raise RefusedError(f"{noun(self)} is converted to an array while tracing")

    @property
    def __numpy_dtype__(self):  # what NumPy asks an argument for a data type, from its version 2.4
        raise RefusedError(f"{noun(self)} as a data type")


class Fallback(enum.Enum):
    """A form that a function may have where it has no other: it is slower, or loses something.

    MIXED_NUMBERS  a name may hold a number at one time and None at another, or one of Python's
                   integers and one of NumPy's of less than 64 bits
    HASH_TABLES    sets, and dictionaries that may change, are hash tables of the graph
    LIMITED_ROWS   a name has memory for as many rows as the first iteration of a loop may give it
    """

    MIXED_NUMBERS = 1
    HASH_TABLES = 2
    LIMITED_ROWS = 3


class How(enum.Enum):
    """A decision about a loop or a comprehension, which is known by the code of its body.

    LONG       a loop over numbers of Python's is staged, since it has many iterations
    LARGE      it is staged, since it has a large body, or loops inside
    UNROLLED   it is not staged although it is large, since it cannot be
    PLAIN      Python runs a loop whose lists stay Python's: they get items of several types, or
               arrays change that are items of a list
    GROWN      a list changes that a comprehension made, of which all items were known
    LISTED     a list, known by the place that makes it, is of the graph: a statement changes it
    CALLED     calls of a function are calls in the graph, as it calls itself in computed branches
    KEPT       the list, or the function, is not, since the trace is refused then
    """

    LONG = 1
    LARGE = 2
    UNROLLED = 3
    PLAIN = 4
    GROWN = 5
    LISTED = 6
    KEPT = 7
    CALLED = 8


# Where a function is refused.
INSTEAD = {How.LARGE: How.UNROLLED, How.LISTED: How.KEPT, How.CALLED: How.KEPT}


class Options(NamedTuple):
    """How a function is traced, as earlier traces of it have found out.

    most_iterations  of a loop over constants that Python runs
    captured         arrays of globals and closures that are arguments; None: these are constants
    drawn            generators whose states are in arrays of the graph, by key; None: there is none
    code             what was decided about loops and comprehensions: (how, code)
    list_types       by the places that make lists, the types of their items from the start
    fallbacks        the forms that are used since there is no other
    grows            whether new arrays may have computed sizes without a limit
    """

    most_iterations: int
    captured: tuple[np.ndarray, ...] | None = ()
    drawn: dict | None = {}
    code: frozenset[tuple] = frozenset()
    list_types: dict = {}
    fallbacks: frozenset[Fallback] = frozenset()
    grows: bool = False

    def has(self, code: types.CodeType, *hows: How) -> bool:
        """Whether one of these was decided about a loop or a comprehension."""
        return any((how, code) in self.code for how in hows)


class Learned:
    """The findings of one recording of a block about the loops in it, for the next one: how they
    carry names, by the place and the state that they are at.
    """

    def __init__(self):
        self.layouts: list | None = None
        self.inside: dict[tuple, list[Learned]] = {}  # several where a place is passed again
        self.passed: Counter = Counter()

    def of(self, place: tuple) -> Learned:
        """The findings about the next loop at a place."""
        rows = self.inside.setdefault(place, [])
        if self.passed[place] == len(rows):
            rows.append(Learned())
        self.passed[place] += 1
        return rows[self.passed[place] - 1]


class NumpyTrace(Trace):
    """One recording of a function in NumPy mode."""

    options: Options
    met: set[Fallback]  # what would have helped somewhere, in this recording or an earlier one
    deciding: set[int]  # the positions of arguments that decide sizes
    has_orders = False  # whether new arrays may have another order of their axes than that of C
    indexed: Any  # views at indices that may leave their axis
    outer: Any  # the values of globals and closures
    random: Any  # the generators whose states are in arrays

    def __init__(self, stager, options: Options, met: set[Fallback], deciding: set[int]):
        super().__init__(stager)
        self.options, self.met, self.deciding = options, met, deciding
        self.copied = {}
        self.notes = Notes(None)
        # Storages that a staged statement writes, without a cell so far.
        self.without_cells: dict[Any, None] = {}
        self.written: list = []  # storages, at each write
        # By graphs, the storages that may have changed there as another one; by storages, the
        # graphs inside that read one.
        self.outdated: dict[Builder, set] = {}
        self.readers: dict[Any, set[Builder]] = {}
        self.statements: dict[Builder, Statement] = {}  # that are recorded, by the graph around
        self.learned = Learned()  # about the loops of the present block
        self.has_guessed = False  # the types of items of an empty list
        self.made: list = []  # objects of the program's own classes
        self.lists: dict[int, tuple | None] = {}  # the places that made lists, by identity
        # Objects that a statement chose or may have replaced, and what stands for them afterwards:
        # other names would not show how these change.
        self.chosen: list = []
        self.active: list = []  # the functions whose graphs are being recorded

    def uses(self, fallback: Fallback) -> bool:
        """Whether a form is used where it would help."""
        self.met.add(fallback)
        return fallback in self.options.fallbacks

    def note_use(self, storage) -> None:
        """Take note that a storage is read."""
        if self.is_outdated(storage):
            raise RefusedError(SHARED)
        if (builder := BUILDER.get()) is not storage.scope:
            self.readers.setdefault(storage, set()).add(builder)
            storage.read_in = self.statements.get(storage.scope)

    def let_change(self, items) -> None:
        """Trace again with a list of the graph for one of Python's that a statement changes."""
        place = self.lists.get(id(items)) if type(items) is list else None
        if place is not None and not self.options.has(place, How.LISTED, How.KEPT):
            raise Retrace(OfCode(How.LISTED, place))

    def is_outdated(self, storage) -> bool:
        """Whether a storage may have changed as another one."""
        builder = BUILDER.get()
        while builder is not None and storage not in self.outdated.get(builder, ()):
            builder = builder.outer
        return builder is not None

    def leave(self, builders: Iterable[Builder]) -> None:
        """End a statement that has these graphs: what changed there has changed from here on."""
        for builder in builders:
            changed = self.outdated.pop(builder, set())
            self.outdated.setdefault(BUILDER.get(), set()).update(changed)

    def writes_to_store(self) -> SharedWrites | None:
        """The change after which arrays are in cells that the recorded statements write. What was
        recorded since is of no use.
        """
        if not self.without_cells:
            return None
        builder = next(iter(self.without_cells)).scope
        storages = [storage for storage in self.without_cells if storage.scope is builder]
        self.without_cells.clear()
        return SharedWrites(builder, storages)

    def check_writes(self, builder: Builder) -> None:
        """End a statement in the graph of a builder that writes arrays without cells."""
        if any(storage.scope is builder for storage in self.without_cells):
            raise Retrace(self.writes_to_store())


def numpy_trace() -> NumpyTrace:
    """The present recording, which is one in NumPy mode."""
    return TRACE.get()  # type: ignore[return-value]


# ---- changes after which a function is traced again ------------------------------------------


class OfFunction:
    """A change of the options of a function."""


@record()
class OfCode(OfFunction):
    """Something is decided about the loop or the comprehension with this code."""

    how: How
    code: types.CodeType

    def apply(self, options: Options) -> Options:
        return options._replace(code=options.code | {(self.how, self.code)})


@record()
class ListTypes(OfFunction):
    """A list that has items already gets one of another type: the types of its items, by the place
    that makes it.
    """

    place: Any
    types: tuple

    def apply(self, options: Options) -> Options:
        return options._replace(list_types={**options.list_types, self.place: self.types})


@record()
class OuterArray(OfFunction):
    """A global or a closure holds this array, which has to be an argument of the graph."""

    array: np.ndarray

    def apply(self, options: Options) -> Options:
        return options._replace(captured=(*(options.captured or ()), self.array))


@record()
class DrawnInLoop(OfFunction):
    """A loop draws from a generator, whose state has to be in arrays of the graph; None: no state
    can be, since a loop calls functions of NumPy's.
    """

    source: Any

    def apply(self, options: Options) -> Options:
        is_known = self.source is not None and options.drawn is not None
        known = {**options.drawn, self.source.key: self.source} if is_known else None
        return options._replace(drawn=known)


def fallen_back(options: Options, met: set[Fallback], error: BaseException) -> Options | None:
    """The options of the next trace of a function that is refused: those of the first fall-back
    that may help, and that was not tried. None if there is none.

    Each is tried once, so a function is traced once for each change and each fall-back at most.
    """
    is_refused = isinstance(error, RefusedError)
    if is_refused and error.about is RECURSION:
        return None
    for form in (How.LARGE, *Fallback, How.LISTED, How.CALLED):
        others = {(INSTEAD[how] if how is form else how, code) for how, code in options.code}
        if others != options.code:
            return options._replace(code=frozenset(others))
        may_help = form is Fallback.MIXED_NUMBERS or not (is_refused and error.about is FINAL)
        if may_help and form in met - options.fallbacks:
            return options._replace(fallbacks=options.fallbacks | {form})
    return options._replace(captured=None) if options.captured and is_refused else None


@record()
class KnownArguments:
    """Numbers have to be known while tracing: the arguments at these positions become constants, of
    which there are `static` ones already.
    """

    positions: frozenset[int]

    def apply(self, static: frozenset[int]) -> frozenset[int]:
        return static | self.positions


# ---- changes after which a statement is traced again -----------------------------------------


class Statement(NamedTuple):
    """How a staged statement is traced, in the graph of a builder.

    checkpoint  where it begins in the graph
    layouts     how its names are carried; None where that is not known yet
    forms       of its names that hold tuples
    """

    builder: Builder
    checkpoint: int
    layouts: list | None = None
    forms: tuple = ()


class OfStatement:
    """A change of a statement in the graph of a builder, which drops what it has recorded there."""

    builder: Builder
    changed: Callable[[Statement], Statement]

    def apply(self, statement: Statement) -> Statement | None:
        if statement.builder is not self.builder:
            return None
        self.builder.rollback(statement.checkpoint)
        return self.changed(statement)._replace(checkpoint=self.builder.checkpoint())


@record()
class Layouts(OfStatement):
    """The names of a statement are carried in this way."""

    builder: Builder
    layouts: list

    def changed(self, statement: Statement) -> Statement:
        return statement._replace(layouts=self.layouts)


@record()
class TupleState(OfStatement):
    """The name number `at` holds tuples of a form."""

    builder: Builder
    at: int
    form: Any

    def changed(self, statement: Statement) -> Statement:
        forms = (*statement.forms[: self.at], self.form, *statement.forms[self.at + 1 :])
        return statement._replace(layouts=None, forms=forms)


@record()
class SharedWrites(OfStatement):
    """Arrays from outside are written, which have to be stored in cells first."""

    builder: Builder
    storages: list

    def changed(self, statement: Statement) -> Statement:
        for storage in self.storages:
            storage.move_to_cell()
        return statement


@record()
class ItemTypes(OfStatement):
    """Items of these types are put into a list from outside, or may be."""

    target: Any
    types: tuple
    is_guess: bool = False

    @property
    def builder(self) -> Builder:  # type: ignore[override]
        return self.target.scope

    def changed(self, statement: Statement) -> Statement:
        self.target.allocate(self.types, self.is_guess)
        return statement


def noun(value) -> str:
    """The user's word for a value, with its article: "an array", "a list", "a Point"."""
    name = getattr(value, "_noun", None) or type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


# Names of classes; patterns are compiled when they are first used.
_OF_TRACES = (
    r"\b(?:Traced|Growing|Staged|Flat)\w+|\bUndefined\b|\b_[A-Z]\w+|\b_\w+\(|<locals>"
    r"|'\w*Items'|'the return value'"
)


def reason_of_exception(error: BaseException) -> str:
    """Why NumPy runs a function whose trace an exception ended: the statement, and what it raised.

    The exception may be the function's own, or that of a form that takes fewer values than NumPy.
    """
    if isinstance(error, RefusedError):
        return str(error)
    if isinstance(error, Error):
        return error.message.removeprefix("jit_compile=True: ")
    if isinstance(error, TraceSignal):
        return "values change in a way that no trace of it follows"
    said = _message_of(error)
    if is_internal_module(type(error).__module__):
        return said
    message, own = f"{type(error).__name__}: {said}", place_of_exception(error)
    if own is None:
        return message
    place = f"line {own.line}, `{own.source_line().strip()}`, has no native form"
    return place if re.search(_OF_TRACES, message) else f"{place}: {message}"


def place_of_exception(error: BaseException) -> SourceLocation | None:
    """The user's line that an exception which ended a trace came from."""
    entry, own = error.__traceback__, None
    while entry is not None:
        own, entry = entry if is_users(entry) else own, entry.tb_next
    known = getattr(error, "where", None)
    if known is not None or own is None:
        return known
    return SourceLocation(own.tb_frame.f_code, own.tb_lasti, own.tb_lineno)


def _message_of(error: BaseException) -> str:
    try:
        return str(error)
    except (Exception, TraceSignal):  # it shows values of the trace
        return "of computed values"


def is_interruption(error: BaseException) -> bool:
    """Whether an exception that ends a trace is not one of the traced function."""
    if isinstance(error, TraceSignal):
        return False
    entry, last = error.__traceback__, None
    while entry is not None:
        if _is_given_a_frame(entry.tb_frame):  # as signal handlers and debuggers are
            return True
        entry, last = entry.tb_next, entry
    if isinstance(error, Exception) or last is None:
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] != RAISE  # KeyboardInterrupt comes anywhere


def _is_given_a_frame(frame: types.FrameType) -> bool:
    if is_internal(frame):
        return False
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + bool(code.co_flags & 0x04)  # CO_VARARGS
    arguments = [values.get(name) for name in code.co_varnames[:count]]
    arguments += [part for value in arguments if type(value) is tuple for part in value]
    return any(isinstance(argument, types.FrameType) for argument in arguments)
