"""A backend is a class that users choose by its name; nothing else of the package knows of it."""

import ast
import collections
import types

import numpy as np
import pytest
from source_tree import modules, nodes_of

import allograph as ag
from allograph.runtime.jit import backends
from allograph.runtime.jit.backends import Backend
from allograph.runtime.jit.cache.compilation import Compiled
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.kernel_ir.nodes import Binary, walk


class Counting(Backend):
    """Counts the operators in the source of kernels. The results of a kernel are zeros."""

    name = "counting"
    description = "counted"

    def __init__(self):
        self.counts = collections.Counter()

    def missing(self):
        return None

    def compiled(self, code, types, results, keeps_gil=False):
        self.counts.update(part.op for part in walk(code.functions) if isinstance(part, Binary))

        def kernel(*arguments):
            return tuple(map(_zeros, results))

        return Compiled("counting", kernel, 0, [], True)


def _zeros(type_):
    return np.zeros(type_.shape, type_.dtype) if isinstance(type_, ArrayType) else type_.type(0)


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setattr(backends, "_BACKENDS", dict(backends._BACKENDS))
    backend = Counting()
    backends.register(backend)
    return backend


def test_a_registered_backend_gets_the_source_of_kernels(counting):
    @ag.function(jit_compile=True, kernel_compiler="counting")
    def sums(x):
        return x * x + x * 2.0 - x

    assert sums(ag.constant([1.0, 2.0])).numpy().tolist() == [0.0, 0.0]
    assert counting.counts == {"*": 2, "+": 1, "-": 1}


def test_explain_says_how_a_backend_makes_kernels(counting):
    f = ag.function(lambda x: x * 2.0, kernel_compiler="counting")
    text = str(f.get_concrete_function(ag.TensorSpec([3])).explain())
    assert "kernels are counted (as chosen for this function)" in text


def test_an_unknown_backend_names_those_that_there_are(counting):
    with pytest.raises(ag.errors.InvalidArgumentError, match="Choose from .*'counting'"):
        ag.config.set_kernel_compiler("gcc")


def test_nobody_compares_the_names_of_backends():
    names = set(backends.names()) - {"none"}
    for path in modules("autograph", "tracing", "runtime", "library", "tools"):
        for node in nodes_of(path):
            if isinstance(node, ast.Compare):
                constants = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                asks = ast.unparse(node.left).rpartition(".")[2] in ("compiler", "backend", "name")
                assert not (asks and constants & names), f"{path}:{node.lineno}"


def test_what_is_chosen_already_is_not_assigned(monkeypatch):
    """A collection that interrupts the assignment of a context variable may crash Python."""
    assigned = []
    names = types.SimpleNamespace(
        get=lambda: "numba", set=assigned.append, reset=lambda token: None
    )
    monkeypatch.setattr(backends, "_OF_FUNCTION", names)
    for name in ("numba", "allograph"):
        with backends.compiling_with(name):
            pass
    assert assigned == ["allograph"]
