"""The types that the stub gives to results are those that examples return."""

import re
from functools import partial, reduce
from pathlib import Path

import pytest
from observed_results import observed

import allograph as ag
from allograph.tools import result_types

STUB = Path(ag.__file__).with_name("__init__.pyi").read_text("utf-8")


def fits(seen, kind):
    """Whether a type that was seen is another one, a part of it, a subclass or has no name."""
    if "list[Any]" in (seen, kind):  # of no items, or of several types
        return seen.startswith("list[") and kind.startswith("list[")
    return seen in ("Any", kind) or any(map(partial(is_subclass, seen), kind.split(" | ")))


def is_subclass(seen, kind):
    if seen == kind or not {seen, kind}.isdisjoint(result_types.PLAIN) or "[" in seen + kind:
        return seen == kind
    return issubclass(*(reduce(getattr, name.split("."), ag) for name in (seen, kind)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_examples_return_has_the_type_of_the_table():
    table = result_types.table()
    results = observed()
    assert not {
        f"{name}: {table[name]}": kinds
        for name, kinds in results.items()
        if name in table and not any(fits(seen, table[name]) for seen in kinds)
    }


def test_nine_of_ten_functions_of_the_stub_have_a_type():
    results = re.findall(r"^ *def \w+\(.*?\) -> (.+?): (?:\.\.\.|\"{3}.*)$", STUB, re.MULTILINE)
    assert len(results) > 1900
    assert results.count("Any") < 0.12 * len(results)


def test_classes_of_namespaces_have_their_types():
    left = re.findall(r"^ *([A-Z]\w+): Any$", STUB, re.MULTILINE)
    assert len(left) < 40, left
