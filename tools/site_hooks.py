"""A hook of MkDocs: the reference of the public names becomes pages of the documentation site."""

from __future__ import annotations

from mkdocs.structure.files import File, Files

from allograph.tools.reference import pages

PAGES = pages()
FOLDER = "reference/"
INDEX = "index.md"


def on_config(config):
    """List the pages of the reference in the navigation, the root first."""
    names = sorted(PAGES.keys() - {INDEX}, key=lambda name: (name != "allograph.md", name))
    rows = [{_title(name): FOLDER + name} for name in names]
    for section in config.nav:
        if isinstance(section, dict) and "Reference" in section:
            section["Reference"] = [FOLDER + INDEX, *rows]
    return config


def _title(name: str) -> str:
    stem = name.removesuffix(".md")
    return "ag" if stem == "allograph" else f"ag.{stem}"


def on_files(files: Files, config) -> Files:
    """Add the pages, which are made from the docstrings, to those that lie in `docs/`."""
    for name, content in PAGES.items():
        files.append(File.generated(config, FOLDER + name, content=content))
    return files
