"""The stub that editors read is made from the table of public names."""

import importlib
import re
from pathlib import Path

import pytest

import allograph
from allograph.tools.stubs import stub, surface_stub

SURFACE = sorted(Path(allograph.__file__).parent.glob("extend/[!_]*.py"))


def test_the_stub_is_the_one_that_would_be_made_now():
    path = Path(allograph.__file__).with_name("__init__.pyi")
    assert path.read_text(encoding="utf-8") == stub(), "run: python -m allograph.tools.stubs"


@pytest.mark.parametrize("path", SURFACE, ids=lambda path: path.stem)
def test_the_stub_of_a_module_for_extensions_is_the_one_that_would_be_made_now(path):
    module = importlib.import_module(f"allograph.extend.{path.stem}")
    assert path.with_suffix(".pyi").read_text(encoding="utf-8") == surface_stub(module.MEMBERS)


@pytest.mark.parametrize("path", SURFACE, ids=lambda path: path.stem)
def test_every_name_of_a_module_for_extensions_is_there(path):
    module = importlib.import_module(f"allograph.extend.{path.stem}")
    assert all(hasattr(module, name) for name in dir(module))


@pytest.mark.parametrize("path", SURFACE, ids=lambda path: path.stem)
def test_the_page_lists_every_name_of_a_module_for_extensions(path):
    page = (Path(allograph.__file__).parent / "docs/extend.md").read_text(encoding="utf-8")
    section = page.split(f"### `allograph.extend.{path.stem}`\n")[1].split("\n### ")[0]
    listed = re.findall(r"^\| `(\w+)` \| \S.*\.\ \|$", section, re.MULTILINE)
    assert sorted(listed) == dir(importlib.import_module(f"allograph.extend.{path.stem}"))
