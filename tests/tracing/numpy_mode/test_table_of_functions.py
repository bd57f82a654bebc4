"""The table of NumPy's functions in docs/jit.md is true."""

import operator
import re
from pathlib import Path

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.numpy_protocol.ufuncs import implementation_of
from allograph.tracing.numpy_mode.calls.called_functions import is_callable_on_host
from allograph.tracing.numpy_mode.calls.random_generators import staged_random
from allograph.tracing.numpy_mode.new_arrays import BY_SLICES, CREATED
from allograph.tracing.numpy_mode.numpy_calls import is_supported

PAGE = Path(ag.__file__).parent / "docs" / "jit.md"


def rows() -> dict[str, list[str]]:
    """The rows of the table: their functions."""
    table = PAGE.read_text().partition("| functions of NumPy |")[2].partition("\n\n")[0]
    found = (line.strip("| ").split(" | ") for line in table.splitlines()[2:])
    return {name: re.findall(r"`([\w.]+)`", functions) for name, functions in found}


def has_form(name: str) -> bool:
    function = operator.attrgetter(name)(np)
    if isinstance(function, np.ufunc):
        return function is np.hypot or (function.nout == 1 and bool(implementation_of(function)))
    return any(function in table for table in (CREATED, BY_SLICES)) or is_supported(function)


@pytest.mark.parametrize("row", rows())
def test_the_functions_of_a_row_have_the_form_that_it_says(row):
    for name in set(rows()[row]) - {"minlength", "fft", "random"}:
        assert has_form(name) is row.startswith("native"), name
        if not row.startswith("native"):
            assert is_called(name) is row.startswith("called"), name


def is_called(name: str) -> bool:
    function = operator.attrgetter(name)(np)
    if is_callable_on_host(function) or staged_random(function):
        return name not in GIVE_VIEWS
    return False


GIVE_VIEWS = ("broadcast_to",)


def test_the_table_has_its_rows():
    assert len(rows()) == 8
