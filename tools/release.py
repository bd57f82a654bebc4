"""A release: the changes of `docs/changes/` move into CHANGELOG.md, and a tag names the commit.

    python -m allograph.tools.release 0.3.0         # sets the version, writes the changelog
    python -m allograph.tools.release 0.3.0 --tag   # after that commit: checks it, tags it v0.3.0

A tag `v0.3.0` that is pushed is built and published by the workflow `release`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECTIONS = ("added", "changed", "fixed", "security")
NUMBER = re.compile(r'(?<=^__version__ = ")[^"]+', re.MULTILINE)
CITED = re.compile(r"(?<=^version: ).+", re.MULTILINE)


def fragments(root: Path = ROOT) -> list[tuple[Path, str]]:
    """The file of each change that is not released, and its section."""
    paths = sorted((root / "docs" / "changes").glob("*.md"))
    return [(path, path.stem.rpartition(".")[2]) for path in paths if path.name != "README.md"]


def chapter(version: str, root: Path = ROOT) -> str:
    """The chapter of a version, made of the fragments.

    Raises ValueError for a file whose name has no section, and where there is no change.
    """
    rows: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for path, section in fragments(root):
        if section not in rows:
            raise ValueError(
                f"{path.name} names no section: write {path.stem.partition('.')[0]}.fixed.md, or "
                f"another one of {', '.join(SECTIONS)}"
            )
        rows[section].append("- " + path.read_text("utf-8").strip().replace("\n", "\n  "))
    if not any(rows.values()):
        raise ValueError(f"there is nothing to release as {version}: docs/changes holds no change")
    parts = [f"### {section.title()}\n" + "\n".join(rows[section]) for section in SECTIONS]
    return f"## {version}\n\n" + "\n\n".join(
        part for part, section in zip(parts, SECTIONS, strict=True) if rows[section]
    )


def prepare(version: str, root: Path = ROOT) -> None:
    """Set the version, and move the fragments into a chapter of CHANGELOG.md."""
    new = chapter(version, root)
    _rewrite(root / "CHANGELOG.md", lambda page: _with_chapter(page, new))
    _rewrite(root / "__init__.py", lambda page: NUMBER.sub(version, page))
    _rewrite(root / "CITATION.cff", lambda page: CITED.sub(version, page))
    for path, _ in fragments(root):
        path.unlink()


def problems(version: str, root: Path = ROOT) -> list[str]:
    """What keeps the commit from being tagged as this version."""
    (number,) = NUMBER.findall((root / "__init__.py").read_text("utf-8"))
    chapters = re.findall(r"^## (\S+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    checks = {
        f"__version__ is {number}": number != version,
        f"the first chapter of CHANGELOG.md is {chapters[0]}": chapters[0] != version,
        "docs/changes holds changes: run without --tag first": bool(fragments(root)),
        "git status shows changes": bool(_git(root, "status", "--porcelain")),
        f"there is a tag v{version}": bool(_git(root, "tag", "--list", f"v{version}")),
    }
    return [problem for problem, is_there in checks.items() if is_there]


def _with_chapter(page: str, new: str) -> str:
    start = page.index("\n## ") + 1
    return f"{page[:start]}{new}\n\n{page[start:]}"


def _rewrite(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="as 0.3.0")
    parser.add_argument("--tag", action="store_true", help="check the commit, and tag it")
    chosen = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", chosen.version):
        parser.error(f"{chosen.version!r} is no version: give three numbers, as 0.3.0")
    if chosen.tag:
        if reasons := problems(chosen.version):
            parser.error("; ".join(reasons))
        _git(ROOT, "tag", "--annotate", f"v{chosen.version}", "--message", chosen.version)
        return
    try:
        prepare(chosen.version)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
