"""Extension types: typed and immutable fields; values that go in, around and out of functions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Literal

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag


class Masked(ag.experimental.ExtensionType):
    values: ag.Tensor
    factor: int = 1

    def scaled(self):
        return self.values * self.factor


class Pair(ag.experimental.ExtensionType):
    first: Masked
    rest: tuple[ag.Tensor, ...] = ()
    names: Mapping[str, ag.Tensor] = {}
    mode: Literal["a", "b"] = "a"
    maybe: ag.Tensor | None = None


class Point(ag.experimental.ExtensionType):
    x: ag.TensorSpec([2], ag.float32)
    near: Point | None = None

    def __init__(self, x, near=None):
        self.x = [x, x]
        self.near = near

    def __validate__(self):
        if self.near is self:
            raise ValueError("near itself")


class Span(ag.experimental.ExtensionType):
    low: float
    high: float

    def __validate__(self):
        if self.low > self.high:
            raise ValueError("low is above high")


def test_fields_are_converted():
    p = Pair(Masked([1, 2]), rest=[1.0, 2], names={"a": 3})
    assert p.first.values.numpy().tolist() == [1, 2]
    assert [float(t) for t in p.rest] == [1.0, 2.0]
    assert isinstance(p.rest, tuple)
    assert int(p.names["a"]) == 3
    assert p.maybe is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Masked([1], 2.5),
        lambda: Masked(None),
        lambda: Masked([1], 2, 3),
        lambda: Masked(factor=1),
        lambda: Pair([1]),
        lambda: Pair(Masked([1]), mode="c"),
        lambda: Pair(Masked([1]), rest=3),
        lambda: Pair(Masked([1]), names=[1]),
        lambda: Span(1, 2.0),
    ],
)
def test_what_does_not_fit_is_refused(make):
    with pytest.raises(TypeError):
        make()


def test_the_error_names_the_field():
    with pytest.raises(TypeError, match=r"Pair.mode: expected one of \('a', 'b'\), got 'c'"):
        Pair(Masked([1]), mode="c")


def test_a_tensor_spec_is_a_field_type():
    assert Point(1.0).x.dtype is ag.float32
    with pytest.raises(TypeError):
        Point([1.0, 2.0])


def test_a_field_may_be_of_the_class_itself():
    assert float(Point(1.0, Point(2.0)).near.x[0]) == 2.0


def test_validate_looks_at_converted_fields():
    with pytest.raises(ValueError, match="low is above high"):
        Span(2.0, 1.0)


def test_nothing_changes_afterwards():
    m = Masked([1])
    with pytest.raises(AttributeError):
        m.factor = 2
    with pytest.raises(AttributeError):
        m.other = 2
    with pytest.raises(AttributeError):
        del m.factor
    with pytest.raises(TypeError):
        Pair(m, names={"a": 1}).names["b"] = 2


def test_a_constructor_sets_declared_fields_only():
    class Strict(ag.experimental.ExtensionType):
        x: int

        def __init__(self):
            self.y = 1

    with pytest.raises(AttributeError, match="declares no field 'y'"):
        Strict()


def test_every_field_needs_a_value():
    class Forgetful(ag.experimental.ExtensionType):
        x: int

        def __init__(self):
            pass

    with pytest.raises(AttributeError, match="'x' has no value"):
        Forgetful()


@pytest.mark.parametrize("annotation", [list, list[int], object, dict])
def test_types_that_change_are_no_field_types(annotation):
    with pytest.raises(TypeError, match="unsupported type annotation"):
        type("Bad", (ag.experimental.ExtensionType,), {"__annotations__": {"x": annotation}})


def test_fields_are_inherited():
    class Named(Masked):
        name: str = "none"

    n = Named([1, 2], 3, "n")
    assert n.scaled().numpy().tolist() == [3, 6]
    assert list(Named._fields) == ["values", "factor", "name"]


def test_equality_compares_all_elements():
    assert bool(Masked([1, 2]) == Masked([1, 2]))
    assert not bool(Masked([1, 2]) == Masked([1, 3]))
    assert bool(Masked([1, 2]) != Masked([1, 3]))
    assert (Masked([1]) == Masked([1, 1])) is False
    assert (Masked([1], 1) == Masked([1], 2)) is False
    assert (Span(1.0, 2.0) == Span(1.0, 2.0)) is True
    assert Masked([1]) != 3


def test_copies_and_pickles_are_equal():
    m = Masked([1, 2], 3)
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert bool(m == other)


# ---- in functions ----------------------------------------------------------------------------


def test_one_trace_for_one_spec():
    traces = []

    @ag.function
    def f(m):
        traces.append(m.factor)
        return m.scaled()

    assert f(Masked([1, 2], 3)).numpy().tolist() == [3, 6]
    assert f(Masked([5, 6], 3)).numpy().tolist() == [15, 18]
    f(Masked([5, 6], 4))
    f(Masked([5.0, 6.0], 3)) if False else f(Masked([1, 2, 3], 4))
    assert traces == [3, 4, 4]


def test_a_result_keeps_its_class_and_fields():
    @ag.function
    def f(m):
        return {"pair": Pair(Masked(m.values + 1, m.factor), rest=(m.values,), mode="b")}

    made = f(Masked([1, 2], 3))["pair"]
    assert made.first.scaled().numpy().tolist() == [6, 9]
    assert made.first.factor == 3
    assert (made.mode, made.maybe) == ("b", None)
    assert made.rest[0].numpy().tolist() == [1, 2]


def test_it_is_state_of_loops_and_branches():
    @ag.function
    def f(m, n):
        for _ in ag.range(n):
            m = Masked(m.values * 2, m.factor)
        if n > 2:
            m = Masked(-m.values, m.factor)
        return m

    assert f(Masked([1, 2], 3), ag.constant(2)).values.numpy().tolist() == [4, 8]
    assert f(Masked([1, 2], 3), ag.constant(3)).values.numpy().tolist() == [-8, -16]


def test_a_spec_is_written_by_hand():
    spec = Masked.Spec(ag.TensorSpec([None], ag.int32), factor=2)
    traces = []

    @ag.function(input_signature=[spec])
    def f(m):
        traces.append(1)
        return m.scaled()

    assert f(Masked([1, 2], 2)).numpy().tolist() == [2, 4]
    assert f(Masked([1, 2, 3], 2)).numpy().tolist() == [2, 4, 6]
    assert traces == [1]
    with pytest.raises(TypeError):
        f(Masked([1, 2], 3))
    with pytest.raises(TypeError):
        f(Masked([1.0], 2))
    assert spec.factor == 2
    assert repr(spec) == (
        "Masked.Spec(values=TensorSpec(shape=(None,), dtype=ag.int32, name=None), factor=2)"
    )


def test_a_concrete_function_is_called_with_values():
    f = ag.function(lambda m: m.scaled()).get_concrete_function(
        Masked.Spec(ag.TensorSpec([None], ag.int32), 2)
    )
    assert f(Masked([1, 2], 2)).numpy().tolist() == [2, 4]


def test_reduced_retracing_relaxes_its_tensors():
    traces = []

    @ag.function(reduce_retracing=True)
    def f(m):
        traces.append(m.values.shape.as_list())
        return m.scaled()

    for size in (1, 2, 3):
        f(Masked(np.zeros(size, np.int32)))
    assert traces == [[1], [None]]


def test_methods_can_be_decorated():
    class Line(ag.experimental.ExtensionType):
        slope: ag.Tensor

        @ag.function
        def at(self, x):
            return self.slope * x

    assert float(Line(2.0).at(3.0)) == 6.0


def test_type_spec_from_value():
    assert ag.type_spec_from_value(Masked([1, 2], 3)) == Masked.Spec(
        ag.TensorSpec([2], ag.int32), 3
    )
    with pytest.raises(TypeError):
        ag.type_spec_from_value(3)


class Tree(ag.experimental.ExtensionType):
    value: ag.Tensor
    name: str
    below: tuple[Tree, ...] = ()
    extra: Mapping[str, ag.Tensor] = {}


trees = st.recursive(
    st.builds(Tree, st.integers(-9, 9), st.text(max_size=3)),
    lambda inner: st.builds(
        Tree,
        st.lists(st.floats(width=32, allow_nan=False), max_size=3),
        st.text(max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("ab"), st.integers(0, 9)),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@examples(60)
@given(trees)
def test_coming_apart_and_together_again_changes_nothing(tree):
    leaves = ag.nest.flatten(tree, expand_composites=True)
    assert all(isinstance(leaf, ag.Tensor) for leaf in leaves)
    assert bool(ag.nest.pack_sequence_as(tree, leaves, expand_composites=True) == tree)
    spec = ag.type_spec_from_value(tree)
    assert spec.is_compatible_with(tree)
    assert [a is b for a, b in zip(spec.to_tensors(tree), leaves)] == [True] * len(leaves)


@pytest.mark.slow
@examples(25)
@given(trees)
def test_a_function_hands_it_through(tree):
    assert bool(ag.function(lambda t: t)(tree) == tree)


def test_it_is_a_leaf_of_structures_unless_asked():
    m = Masked([1, 2])
    assert [leaf is m for leaf in ag.nest.flatten({"a": [m]})] == [True]
    assert [leaf is m.values for leaf in ag.nest.flatten([m], expand_composites=True)] == [True]
    assert not ag.nest.is_nested(m)


class Ranked(ag.experimental.ExtensionType):
    values: ag.Tensor
    level: int

    class Spec:
        def __init__(self, length, level=0):
            self.values = ag.TensorSpec([length], ag.float32)
            self.level = level

        @property
        def length(self):
            return self.values.shape[0]


def test_a_type_may_write_its_own_spec():
    spec = Ranked.Spec(None, level=2)
    total = ag.function(lambda one: ag.reduce_sum(one.values), input_signature=[spec])
    assert float(total(Ranked([1.0, 2.0], 2))) == 3.0
    with pytest.raises(TypeError):
        total(Ranked([1.0, 2.0], 3))


def test_a_spec_of_ones_own_has_its_properties_when_taken_from_a_value():
    assert ag.type_spec_from_value(Ranked([1.0, 2.0], 1)).length == 2
