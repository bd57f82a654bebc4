"""A hook of MkDocs: the reference of the public names becomes pages of the documentation site, and
`llms.txt` lists all pages for language models.
"""

from __future__ import annotations

import re

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
    listed = _listed(config, files.documentation_pages())
    for name, content in PAGES.items():
        files.append(File.generated(config, FOLDER + name, content=content))
    files.append(File.generated(config, "llms.txt", content=listed))
    return files


def _listed(config, files) -> str:
    """A line for each page, with its title and its first sentence (the format of llmstxt.org)."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", "", "## Pages", ""]
    for file in files:
        title, _, rest = file.content_string.partition("\n")
        paragraph = " ".join(rest.strip().split("\n\n")[0].split())
        about = re.split(r"(?<=[.:])\s", paragraph)[0]
        lines.append(f"- [{title.lstrip('# ')}]({file.src_uri}): {about}")
    names = ", ".join(sorted(PAGES.keys() - {INDEX}))
    lines += ["", "## Reference", "", f"Below `{FOLDER}`: {names}"]
    return "\n".join(lines) + "\n"
