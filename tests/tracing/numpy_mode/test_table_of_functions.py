"""The lists of NumPy's functions in docs/jit.md are true, and name every function with a native
form; `pytest --update-golden` adds what is missing to the list of its file.
"""

import inspect
import operator
import re
from pathlib import Path

import numpy as np
import numpy_rows  # noqa: F401 - of every function of NumPy
import pytest

import allograph as ag
from allograph.runtime.numpy_protocol.registry import FUNCTIONS, name_of
from allograph.runtime.numpy_protocol.ufuncs import implementation_of
from allograph.tracing.numpy_mode.calls.called_functions import is_callable_on_host
from allograph.tracing.numpy_mode.calls.random_generators import staged_random
from allograph.tracing.numpy_mode.new_arrays import BY_SLICES, CREATED
from allograph.tracing.numpy_mode.numpy_calls import is_supported

PAGE = Path(ag.__file__).parent / "docs" / "jit.md"


def rows() -> dict[str, list[str]]:
    """The functions of each list."""
    section = PAGE.read_text().partition("### Functions of NumPy\n")[2].partition("\n## ")[0]
    lists = re.findall(r"^\*\*([^*]+)\*\*: (.*)$", section, re.MULTILINE)
    return {name.lower(): re.findall(r"`([\w.]+)`", functions) for name, functions in lists}


def has_form(name: str) -> bool:
    function = operator.attrgetter(name)(np)
    if isinstance(function, np.ufunc):
        return function is np.hypot or (function.nout == 1 and bool(implementation_of(function)))
    return any(function in table for table in (CREATED, BY_SLICES)) or is_supported(function)


@pytest.mark.parametrize("row", rows())
def test_the_functions_of_a_list_have_the_form_that_it_says(row):
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


def test_the_page_has_its_lists():
    assert len(rows()) == 8


# The lists that functions of these files are added to; ufuncs are of elements.
ROW_OF_FILE = {
    "reducing": "sums and searches", "searches": "sums and searches", "products": "products",
    "numpy_linalg": "products", "sorting_and_selection": "sums and searches",
    "new_arrays": "new arrays",
}  # fmt: skip


NAMES_OF_FIRST = {"prototype", "object", "real", "x", "a"}


@pytest.mark.parametrize("function", sorted([*FUNCTIONS, *CREATED], key=name_of), ids=name_of)
def test_a_form_takes_its_options_at_the_positions_of_numpy(function):
    row = FUNCTIONS.get(function)
    forms = [CREATED[function]] if row is None else [row.implementation, row.on_arrays]
    theirs = positional(function)
    for form in filter(None, forms):
        for at, name in enumerate(positional(form)[: len(theirs)]):
            assert name == theirs[at] or (at == 0 and theirs[0] in NAMES_OF_FIRST), (form, at)


def positional(function) -> list[str]:
    """The parameters that a function takes by position; none where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of an earlier NumPy
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in parameters if parameter.kind in kinds]


def missing() -> dict[str, str]:
    """The native functions that no list names, with the lists that they belong to."""
    listed = {id(operator.attrgetter(name)(np)) for row in rows().values() for name in row
              if name != "minlength"}  # fmt: skip
    ufuncs = {one: None for one in vars(np).values() if isinstance(one, np.ufunc)}
    found = {name_of(one).removeprefix("np."): one for one in (*FUNCTIONS, *ufuncs)}
    return {
        name: "elements" if one in ufuncs else ROW_OF_FILE.get(file_of(one), "shapes and parts")
        for name, one in found.items()
        if id(one) not in listed and has_form(name)
    }


def file_of(function) -> str:
    row = FUNCTIONS[function]
    return (row.implementation or row.on_arrays).__module__.rpartition(".")[2]


def test_the_lists_name_every_native_function(golden_update):
    for name, row in missing().items() if golden_update else ():
        text = PAGE.read_text()
        (line,) = (one for one in text.splitlines() if one.startswith(f"**Native: {row}**"))
        names = re.findall(r"`([\w.]+)`", line)
        plain = sorted([*names, name], key=lambda one: ("." in one, one))
        listed = " ".join(f"`{one}`" for one in plain)
        PAGE.write_text(text.replace(line, f"**Native: {row}**: {listed}"))
    assert not missing()
