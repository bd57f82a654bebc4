"""The index of types finds what looking at every type would find."""

import inspect

import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.tracing.functions.trace_cache import TypeIndex
from allograph.tracing.type_system.function_type import FunctionType
from allograph.tracing.type_system.trace_types import trace_type


class Named:
    pass


class Equal:
    def __eq__(self, other):
        return isinstance(other, Equal)

    __hash__ = None


class AtMost(ag.types.experimental.TraceType):
    """A type of the user: covers tensors' types and smaller limits."""

    def __init__(self, limit):
        self.limit = limit

    def is_subtype_of(self, other):
        return isinstance(other, AtMost) and self.limit <= other.limit

    def most_specific_common_supertype(self, others):
        return None

    def placeholder_value(self, placeholder_context=None):
        return self.limit

    def __eq__(self, other):
        return isinstance(other, AtMost) and self.limit == other.limit

    def __hash__(self):
        return hash(self.limit)


THINGS = [Named(), Named(), Equal(), Equal(), ag.Variable(1.0), ag.Variable(1.0)]
SIGNATURE = inspect.signature(lambda a, b: None)

leaves = st.one_of(
    st.sampled_from([0, 1, True, 1.0, 0.0, -0.0, "a", None]),
    st.sampled_from(THINGS),
    st.builds(
        lambda shape, dtype: ag.TensorSpec(shape, dtype),
        st.sampled_from([None, [], [None], [1], [2], [None, 2], [1, 2]]),
        st.sampled_from([ag.int32, ag.float32]),
    ),
    st.builds(AtMost, st.integers(0, 2)),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.tuples(inner),
        st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    ),
    max_leaves=3,
)
kinds = st.builds(
    lambda a, b: FunctionType(SIGNATURE, {"a": trace_type(a), "b": trace_type(b)}), values, values
)


@given(st.lists(kinds, max_size=12), st.lists(kinds, max_size=6), st.sets(st.integers(0, 11)))
@examples(50)
@pytest.mark.slow
def test_the_index_finds_what_looking_at_all_finds(present, wanted, removed):
    index = TypeIndex()
    for kind in present:
        index.add(kind)
    for place in removed:
        if place < len(present):
            index.remove(present[place])
    gone = {present[place] for place in removed if place < len(present)}
    left = {kind for kind in present if kind not in gone}
    for one in [*wanted, *present]:
        assert set(index.covering(one)) == {kind for kind in left if one.is_subtype_of(kind)}


@given(kinds, kinds)
@examples(50)
def test_types_that_are_equal_cover_each_other(one, other):
    assert one.is_subtype_of(one)
    if one == other:
        assert hash(one) == hash(other)
        assert one.is_subtype_of(other) and other.is_subtype_of(one)
