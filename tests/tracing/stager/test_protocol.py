"""The stager of graphs has all that converted code calls, also before NumPy mode is loaded."""

import pytest

from allograph.autograph.stager import Stager
from allograph.tracing.stager import numpy_functions
from allograph.tracing.stager.graph_stager import STAGER, GraphStager

METHODS = [name for name, one in vars(Stager).items() if callable(one) and name[0] != "_"]


@pytest.mark.parametrize("name", METHODS)
def test_the_stager_of_graphs_has_each_method_of_the_protocol(name):
    assert callable(vars(GraphStager)[name])


def test_the_stager_finds_each_function_that_has_a_form_for_tensors():
    forms = numpy_functions.TABLE
    assert {function: STAGER.function(function) for function in forms} == forms
