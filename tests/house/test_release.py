"""Versions, the changelog and what a release is made of."""

import re
import shutil
import subprocess

import pytest
from source_tree import ROOT

import allograph as ag
from allograph.tools import release

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def chapters():
    return re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]


def test_the_first_chapter_of_the_changelog_is_the_version_of_the_package():
    assert chapters()[0].splitlines()[0] == ag.__version__


@pytest.mark.parametrize("chapter", chapters(), ids=lambda chapter: chapter.splitlines()[0])
def test_a_chapter_of_the_changelog_has_at_most_80_lines_in_the_four_sections(chapter):
    sections = re.findall(r"^### (.+)$", chapter, re.MULTILINE)
    assert len(chapter.splitlines()) <= 80
    assert sections == [name.title() for name in release.SECTIONS if name.title() in sections]


def test_each_change_that_is_not_released_names_its_section():
    assert not [path for path, section in release.fragments() if section not in release.SECTIONS]


def test_the_citation_names_the_version():
    assert f"version: {ag.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.fixture
def tree(tmp_path):
    """A repository with one change that is not released."""
    for name in ("CHANGELOG.md", "CITATION.cff", "__init__.py"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "docs" / "changes").mkdir(parents=True)
    (tmp_path / "docs" / "changes" / "threads.fixed.md").write_text("Loops\nrun.\n", "utf-8")
    commit(tmp_path, "init", "--quiet")
    return tmp_path


def commit(tree, *first):
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (first, ("add", "."), (*author, "commit", "--quiet", "--message", "x")):
        if command:
            subprocess.run(["git", *command], cwd=tree, check=True)


def test_a_release_moves_the_changes_into_a_chapter(tree):
    release.prepare("9.1.0", tree)
    text = (tree / "CHANGELOG.md").read_text("utf-8")
    assert "\n## 9.1.0\n\n### Fixed\n- Loops\n  run.\n\n## " in text
    assert '__version__ = "9.1.0"' in (tree / "__init__.py").read_text("utf-8")
    assert not release.fragments(tree)


def test_a_release_without_changes_is_refused(tree):
    (tree / "docs" / "changes" / "threads.fixed.md").unlink()
    with pytest.raises(ValueError, match="nothing to release"):
        release.prepare("9.1.0", tree)


def test_a_change_without_a_section_is_refused_with_the_name_to_write(tree):
    (tree / "docs" / "changes" / "threads.md").write_text("Loops run.", "utf-8")
    with pytest.raises(ValueError, match=r"write threads\.fixed\.md"):
        release.prepare("9.1.0", tree)


def test_a_tag_needs_a_commit_with_the_version_and_no_other_changes(tree):
    assert len(release.problems("9.1.0", tree)) == 3
    release.prepare("9.1.0", tree)
    assert release.problems("9.1.0", tree) == ["git status shows changes"]
    commit(tree)
    assert release.problems("9.1.0", tree) == []
