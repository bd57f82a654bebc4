"""The page is one file that asks for nothing, and executes nothing of the user's source."""

import base64
import hashlib
import json
import re

import pytest

import allograph as ag
from allograph.library.explore.page import as_json, page_of
from allograph.library.explore.page_data import without_directives
from allograph.library.profiling.stages import Listing

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\u2028\u2029",
    "'\"`${alert(1)}",
    "\ud800",  # half of a pair
    "]]>&lt;",
]


def data_in(page):
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found)


@pytest.fixture(scope="module")
def exploration():
    return ag.explore(lambda x: ag.tanh(x) + 1.0, ag.TensorSpec([4], ag.float32))


@pytest.mark.parametrize("words", HOSTILE, ids=ascii)
def test_hostile_words_come_back_from_the_data_and_stand_nowhere_else(exploration, words):
    page = page_of({**exploration.data, "title": words, "signature": words})
    assert data_in(page)["signature"] == words
    assert page.count("<script") == 2
    assert page.count("</script>") == 2


def test_names_of_parameters_and_strings_of_the_source_are_escaped():
    @ag.function
    def hostile(x):
        ag.print("</script><img src=x onerror=alert(1)>", x)
        return x * 1.0  # </script>

    page = ag.explore(hostile, ag.TensorSpec([4], ag.float32)).page
    assert "<img" not in page
    assert page.count("</script>") == 2


def test_json_is_ascii_without_signs_of_markup():
    encoded = as_json(HOSTILE)
    assert encoded.isascii()
    assert not set("<>&") & set(encoded)
    assert json.loads(encoded) == HOSTILE


def test_only_the_program_of_the_page_may_run(exploration):
    page = exploration.page
    (program,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)">', page)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy


def test_the_page_refers_to_nothing_elsewhere(exploration):
    head = exploration.page.partition('id="data"')[0]
    assert not re.search(r"(?:src|href)=|url\(|@import", head)


def test_a_saved_page_is_what_the_exploration_shows(exploration, tmp_path):
    exploration.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == exploration.page


def test_a_notebook_shows_the_page_in_a_frame_that_cannot_reach_it(exploration):
    shown = exploration._repr_html_()
    assert 'sandbox="allow-scripts"' in shown
    assert shown.count("<script") == 0


def test_directives_and_data_of_the_assembler_are_left_out():
    lines = [
        "\t.section .rodata",
        ".LCPI0_0:",
        "\t.long 3",
        "\t.p2align 4",
        "main:",
        "\t.cfi_startproc",
    ]
    lines += ["\tmovq %rax, %rbx", ".LBB0_1:", "\tretq"]
    kept = ["main:", "\tmovq %rax, %rbx", ".LBB0_1:", "\tretq"]
    assert without_directives(Listing(lines, [()] * len(lines))).lines == kept
