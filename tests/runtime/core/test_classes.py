"""Named tuples and records that are declared faster than those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import typing

import pytest

from allograph.runtime.core.classes import NamedTuple, record


class Segment(NamedTuple):
    """A part of an axis."""

    start: int
    stop: int | None = None
    step: int = 1

    @property
    def length(self) -> int:
        assert self.stop is not None
        return self.stop - self.start

    def doubled(self) -> Segment:
        return self._replace(start=2 * self.start, step=2 * self.step)


class OfTyping(typing.NamedTuple):
    start: int
    stop: int | None = None
    step: int = 1


@record()
class Pair:
    left: int
    right: list = dataclasses.field(default_factory=list)


GIVEN = [((1, 5), {}), ((1,), {"step": 3}), ((), {"stop": 4, "start": 2}), ((1, 2, 3), {})]


@pytest.mark.parametrize(("args", "kwargs"), GIVEN)
def test_a_named_tuple_is_what_that_of_typing_is(args, kwargs):
    ours, theirs = Segment(*args, **kwargs), OfTyping(*args, **kwargs)
    assert ours == theirs and tuple(ours) == tuple(theirs) and hash(ours) == hash(theirs)
    assert (ours.start, ours.stop, ours.step) == (theirs.start, theirs.stop, theirs.step)
    assert repr(ours) == repr(theirs).replace("OfTyping", "Segment")
    assert ours._asdict() == theirs._asdict()
    assert ours._replace(step=7) == theirs._replace(step=7)


@pytest.mark.parametrize("name", ["_fields", "_field_defaults", "__match_args__", "__bases__"])
def test_its_class_tells_what_that_of_typing_tells(name):
    assert getattr(Segment, name) == getattr(OfTyping, name)


def test_it_has_its_own_methods_and_documentation():
    assert Segment(2, 9).length == 7
    assert Segment(2, 9).doubled() == (4, 9, 2)
    assert Segment.__doc__ == "A part of an axis."


@pytest.mark.parametrize(
    "call",
    [
        lambda: Segment(),
        lambda: Segment(1, 2, 3, 4),
        lambda: Segment(1, begin=2),
        lambda: Segment(1)._replace(begin=2),
        lambda: Segment._make([1]),
    ],
)
def test_other_arguments_than_its_fields_are_refused(call):
    with pytest.raises(TypeError, match="Segment"):
        call()


def test_a_field_may_have_any_name_of_a_variable():
    class Named(NamedTuple):
        new: int
        cls: int
        self: int = 3

    assert Named(1, 2)._asdict() == {"new": 1, "cls": 2, "self": 3}
    assert Named(cls=1, new=2, self=0) == (2, 1, 0)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_it_is_copied_and_pickled(how):
    made = how(Segment(1, 2))
    assert type(made) is Segment and made == (1, 2, 1)


def test_a_pattern_matches_it():
    match Segment(1, 2):
        case Segment(start, stop):
            assert (start, stop) == (1, 2)


def test_the_first_instance_of_a_record_is_made_as_the_others_are():
    first, second = Pair(1), Pair(1, [2])
    assert (first.left, first.right, second.right) == (1, [], [2])
    assert Pair(3).right is not Pair(3).right
    with pytest.raises(TypeError, match="left"):
        Pair()
