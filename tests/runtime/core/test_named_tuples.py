"""Named tuples that are declared in little time are those of `typing` in all else."""

import copy
import pickle
import typing

import pytest

from allograph.runtime.core import classes


class Fast(classes.NamedTuple):
    new: int
    y: int = 3

    def total(self):
        return self.new + self.y


class Plain(typing.NamedTuple):
    new: int
    y: int = 3


@pytest.mark.parametrize("arguments", [(1,), (1, 2), (4, 5)])
def test_they_hold_and_show_what_those_of_typing_do(arguments):
    fast, plain = Fast(*arguments), Plain(*arguments)
    assert tuple(fast) == tuple(plain)
    assert fast._asdict() == plain._asdict()
    assert repr(fast) == repr(plain).replace("Plain", "Fast")
    assert fast._replace(y=9) == plain._replace(y=9)
    assert Fast._make((7, 8)) == Plain._make((7, 8))
    assert fast.total() == sum(plain)
    assert copy.copy(fast) == pickle.loads(pickle.dumps(fast)) == fast


@pytest.mark.parametrize(
    "wrong", [lambda cls: cls(), lambda cls: cls(1, 2, 3), lambda cls: cls(z=1)]
)
def test_wrong_arguments_are_errors_as_of_any_call(wrong):
    with pytest.raises(TypeError) as plain:
        wrong(Plain)
    with pytest.raises(TypeError) as fast:
        wrong(Fast)
    assert str(fast.value) == str(plain.value).replace("Plain", "Fast")


def test_a_name_that_is_no_field_is_not_replaced():
    with pytest.raises(ValueError, match=r"unexpected field names: \['z'\]"):
        Fast(1)._replace(z=2)


def test_a_first_instance_compiles_one_method(monkeypatch):
    class Point(classes.NamedTuple):
        x: int

    monkeypatch.setattr(classes, "namedtuple", None, raising=False)
    assert Point(3).x == 3
