"""Records, which are declared faster than the classes of `dataclasses`."""

import dataclasses

import pytest

from allograph.runtime.core.classes import record


@record()
class Pair:
    left: int
    right: list = dataclasses.field(default_factory=list)


def test_the_first_instance_of_a_record_is_made_as_the_others_are():
    first, second = Pair(1), Pair(1, [2])
    assert (first.left, first.right, second.right) == (1, [], [2])
    assert Pair(3).right is not Pair(3).right
    with pytest.raises(TypeError, match="left"):
        Pair()
