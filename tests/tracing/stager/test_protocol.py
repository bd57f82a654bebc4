"""The stagers, of which each trace has its own: that of graphs, and that of NumPy mode."""

import numpy as np
import pytest

import allograph as ag
from allograph.autograph.current_trace import TRACE, UNTRACED
from allograph.autograph.operators.calls import ASKED_WHERE_STAGED, FORMAT
from allograph.autograph.stager import Stager
from allograph.tracing.numpy_mode import numpy_stager
from allograph.tracing.numpy_mode.numpy_stager import NumpyStager
from allograph.tracing.numpy_mode.refusal import RefusedError
from allograph.tracing.stager import numpy_functions
from allograph.tracing.stager.graph_stager import STAGER, GraphStager


@pytest.mark.parametrize("stager", [GraphStager, NumpyStager])
def test_a_stager_has_no_methods_that_operators_do_not_know(stager):
    public = {name for name in dir(stager) if not name.startswith("_")}
    assert public <= set(dir(Stager))


def test_the_stager_finds_each_function_that_has_a_form_for_tensors():
    forms = numpy_functions.TABLE
    assert {function: STAGER.form(function) for function in forms} == forms


def test_both_stagers_answer_for_each_builtin_that_they_are_asked_for():
    of_arrays = {**numpy_stager.BUILTINS, **numpy_stager.SYNTAX}
    for function in ASKED_WHERE_STAGED - FORMAT:
        assert STAGER.form(function)
        if function not in of_arrays:
            with pytest.raises(RefusedError, match=function.__name__):
                numpy_stager.STAGER.form(function)
    assert of_arrays.keys() >= {min, max, sum, any, all, len, range, zip, int, float, bool}


def test_a_trace_has_its_own_stager_and_none_is_left_after_it():
    stagers = []

    def double(x):
        stagers.append(TRACE.get().stager)
        return x + x if x[0] > 0 else x

    ag.function(double)(ag.constant([1.0]))
    with ag.Graph().as_default():
        double([1.0])
    double([1.0])
    assert stagers == [STAGER, STAGER, UNTRACED.stager]


def test_numpy_mode_stages_in_its_own_traces_alone(monkeypatch):
    traced = []
    cond = NumpyStager.cond
    monkeypatch.setattr(NumpyStager, "cond", lambda *args: traced.append(1) or cond(*args))

    def double(x):
        return x + x if x[0] > 0 else x

    ag.function(double)(ag.constant([1.0]))
    assert not traced
    ag.jit(double)(np.ones(1))
    assert traced
    traced.clear()
    ag.function(lambda x: double(x))(ag.constant([1.0]))
    assert not traced


def test_a_form_of_one_stager_is_none_of_another():
    """A function of a library is converted once, and has its form in each trace."""

    def corner(n):
        return np.eye(3)[n, n]

    def in_tensors(n):
        return ag.reduce_sum(np.eye(3) * ag.cast(n, ag.float64))

    assert ag.jit(corner)(1) == 1.0
    assert float(ag.function(in_tensors)(ag.constant(2))) == 6.0
    assert ag.autograph.to_graph(corner)(2) == 1.0
