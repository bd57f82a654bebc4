"""The reference has every public name, and the documentation site has every page."""

import builtins
import doctest
import inspect
import re
import symtable
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from public_objects import public_objects

import allograph as ag
from allograph.tools.reference import (
    described_names,
    examples,
    markdown,
    pages,
    pages_by_namespace,
    public_names,
    signature_of,
)
from allograph.tools.reference_pages import MOST, MOST_READ, about_namespaces
from allograph.tools.reference_pages import ROOT as ROOMS_OF_ROOT

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference():
    return pages()


@pytest.mark.slow
def test_every_public_name_has_an_entry(reference):
    # Older names are those of others; NumPy's and the standard's names are lists on their pages.
    beside = ("compat.", "contrib.", "experimental.numpy.", "array_api.")
    names = {name for name in public_objects() if not name.startswith(beside)}
    assert names <= set(public_names())
    entries = re.findall(r"^(?:## |\| )`ag\.([\w.]+)`", "\n".join(reference.values()), re.MULTILINE)
    assert set(public_names()) <= set(entries)


def test_no_anchor_occurs_twice_on_a_page(reference):
    for page in reference.values():
        anchors = re.findall(r"\{#([\w-]+)\}", page)
        assert len(anchors) == len(set(anchors))


def test_links_between_entries_have_targets(reference):
    for page in reference.values():
        for name, anchor in re.findall(r"\]\(([\w.-]+\.md)#([\w-]+)\)", page):
            assert f"{{#{anchor}}}" in reference[name]


def test_an_entry_has_no_address_of_this_process(reference):
    assert not re.search(r"at 0x[0-9a-f]{6,}", "\n".join(reference.values()))


def test_a_name_for_the_same_thing_refers_to_the_first(reference):
    row = "| `ag.math.tanh`{#math-tanh} | [`ag.tanh`](allograph-elementary-functions.md#tanh) |"
    assert row in reference["math.md"]


def test_a_page_describes_at_most_a_hundred_names(reference):
    for name, page in reference.items():
        assert len(re.findall(r"^## `ag\.", page, re.MULTILINE)) <= MOST, name


def test_every_namespace_has_a_sentence_that_says_what_it_is_for():
    namespaces = {page.namespace for page in pages_by_namespace()}
    assert set(about_namespaces()) == namespaces, "tools/reference_namespaces.txt"


@pytest.mark.parametrize("title", [title for title, _, _ in ROOMS_OF_ROOT])
def test_every_part_of_the_root_has_names(title):
    (root,) = (page for page in pages_by_namespace() if page.namespace == "ag")
    assert title in {part.title.partition(": ")[2].capitalize() for part in root.parts}


def test_the_first_names_of_the_index_are_those_that_most_programs_use(reference):
    names = re.findall(r"^- \[`ag\.([\w.]+)`", reference["index.md"], re.MULTILINE)
    assert names == list(MOST_READ)


PYTHONS_OWN = [int, str, bool, tuple, float, dict, list, type(None)]


@pytest.mark.parametrize("owner", PYTHONS_OWN, ids=lambda owner: owner.__name__)
def test_no_page_has_the_docstring_of_a_type_of_python(reference, owner):
    first = (owner.__doc__ or "The type of the None singleton.").splitlines()[0]
    assert not [name for name, page in reference.items() if first in page]


def test_fields_of_named_tuples_are_listed_by_name(reference):
    assert not [name for name, page in reference.items() if "Alias for field" in page]


def undefined_names(example):
    """What an example uses besides `ag`, `np` and Python's own names without defining it."""
    code = "\n".join(one.source for one in doctest.DocTestParser().get_examples(example))
    module = symtable.symtable(code, "example", "exec")
    tables, used = [module], set()
    for table in tables:
        tables += table.get_children()
        used |= {one.get_name() for one in table.get_symbols() if one.is_global()}
    used |= {one.get_name() for one in module.get_symbols() if one.is_referenced()}
    own = [one for one in module.get_symbols() if one.is_assigned() or one.is_imported()]
    return used - {one.get_name() for one in own} - {"ag", "np", *dir(builtins)}


@pytest.mark.slow
def test_an_example_runs_where_it_is_pasted():
    docstrings = [inspect.getdoc(entry.thing) or "" for entry in described_names()]
    for example in [*docstrings, *examples().values()]:
        assert not undefined_names(example), example


def short_names():
    """The last parts of all public names of an object, by its identity."""
    found = defaultdict(set)
    for name, thing in public_objects().items():
        found[id(thing)].add(name.rpartition(".")[2])
    return found


def without_example():
    """The described names whose docstrings have no example that uses them."""
    names = short_names()
    for entry in described_names():
        about = inspect.getdoc(entry.thing) or "" if callable(entry.thing) else ""
        if not uses(about, names[id(entry.thing)] | {entry.name.rpartition(".")[2]}):
            yield entry.name


def uses(example, names):
    code = "\n".join(one.source for one in doctest.DocTestParser().get_examples(example))
    return bool(names & set(re.findall(r"\w+", code)))


@pytest.mark.slow
def test_every_public_name_has_an_example_that_uses_it():
    beside = examples()
    for name in without_example():
        assert uses(beside.get(name, ""), {name.rpartition(".")[2]}), name


@pytest.mark.slow
def test_an_example_beside_a_name_is_of_one_that_has_none():
    assert set(examples()) <= set(without_example())


@pytest.mark.slow
def test_the_examples_beside_names_are_true(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))  # an example clears the cache
    parser, runner, report = doctest.DocTestParser(), doctest.DocTestRunner(), []
    with warnings.catch_warnings():
        for name, example in examples().items():
            scope = {"ag": ag, "np": np, "__name__": "examples"}
            test = parser.get_doctest(example + "\n", scope, name, None, 0)
            runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def test_examples_become_blocks_of_code():
    assert markdown(">>> 1 + 1\n2").splitlines() == ["```pycon", ">>> 1 + 1", "2", "```"]


def test_a_signature_has_neither_self_nor_annotations():
    class Sample:
        def method(self, count: int, *, name: str = "x") -> None: ...

    assert signature_of(Sample.method) == "(count, *, name='x')"


def test_the_navigation_has_every_page():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = set((ROOT / "docs").rglob("*.md")) - set((ROOT / "docs" / "changes").iterdir())
    for path in pages:
        assert f"{path.relative_to(ROOT / 'docs').as_posix()}\n" in listed, path.name
