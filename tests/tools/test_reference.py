"""The reference has every public name, and the documentation site has every page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import allograph as ag
from allograph.runtime.core.public_names import PUBLIC
from allograph.tools.reference import markdown, pages, public_names, signature_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference():
    return pages()


def test_every_public_name_has_an_entry(reference):
    dir(ag)  # loads all
    # Older names are those of others; NumPy's and the standard's names are lists on their pages.
    beside = ("compat.", "contrib.", "experimental.numpy.", "array_api.")
    names = {name for name in PUBLIC if not name.startswith(beside)}
    assert names <= set(public_names())
    described = set(re.findall(r"^## `ag\.([\w.]+)", "\n".join(reference.values()), re.MULTILINE))
    assert set(public_names()) <= described


def test_no_anchor_occurs_twice_on_a_page(reference):
    for page in reference.values():
        anchors = re.findall(r"^## .*\{#(.*)\}$", page, re.MULTILINE)
        assert len(anchors) == len(set(anchors))


def test_links_between_entries_have_targets(reference):
    for page in reference.values():
        for name, anchor in re.findall(r"\]\(([\w.]+\.md)#([\w-]+)\)", page):
            assert f"{{#{anchor}}}" in reference[name]


def test_an_entry_has_no_address_of_this_process(reference):
    assert not re.search(r"at 0x[0-9a-f]{6,}", "\n".join(reference.values()))


def test_a_name_for_the_same_thing_refers_to_the_first(reference):
    assert "The same as [`ag.tanh`](allograph.md#tanh)." in reference["math.md"]


def test_examples_become_blocks_of_code():
    assert markdown(">>> 1 + 1\n2").splitlines() == ["```pycon", ">>> 1 + 1", "2", "```"]


def test_a_signature_has_neither_self_nor_annotations():
    class Sample:
        def method(self, count: int, *, name: str = "x") -> None: ...

    assert signature_of(Sample.method) == "(count, *, name='x')"


def test_the_navigation_has_every_page():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        assert f"{path.relative_to(ROOT / 'docs').as_posix()}\n" in listed, path.name


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs", reason="an extra: pip install allograph[docs]")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reference" / "math.html").read_text(encoding="utf-8")
    assert "ag.math.angle" in page
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert "- [Notebooks](notebooks.md): In Jupyter" in listed
