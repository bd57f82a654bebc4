"""Trees to be recorded: a revision in a worktree of its own, or a copy of the working tree."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FORMAT = 4  # of the records: older ones are made anew
ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "replay"
RECORDER = Path(__file__).parent.relative_to(ROOT)


class FailedRecordingError(Exception):
    """A tree could not be recorded."""


@dataclass(frozen=True)
class Side:
    """One tree of a comparison. `revision` is None for the working tree, as it is now."""

    folder: Path
    revision: str | None
    brings_recorder: bool = False  # it is recorded by the recorder of this tree, not by its own

    @staticmethod
    def of(revision: str | None, brings_recorder: bool = False) -> Side:
        if revision is None:
            return Side(WORK / "here", None)
        commit = git("rev-parse", "--verify", "--short=12", f"{revision}^{{commit}}")
        return Side(WORK / commit, commit, brings_recorder)

    @property
    def title(self) -> str:
        return self.revision or "the working tree"

    @property
    def tree(self) -> Path:
        """The checkout: its name is the package's, so that it can be imported."""
        return self.folder / "allograph"

    def output(self, part: str) -> Path:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        name = "".join(c if c.isalnum() else "_" for c in part).strip("_")
        return self.folder / f"{name}-{version}-{FORMAT}.jsonl"

    def default_parts(self) -> list[str]:
        """The files and folders of tests that this tree chooses itself."""
        name = (RECORDER / "cases.txt").as_posix()
        if self.revision is None or self.brings_recorder:
            return (ROOT / name).read_text(encoding="utf-8").split()
        try:
            return git("show", f"{self.revision}:{name}").split()
        except subprocess.CalledProcessError:
            raise FailedRecordingError(self._other_recorder()) from None

    def missing(self, parts: list[str]) -> list[str]:
        """The parts that have to be recorded: all of the working tree's, new ones of a revision."""
        return [part for part in parts if self.revision is None or not self.output(part).exists()]

    @contextlib.contextmanager
    def checked_out(self) -> Iterator[None]:
        """While it is entered, the tree is there."""
        self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.revision is None:
            _copy_working_tree(self.tree)
        else:
            git("worktree", "add", "--quiet", "--detach", "--force", str(self.tree), self.revision)
        if self.brings_recorder:
            shutil.rmtree(self.tree / RECORDER, ignore_errors=True)
            shutil.copytree(ROOT / RECORDER, self.tree / RECORDER)
        elif f"\nFORMAT = {FORMAT} " not in self._recorder_text():
            self.remove()
            raise FailedRecordingError(self._other_recorder())
        try:
            yield
        finally:
            self.remove()

    def _other_recorder(self) -> str:
        return (
            f"the recorder of {self.title} writes other records, or there is none: choose a later "
            "revision, or try --bring-recorder"
        )

    def _recorder_text(self) -> str:
        path = self.tree / RECORDER / Path(__file__).name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def remove(self) -> None:
        if self.tree.exists() and self.revision is not None:
            with contextlib.suppress(subprocess.CalledProcessError):
                git("worktree", "remove", "--force", str(self.tree))
        shutil.rmtree(self.tree, ignore_errors=True)


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout.strip()


def _copy_working_tree(target: Path) -> None:
    """The files of the working tree that git knows or does not ignore, as they are now."""
    for name in git("ls-files", "-z", "-co", "--exclude-standard").split("\0"):
        source = ROOT / name
        if name and source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def record(work: list[tuple[Side, str]], jobs: int) -> None:
    """Record parts of checked out trees, several at once; FailedRecordingError where one fails."""
    with ThreadPoolExecutor(jobs) as pool:
        failed = [line for line in pool.map(lambda one: _record(*one), work) if line]
    if failed:
        rest = f"\n{len(failed) - 1} other parts failed too" if len(failed) > 1 else ""
        raise FailedRecordingError(failed[0] + rest)


def _record(side: Side, part: str) -> str | None:
    output = side.output(part)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([str(side.folder), str(side.tree / "tests")]),
    }
    log = output.with_suffix(".log")
    with log.open("w", encoding="utf-8") as file:
        command = [sys.executable, "-P", "-m", "replay.record", str(output), part]
        status = subprocess.call(
            command, cwd=side.tree, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    lines = log.read_text(encoding="utf-8").rstrip().splitlines()
    if status:
        return "\n".join([f"{side.title}, {part}: failed, see {log}", *lines[-15:]])
    print(f"  {side.title}, {lines[-1]}", flush=True)
    return None
