"""Nested structures: what is a container, and in which order its leaves come."""

import collections
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.tracing.structures import nest

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


@pytest.mark.slow
@given(structures)
def test_packing_the_leaves_gives_the_structure_back(structure):
    assert nest.pack_sequence_as(structure, nest.flatten(structure)) == structure


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "structure",
    [0, None, [], (1, [2, (3,)]), {"b": 1, "a": [2, 3]}, Point(1, (2,)), Pair(1, [2]), [(), {}, 1]],
    ids=str,
)
def test_a_packer_packs_as_pack_sequence_as_does(structure):
    leaves = nest.flatten(structure)
    new = [f"leaf {place}" for place in range(len(leaves))]
    pack = nest.packer(structure, iter([True] * len(leaves)))
    for _ in range(2):
        made, wanted = pack(iter(new)), nest.pack_sequence_as(structure, new)
        assert made == wanted and type(made) is type(wanted)


def test_a_packer_keeps_the_leaves_that_are_not_replaced():
    pack = nest.packer([1, {"a": 2, "b": 3}], iter([False, True, False]))
    assert pack(iter(["new"])) == [1, {"a": "new", "b": 3}]


def test_each_call_of_a_function_gives_containers_of_its_own():
    f = ag.function(lambda x: {"a": [x, x + 1], "b": "text"})
    one, two = f(ag.constant(1)), f(ag.constant(1))
    one["a"].append("more")
    assert len(two["a"]) == len(f(ag.constant(1))["a"]) == 2


def test_types_of_containers_count_unless_told_otherwise():
    with pytest.raises(TypeError, match="differ"):
        ag.nest.assert_same_structure([1, 2], (1, 2))
    ag.nest.assert_same_structure([1, (2, 3)], (1, [2, 3]), check_types=False)


def test_lengths_count_where_types_do_not():
    with pytest.raises(ValueError, match="differ"):
        ag.nest.assert_same_structure([1, 2], (1, 2, 3), check_types=False)


def test_mapping_over_lists_and_tuples_alike():
    made = ag.nest.map_structure(lambda a, b: a + b, [1, (2,)], (3, [4]), check_types=False)
    assert made == [4, (6,)]
