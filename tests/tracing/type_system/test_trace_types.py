"""Trace types: which values share one, and which types cover others."""

import gc
from decimal import Decimal

import numpy as np
import pytest

import allograph as ag
from allograph.tracing.type_system.trace_types import Literal, TensorSpec, trace_type


class Thing:
    def __repr__(self):
        return "a thing"


class Valued:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return isinstance(other, Valued) and self.amount == other.amount

    def __hash__(self):
        return hash(self.amount)


@pytest.mark.parametrize(
    "one, other",
    [
        (ag.constant([1, 2]), ag.constant([3, 4])),
        (ag.constant(1.0), np.float32(2.0)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Valued(1), Valued(1)),
    ],
    ids=[
        "tensors by dtype and shape",
        "arrays as tensors",
        "mappings in any order",
        "equal objects",
    ],
)
def test_values_that_share_a_trace(one, other):
    assert trace_type(one) == trace_type(other)
    assert hash(trace_type(one)) == hash(trace_type(other))


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        (slice(0, 2), slice(False, 2)),
        (slice(0.0, 2), slice(-0.0, 2)),
        (slice((0,), 2), slice((False,), 2)),
        (range(0, 3, 2), range(0, 4, 2)),
        (frozenset([1]), frozenset([True])),
        (Decimal("1.0"), Decimal("1.00")),
        ({1: "a"}, {True: "a"}),
        (None, False),
        ([1], (1,)),
        (ag.constant(1), ag.constant(1.0)),
        (ag.constant([1]), ag.constant([1, 2])),
        (Thing(), Thing()),
        (1, ag.constant(1)),
    ],
    ids=str,
)
def test_values_that_do_not(one, other):
    assert trace_type(one) != trace_type(other)


def test_nan_is_the_same_value_each_time():
    assert Literal(float("nan")) == Literal(float("nan"))


def test_an_unknown_dimension_covers_a_known_one():
    narrow, wide = TensorSpec([2, 3]), TensorSpec([None, 3])
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)


def test_the_common_supertype_forgets_what_differs():
    one, other = trace_type([ag.constant([1, 2]), 5]), trace_type([ag.constant([1, 2, 3]), 5])
    joined = one.most_specific_common_supertype([other])
    assert repr(joined) == "List[TensorSpec(shape=(None,), dtype=ag.int32, name=None), Literal[5]]"


def test_different_literals_have_no_common_supertype():
    assert trace_type([1]).most_specific_common_supertype([trace_type([2])]) is None


@pytest.mark.slow
def test_objects_are_held_weakly():
    thing = Thing()
    kind = trace_type(thing)
    assert kind.is_alive
    del thing
    gc.collect()
    assert not kind.is_alive


@pytest.mark.slow
def test_the_type_of_a_dead_object_equals_nothing():
    kind = trace_type(Valued(1))
    gc.collect()
    assert kind != trace_type(Valued(1))


class Kind(ag.types.experimental.TraceType):
    """The type of what holds one name."""

    def __init__(self, thing):
        self.thing = thing

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return None

    def placeholder_value(self, placeholder_context=None):
        return self.thing

    def __eq__(self, other):
        return isinstance(other, Kind) and self.thing.name == other.thing.name

    def __hash__(self):
        return hash(self.thing.name)


class Named:
    def __init__(self, name, kind=Kind):
        self.name, self.kind = name, kind

    def __tf_tracing_type__(self, context):
        return self.kind(self)


def test_a_signature_takes_values_of_a_type_of_the_users_alone():
    signature = [Kind(Named("a"))]
    name_of = ag.function(lambda thing: ag.constant(thing.name), input_signature=signature)
    assert name_of(Named("a")).numpy() == b"a"
    with pytest.raises(TypeError, match="is not of the type"):
        name_of(Named("b"))


def test_a_tracing_type_that_is_none_is_refused():
    with pytest.raises(TypeError, match="gives .*: no TraceType"):
        trace_type(Named("a", kind=repr))
