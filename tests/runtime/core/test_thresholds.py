"""Thresholds of passes: one table, which tests set for a while."""

import re

import numpy as np
import pytest
from large_paths import FEWEST, SMALLEST, set_to
from source_tree import ROOT

import allograph as ag
from allograph.runtime.core import thresholds


def test_the_other_values_are_of_thresholds_that_exist():
    assert thresholds.MEASURED.keys() >= SMALLEST.keys() | FEWEST.keys()
    assert SMALLEST.keys().isdisjoint(FEWEST)


def test_other_values_are_other_than_those_measured():
    for name, value in (SMALLEST | FEWEST).items():
        assert value != thresholds.MEASURED[name], name


SOURCE = "\n".join(
    path.read_text("utf-8")
    for room in ("runtime", "library")
    for path in (ROOT / room).rglob("*.py")
)


def test_every_threshold_is_read():
    read = re.findall(r"\bthresholds\.([A-Z][A-Z_]+)\b", SOURCE)
    assert set(read) - {"NAME"} == thresholds.MEASURED.keys()


def test_thresholds_are_read_when_code_is_compiled_and_not_when_a_module_is_imported():
    assert not re.findall(r"^\w+ = .*\bthresholds\.[A-Z].*", SOURCE, re.M)
    assert not re.findall(r"^from \S*thresholds import .*", SOURCE, re.M)


def test_thresholds_are_as_before_after_an_error():
    with pytest.raises(ZeroDivisionError), set_to({"SUM_BLOCK": 1}):
        assert thresholds.changed() == (("SUM_BLOCK", 1),)
        raise ZeroDivisionError
    assert thresholds.changed() == ()


def test_kernels_of_other_thresholds_are_other_kernels():
    pytest.importorskip("llvmlite")

    def name_of():
        @ag.function(jit_compile=True)
        def product(a, b):
            return a @ b

        (kernel,) = product.get_concrete_function(np.ones((3, 40)), np.ones((40, 1))).kernels()
        return kernel.name

    before = name_of()
    with set_to({"MATRIX_BLOCK": 8}):
        assert name_of() != before
    assert name_of() == before
