"""The documentation site: it builds without a warning, and its search finds the right pages."""

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import allograph as ag

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow

# What somebody types, and the page which should be among the first three.
SEARCHES = {
    "broadcasting": "numpy_to_native",
    "prange": "from_numba",
    "fallback": "debugging",
    "cache": "options",
    "debug": "debugging",
    "breakpoint": "debugging",
    "gradient": "gradients",
    "while loop": "limits",
    "threads": "options",
    "numba": "from_numba",
    "tf.function": "from_tf_function",
    "retrace": "tracing",
    "install": "install",
    "windows": "install",
    "dataset": "datasets",
    "export": "onnx",
    "onnx": "onnx",
    "profile": "debugging",
    "limits": "limits",
    "license": "install",
    "pickle": "processes",
    "sparse": "ragged_and_sparse",
    "debugging": "debugging",
    "reduce_sum": "reference/",
    "notebook": "notebooks",
    "random numbers": "jit",
    "reduce_mean": "reference/allograph-elementary-functions",
    "recursion": "jit",
    "speed": "ten_programs",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site that `make docs` builds."""
    pytest.importorskip("mkdocs", reason="an extra: pip install 'allograph[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def text_of(site, name):
    return (site / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def results(site):
    """For each query the locations that the theme's own program finds, the best first."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node runs the search of the site")
    (worker,) = site.glob("assets/javascripts/workers/search.*.min.js")
    script = Path(__file__).parents[1] / "helpers" / "site_search.js"
    command = [node, str(script), str(worker), str(site / "search" / "search_index.json")]
    done = subprocess.run(
        command, input="\n".join(SEARCHES), capture_output=True, text=True, check=True
    )
    return dict(zip(SEARCHES, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_the_page_among_the_first_three(results, query):
    page = SEARCHES[query]
    assert any(location.startswith(page) for location in results[query][:3]), results[query][:5]


def test_a_page_of_a_namespace_has_its_names(site):
    assert "ag.math.angle" in text_of(site, "reference/math.html")


def test_llms_txt_lists_every_page(site):
    listed = text_of(site, "llms.txt")
    assert "- [Notebooks](notebooks.html): In Jupyter" in listed
    links = re.findall(r"\]\((.*?)\)", listed)
    assert not [link for link in links if not (site / link).exists()]


def test_definitions_link_to_their_lines(site):
    page = text_of(site, "reference/math.html")
    (path, line), *_ = re.findall(r'"\.\./(source/[\w/.]*)#(line-\d+)">', page)
    assert f'id="{line}"' in text_of(site, path)


def test_the_language_has_the_sentences_of_tests(site):
    language = text_of(site, "language/index.html")
    assert "Loop else runs unless broken" in language
    assert f"allograph {ag.__version__}" in language


class Pictures(HTMLParser):
    """The alternative texts of the images of a page."""

    def __init__(self, page):
        super().__init__()
        self.texts = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.texts.append(dict(attributes).get("alt"))


def test_every_picture_says_what_it_shows(site):
    for path in site.rglob("*.html"):
        assert all(Pictures(path.read_text(encoding="utf-8")).texts), path.name
