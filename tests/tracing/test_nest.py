"""Nested structures: what is a container, and in which order its leaves come."""

import collections
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allograph.tracing import nest

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass(frozen=True)
class Pair:
    left: object
    right: object


structures = st.recursive(
    st.integers() | st.none() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Pair, inner, inner)
    ),
    max_leaves=8,
)


@given(structures)
def test_packing_the_leaves_gives_the_structure_back(structure):
    assert nest.pack_sequence_as(structure, nest.flatten(structure)) == structure


@given(structures)
def test_mapping_the_identity_changes_nothing(structure):
    assert nest.map_structure(lambda leaf: leaf, structure) == structure


def test_mappings_are_walked_in_the_order_of_their_keys():
    assert nest.flatten({"b": 1, "a": 2}) == nest.flatten({"a": 2, "b": 1}) == [2, 1]


def test_a_mapping_keeps_its_own_order_when_rebuilt():
    assert list(nest.map_structure(lambda leaf: leaf, {"b": 1, "a": 2})) == ["b", "a"]


def test_a_defaultdict_keeps_its_factory():
    table = collections.defaultdict(list, a=[1])
    assert nest.map_structure(lambda leaf: leaf + 1, table)["missing"] == []


def test_dataclasses_are_structures():
    assert nest.map_structure(lambda leaf: leaf * 2, Pair(1, [2])) == Pair(2, [4])


def test_text_is_a_leaf():
    assert nest.flatten("abc") == ["abc"]


def test_too_few_leaves_are_refused():
    with pytest.raises(ValueError, match="too few"):
        nest.pack_sequence_as([1, 2], [1])


def test_too_many_leaves_are_refused():
    with pytest.raises(ValueError, match="too many"):
        nest.pack_sequence_as([1, 2], [1, 2, 3])


@pytest.mark.parametrize(
    "one, other",
    [([1], (1,)), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (Point(1, 2), (1, 2)), (1, [1])],
    ids=str,
)
def test_different_structures_are_told_apart(one, other):
    assert not nest.same_structure(one, other)
    with pytest.raises((TypeError, ValueError)):
        nest.assert_same_structure(one, other)
