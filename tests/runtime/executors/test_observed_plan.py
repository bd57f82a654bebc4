"""Random graphs while somebody watches: the same values, and an account that is true."""

import contextlib

import numpy as np
import pytest
from example_counts import examples
from graph_generator import random_graph, random_inputs
from hypothesis import given
from hypothesis import strategies as st
from interpreter import assert_same, interpret

from allograph.library.non_finite_values import check
from allograph.runtime.core.errors import InvalidArgumentError
from allograph.runtime.executors.executable import Executable
from allograph.runtime.ir.op import PURE
from allograph.runtime.tensors.listeners import OBSERVERS

pytestmark = pytest.mark.slow
seeds = st.integers(0, 10**9)


@contextlib.contextmanager
def observing(observer):
    OBSERVERS.append(observer)
    try:
        yield
    finally:
        OBSERVERS.remove(observer)


def account(op, outputs):
    """Whether a check of numbers has to complain about these results."""
    computes = op.effect is PURE and not op.moves_only
    return computes and not all(
        np.all(np.isfinite(one)) for one in map(np.asarray, outputs) if one.dtype.kind == "f"
    )


@examples(60)
@given(seeds)
def test_watching_changes_no_value(seed):
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    with observing(lambda *row: None):
        found = Executable(graph, "plan")(*inputs)
    assert_same(found, interpret(graph, inputs))


@examples(60)
@given(seeds)
def test_every_result_is_what_the_kernel_makes_of_the_operands(seed):
    """No operand is written over before an observer sees it."""
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)

    def observer(op, where, start, operands, results):
        rows.append((op, [np.array(one) for one in operands], [np.array(one) for one in results]))

    rows = []
    with observing(observer):
        Executable(graph, "plan")(*inputs)
    for op, operands, results in rows:
        if not op.attrs:
            with np.errstate(all="ignore"):
                made = op.kernel(*operands)
            assert_same(results, made if isinstance(made, tuple) else (made,))


@examples(60)
@given(seeds)
def test_numbers_are_checked_exactly_where_they_stop_being_finite(seed):
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    complaints = []

    def observer(op, where, start, operands, results):
        if account(op, results):
            complaints.append(op.name)

    with observing(observer):
        Executable(graph, "plan")(*inputs)
    try:
        with observing(check):
            Executable(graph, "plan")(*inputs)
    except InvalidArgumentError as error:
        assert f"'{complaints[0]}' gave" in error.message
    else:
        assert not complaints
