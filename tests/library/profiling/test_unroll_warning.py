"""A Python loop that becomes very many operations is told of, once, at the user's line."""

import warnings

import pytest

import allograph as ag
from allograph.library.profiling import unroll_warning


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(unroll_warning, "MANY", 100)
    monkeypatch.setattr(unroll_warning, "_REGISTRY", {})


def total(x, items):
    for item in items:
        x = x * 2.0 + item
    return x


def told(items):
    """What is said while a loop over `items` is traced, twice."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for start in (1.0, [1.0]):
            ag.function(total, kernel_compiler="none")(ag.constant(start), items)
    return caught


def test_a_long_loop_is_told_of_once_with_what_stays_a_loop():
    (warning,) = told(range(0, 80, 2))
    assert warning.category is ag.errors.UnrolledLoopWarning
    assert warning.filename == __file__
    assert warning.lineno == total.__code__.co_firstlineno + 1
    assert "ag.range(0, 80, 2)" in str(warning.message)


def test_other_items_had_better_be_a_tensor():
    (warning,) = told([0.5] * 40)
    assert "a loop over a tensor" in str(warning.message).lower()


def test_short_loops_and_loops_of_the_graph_are_not_told_of():
    assert not told(range(9))
    assert not told(ag.range(10.0))
