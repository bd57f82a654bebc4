"""Hash tables in plain Python have the items of a dictionary of Python's, in the same order."""

import random

import pytest

from allograph.python_library import hash_tables
from allograph.python_library.hash_tables import SLOTS
from allograph.python_library.items import Items

draws = random.Random(0)
NUMBERS = [draws.randrange(-300, 300) for _ in range(600)]
KEYS = [NUMBERS, [(number, number % 7) for number in NUMBERS], [2**62, -(2**62), 0, 64, 128]]


def empty():
    return Items([0] * SLOTS), Items(), Items()


@pytest.mark.parametrize("keys", KEYS)
def test_items_are_those_of_a_dictionary(keys):
    (slots, kept, values), expected = empty(), {}
    for at, key in enumerate(keys):
        assert hash_tables.contains(slots, kept, key) == (key in expected)
        hash_tables.set_item(slots, kept, values, key, at)
        expected[key] = at
        assert hash_tables.get_item(slots, kept, values, key) == at
        assert hash_tables.get(slots, kept, values, (-1, -1) if at % 2 else key, None) in (at, None)
    assert dict(zip(kept, values, strict=True)) == expected
    assert list(kept) == list(expected)


@pytest.mark.parametrize("keys", KEYS)
def test_the_first_values_are_kept_as_defaults(keys):
    (slots, kept, values), expected = empty(), {}
    for at, key in enumerate(keys):
        own = hash_tables.setdefault(slots, kept, values, key, at)
        assert own == expected.setdefault(key, at)
    assert dict(zip(kept, values, strict=True)) == expected


def test_a_key_that_is_not_there_fails():
    with pytest.raises(AssertionError):
        hash_tables.get_item(*empty(), 3)


def test_a_set_has_each_key_once_and_room_for_twice_as_many():
    slots, kept, _ = empty()
    for key in NUMBERS:
        hash_tables.add(slots, kept, key)
    assert list(kept) == list(dict.fromkeys(NUMBERS))
    assert len(slots) > 2 * len(kept)
