"""The state of one staged statement, whose blocks run as pure functions of it.

The variables are set, the block runs, the variables are read. If it raises, the old state is
restored.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from typing import Any, NamedTuple

from ..current_trace import TRACE, unsupported
from ..forms import form_of, read_checked
from . import process_state
from .changes_by_calls import Place, ReachableSnapshot
from .containers import Snapshot, containers_of, copied, still_kept, written_into, written_where
from .noted_changes import check_copies
from .other_holders import AliasCheck, block, stays
from .raising import Retrace, StagedBody, refuse_to_catch, retraced
from .reachable_state import BLOCKS, STATEMENTS
from .shared_containers import SharedAfterMerge, is_array, note_array
from .undefined import Deleted, MaybeSet, Undefined


class State:
    """The variables of one staged statement: set, run, read, put back.

    The content of lists, dictionaries and records is state as the variables are: whatever a run
    changes in them is part of its outcome and is undone. When every run kept the object it was
    given, the outcome of the statement is written into that object.

    A function that a block calls may change what lies in other variables. It is compared after each
    run, and what was changed is `added` in front of the state, with which everything runs again.
    """

    def __init__(self, get_state, set_state, names, options=()):
        self.get_variables = get_state
        self.set_variables = set_state
        self.names = tuple(names)
        self.watch = ReachableSnapshot(dict(options).get("lists", ()), set_state)
        check_copies()
        self.places: list[Place] = []  # changed by called functions
        # What a loop binds anew, as (name, path): blocks get copies there.
        self.rebound_paths: set[tuple[str, tuple]] = set()
        self.is_loop = False
        self.body: Any = None  # of a loop
        self.begin()

    def begin(self) -> None:
        self.before = self.get_state()
        self.contents = Snapshot(self.before)
        self.kept = [containers_of(value) for value in self.before]
        self.watch.begin(self.before, self.contents)
        self.shared = SharedAfterMerge(self.names, self.before, self.contents, self.watch)
        self.holders = AliasCheck(self.names, self.before, self.contents, self.watch.reachable)

    @property
    def added(self) -> int:
        return len(self.places)

    def get_state(self) -> tuple:
        return (*(place.get() for place in self.places), *self.get_variables())

    def set_state(self, values) -> None:
        for place, value in zip(self.places, values, strict=False):
            if place.put is not None:
                place.put(value)
        self.set_variables(tuple(values[self.added :]))

    def block(self, body, values=None, around=StagedBody) -> tuple:
        """The state after `body`, started from `values`, or from the state before the statement.
        What is `around` it says that it may or may not run when what is staged does.
        """
        self.is_loop = values is not None
        self.body = body
        start_values = self._set(self.before if values is None else values)
        started = self.contents if values is None else Snapshot(self.before)
        self.watch.lock(True)
        try:
            with process_state.Kept(), around(), block(self.watch.iterators) as (copies, assigned):
                body()
                check_copies()
        except BaseException as error:  # a staged `raise`, or a request to retrace
            self._restore()
            if type(error) is ValueError and "read-only" in str(error) and self.watch.locked:
                raise unsupported(
                    "a function that a staged statement calls puts items into a NumPy array",
                    "Return a new array, or put the items into it in the statement itself.",
                ) from error
            raise
        finally:
            self.watch.lock(False)
        if self.is_loop:
            self.holders.note_tensors(start_values, self.get_state(), assigned, body)
        return self._outcome(start_values, started, copies, assigned)

    def _outcome(self, start_values, started: Snapshot, copies: list, assigned: list) -> tuple:
        """The state after a block that has run, which is undone. `started` has the contents that
        it began with; `copies` are of containers, and the run has `assigned` items.
        """
        after = tuple(map(_deleted, start_values, self.get_state()))
        self.kept = list(map(still_kept, self.kept, start_values, after))
        self.shared.note(start_values, after, copies, started if self.is_loop else None)
        self.holders.note(start_values, after, started, assigned)
        outcome = self.contents.copies(after)
        reordered = self.contents.reordered()
        self.contents.restore()
        self._check_others()
        if reordered is not None:
            raise unsupported(
                f"a staged statement changes the order of the keys of a {type(reordered).__name__}",
                "Assign an item without deleting it before, or keep the order in a tensor.",
            )
        return outcome

    def _check_others(self) -> None:
        self.set_state(self.before)  # some variables are items of the containers
        changed = self.watch.changes()
        if changed:
            self._restore()
            raise Retrace(_ChangedPlaces(changed))

    def _restore(self) -> None:
        self.contents.restore()
        self.watch.restore()

    def _set(self, values) -> tuple:
        start_values = tuple(
            written_into(old, value, [path for other, path in self.rebound_paths if other == name])
            for name, old, value in zip(self.names, self.before, values, strict=True)
        )
        self.set_state(start_values)
        for old, value in zip(self.before, start_values, strict=True):
            if is_array(old):
                note_array(value, old)
        return start_values

    def at(self, values, test):
        """The value of a test in a state; the test must not change it."""
        self._set(values)
        with process_state.Kept(), StagedBody():
            value = copied(test())  # it may be a container, whose content is restored below
        self.contents.restore()
        return value

    def is_changed_by(self, test) -> bool:
        """Whether a test changes the state, or anything else, by calling functions."""
        checkpoint = TRACE.get().stager.checkpoint()
        try:
            test()
            is_same = all(map(operator.is_, self.before, self.get_state()))
            return not is_same or self.contents.changed() or bool(self.watch.changes())
        finally:
            self._undo()
            TRACE.get().stager.rollback(checkpoint)

    def replace(self, staged) -> None:
        """Set the state to the result of the staged statement; on an error, restore the old one."""
        checkpoint = TRACE.get().stager.checkpoint()
        attempt = functools.partial(State._replace, staged=staged, checkpoint=checkpoint)
        retraced(attempt, self, (_ChangedPlaces, _ReboundPaths))

    def _replace(self, staged, checkpoint) -> None:
        try:
            after = staged()
        except BaseException as error:
            self._undo()
            if isinstance(error, Retrace):
                TRACE.get().stager.rollback(checkpoint)
            refuse_to_catch(error)
            raise
        self._check_places(after)
        if self.is_loop:
            self.holders.check_next_iteration(self.shared.outside, self.shared.pairs, self.body)
            self.holders.note_taken_again(self.shared.known, self.shared.outside)
        rebound_paths, lost = self.holders.check(self.kept, after, self.is_loop)
        if lost or not rebound_paths <= self.rebound_paths:
            self._undo()
            TRACE.get().stager.rollback(checkpoint)
            places = [
                Place(name, lambda original=original: original, None, (id(original),))
                for name, original in lost.values()
            ]
            raise Retrace(_ChangedPlaces(places) if places else _ReboundPaths(rebound_paths))
        after = tuple(map(written_where, self.kept, self.before, after, self.holders.bound_anew()))
        self.set_state(after)
        self.holders.note_arrays(after)
        self.shared.check(self.names, after, self.holders.places_of)
        self.holders.check_copies(after)

    def _check_places(self, after) -> None:
        """Refuse that a list becomes another object where a called function would not see it."""
        for place, name, old, new in zip(self.places, self.names, self.before, after, strict=False):
            if place.put is None and type(old) is not type(new) and not stays(old, new):
                raise unsupported(
                    f"the {type(old).__name__} '{name}' is changed by a function that a staged "
                    "statement calls, and a tensor decides how many items it has",
                    f"Return the new items, and assign '{name}' in the statement itself.",
                )

    def _undo(self) -> None:
        self._restore()
        self.set_state(self.before)

    def add_places(self, places: list[Place]) -> None:
        known = {place.key for place in self.places}
        again = [place.name for place in places if place.key in known]
        if again:
            raise unsupported(
                f"'{again[0]}' is changed by a function that a staged statement calls, in a way "
                "that cannot be followed",
                f"Return the new value, and assign '{again[0]}' in the statement itself.",
            )
        self.places = [*places, *self.places]
        labels = {label for label, *_ in self.holders.paths}
        for place in reversed(places):
            self.names = (_unused(place.name, labels.union(self.names)), *self.names)
        self.begin()


BLOCKS.update({id(State.block.__code__), id(State.at.__code__)})
STATEMENTS.add(id(State._replace.__code__))


def without_effects(block):
    """The value of a block that only an error needs: what it changes is undone."""
    return _undone(block)[0]


def unchanged(block, where: str, cure: str):
    """The value of a block that may not change what was there before; `where` says what it is."""
    value, changed = _undone(block)
    if changed:
        names = ", ".join(place.name for place in changed)
        raise unsupported(f"{where} changes '{names}'", cure)
    return value


def _undone(block) -> tuple:
    """The value of a block, and the places that it changes, which is undone."""
    values: list = [None]
    state = State(lambda: (), lambda values: None, ())
    try:
        state.block(lambda: values.append(block()), around=contextlib.nullcontext)
    except Retrace as request:
        if type(request.change) is not _ChangedPlaces:
            raise
        return values[-1], request.change.places
    return values[-1], []


def _unused(name: str, names) -> str:
    """A name for what other functions change: several may have variables of one name."""
    number, unused = 1, name
    while unused in names:
        number += 1
        unused = f"{name} ({number})"
    return unused


def _deleted(before, after):
    """The value after a block; Deleted if the block took it away."""
    is_gone = type(after) is Undefined and not after.reason
    had_one = not isinstance(before, Undefined) or type(before) is MaybeSet
    return Deleted(after.name) if is_gone and had_one else after


def check_when_read(get_state, set_state) -> None:
    """Have reads of conditionally assigned variables checked when the graph runs, as after a staged
    loop.
    """
    values = get_state()
    if any(type(value) is MaybeSet for value in values):
        read = form_of(read_checked)
        checked = (each.checked(read) if type(each) is MaybeSet else each for each in values)
        set_state(tuple(checked))


class _ChangedPlaces(NamedTuple):
    """A block has changed places that are not state."""

    places: list[Place]

    def apply(self, state: State) -> State:
        state.add_places(self.places)
        return state


class _ReboundPaths(NamedTuple):
    """A loop needs containers of its own at these places."""

    places: set[tuple[str, tuple]]

    def apply(self, state: State) -> State:
        state.rebound_paths |= self.places
        state.begin()
        return state
