"""A hook of MkDocs, with the pages of the documentation site that are made from the code.

The reference is made from the public names, the pages of the language from golden pages and the
names of tests, and pages of source from the files that others refer to. `llms.txt` lists all pages
for language models.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.structure.files import File, Files
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import allograph
from allograph.tools.reference import pages, pages_by_namespace
from allograph.tools.reference_pages import Page

ROOT = Path(__file__).parents[1]
REFERENCE, LANGUAGE, SOURCE = "reference/", "language/", "source/"
INDEX = "index.md"
GOLDEN = ROOT / "tests" / "golden"
BEHAVIORS = ("tests/autograph/converters", "tests/tracing/control_flow")
ABOUT_THE_LANGUAGE = """# What becomes what

Each of these pages has functions, and the code that autograph writes for them. They are the golden
pages of the tests: a test converts each function again, and compares.

{chapters}

The tests below hold what converted code does: each sentence is the name of a test.
"""
# How much a word counts that search finds in a section: pages for users come before all others.
BOOSTS = {"Reference": 0.05, "Language": 0.05, "How it works": 0.02}
FENCED = re.compile(r"^(```.*?^```)", re.DOTALL | re.MULTILINE)
LINKED = re.compile(r"(?<!\[)`((?:\w+/)+\w+\.py)`(, line (\d+))?")
PART_OF_NAME = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
SOURCE_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>{path}</title>
<meta name="color-scheme" content="light dark"><style>
body {{ margin: 1rem; font: 14px/1.5 ui-monospace, monospace; }}
:target {{ scroll-margin-top: 30vh; outline: 2px solid; }}
{light}
@media (prefers-color-scheme: dark) {{ {dark} }}
</style></head><body><h1>{path}</h1>{content}</body></html>
"""


def _language() -> dict[str, str]:
    """The pages of the language: the golden pages, and what tests say."""
    chapters = {path.name: path.read_text(encoding="utf-8") for path in sorted(GOLDEN.glob("*.md"))}
    listed = (f"- [{_title_of(content)}]({name})" for name, content in chapters.items())
    index = ABOUT_THE_LANGUAGE.format(chapters="\n".join(listed))
    return {INDEX: "\n".join([index, *_behaviors()]), **chapters}


def _behaviors() -> Iterator[str]:
    """For each file of tests what it is about, its cases, and the names of its tests."""
    for path in sorted(path for folder in BEHAVIORS for path in (ROOT / folder).glob("test_*.py")):
        if path.stem == "test_golden_pages":  # the chapters
            continue
        module = ast.parse(path.read_text(encoding="utf-8"))
        about = " ".join((ast.get_docstring(module) or "").split("\n\n")[0].split())
        names = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
        yield f"\n## {path.stem.removeprefix('test_').replace('_', ' ').capitalize()}\n\n{about}\n"
        if cases := ", ".join(_cases(module)):
            yield f"Cases: {cases}.\n"
        yield from (f"- {_sentence(name)}" for name in names if name.startswith("test_"))


def _cases(module: ast.Module) -> list[str]:
    """The keys of a table `CASES`, which say what each case is."""
    for node in module.body:
        is_table = isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        if is_table and ast.unparse(node.targets[0]) == "CASES":
            return [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
    return []


def _sentence(name: str) -> str:
    words = name.removeprefix("test_").replace("_", " ").replace("python", "Python")
    return words[0].upper() + words[1:]


def on_config(config):
    """List the pages that are made in the navigation, and name the version."""
    rows = {
        "Reference": [REFERENCE + INDEX, *map(_namespace, pages_by_namespace())],
        "Language": [LANGUAGE + name for name in MADE[LANGUAGE]],
    }
    for section in config.nav:
        for title in rows:
            if isinstance(section, dict) and title in section:
                section[title] = rows[title]
    config.copyright = f"allograph {allograph.__version__}"
    return config


def _namespace(page: Page) -> dict[str, str | list]:
    """The entry of a namespace in the navigation, with the pages of its parts."""
    if not page.parts:
        return {page.namespace: REFERENCE + page.file}
    parts = [
        {part.title.partition(": ")[2].capitalize(): REFERENCE + part.file} for part in page.parts
    ]
    return {page.namespace: [REFERENCE + page.file, *parts]}


def on_files(files: Files, config) -> Files:
    """Add the pages that are made to those that lie in `docs/`."""
    listed = _listed(config, files.documentation_pages())
    for folder, made in MADE.items():
        for name, content in made.items():
            files.append(File.generated(config, folder + name, content=content))
    files.append(File.generated(config, "llms.txt", content=listed))
    return files


def _listed(config, files) -> str:
    """A line for each page, with its title and its first sentence (the format of llmstxt.org)."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", "", "## Pages", ""]
    lines += [_entry(file.url, file.content_string) for file in files]
    for folder, title in ((LANGUAGE, "Language"), (REFERENCE, "Reference")):
        lines += ["", f"## {title}", ""]
        names = ((folder + name, content) for name, content in sorted(MADE[folder].items()))
        lines += [_entry(name.removesuffix(".md") + ".html", content) for name, content in names]
    return "\n".join(lines) + "\n"


def _entry(url: str, content: str) -> str:
    paragraph = " ".join(content.partition("\n")[2].strip().split("\n\n")[0].split())
    paragraph = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)  # without links
    about = "" if paragraph.startswith("#") else re.split(r"(?<=[.:])\s", paragraph)[0]
    return f"- [{_title_of(content)}]({url})" + (f": {about}" if about else "")


def _title_of(content: str) -> str:
    return content.partition("\n")[0].lstrip("# ").replace("`", "")


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Link the files of Python that a page names to their pages of source.

    Search ranks the page by the section that it is in.
    """
    section = page.ancestors[-1].title if page.ancestors else None
    page.meta["search"] = {"boost": BOOSTS.get(section, 1)}
    up = "../" * page.file.src_uri.count("/")

    def link(found: re.Match) -> str:
        path, rest, line = found.groups()
        if not (ROOT / path).is_file():
            return found[0]
        sources.add(path)
        anchor = f"#line-{line}" if line else ""
        return f'<a href="{up}{SOURCE}{path}.html{anchor}"><code>{path}</code></a>{rest or ""}'

    parts = FENCED.split(markdown)  # prose and blocks of code in turn
    parts[::2] = (LINKED.sub(link, prose) for prose in parts[::2])
    return "".join(parts)


def on_post_build(config) -> None:
    """Write the pages of source, and let search find names by their parts."""
    _index_parts_of_names(Path(config.site_dir, "search", "search_index.json"))
    style = {"lineanchors": "line", "linenos": "inline", "anchorlinenos": True}
    light = HtmlFormatter(style="default", **style)
    light_style = light.get_style_defs()
    dark_style = HtmlFormatter(style="monokai").get_style_defs()
    for path in sorted(sources):
        content = highlight((ROOT / path).read_text(encoding="utf-8"), PythonLexer(), light)
        target = Path(config.site_dir, SOURCE, path + ".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        page = SOURCE_PAGE.format(path=path, light=light_style, dark=dark_style, content=content)
        target.write_text(page, encoding="utf-8")


def _index_parts_of_names(path: Path) -> None:
    """Add the words of a name to its text: `scatter` finds `tensor_scatter_nd_add` too."""
    index = json.loads(path.read_text(encoding="utf-8"))
    for entry in index["docs"]:
        words = PART_OF_NAME.findall(entry["title"].rpartition(".")[2])
        if entry["location"].startswith(REFERENCE) and len(words) > 1:
            entry["text"] += f"<p>{' '.join(words)}</p>"
    path.write_text(json.dumps(index), encoding="utf-8")


MADE = {REFERENCE: pages(), LANGUAGE: _language()}
sources: set[str] = set()  # the files that pages refer to
