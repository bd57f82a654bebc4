"""Two sets of records, text by text: which cases are missing, and which texts differ."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

Key = tuple[str, str]  # a case and a stage


@dataclass
class Records:
    """The hash of each text by case and stage, and the texts by their hashes."""

    hashes: dict[Key, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def read(paths: Iterable[Path]) -> Records:
        """The records of several files."""
        found = Records()
        for path in paths:
            with path.open(encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    found.add(row)
        return found

    def add(self, row: dict) -> None:
        if "text" in row:
            self.texts[row["hash"]] = row["text"]
        key, count = (row["case"], row["stage"]), 1
        while key in self.hashes:
            count += 1
            key = (row["case"], f"{row['stage']} ({count})")
        self.hashes[key] = row["hash"]

    def text(self, key: Key) -> str:
        return self.texts[self.hashes[key]]

    @property
    def cases(self) -> set[str]:
        return {case for case, _ in self.hashes}

    def by_program(self) -> dict[str, dict[Key, str]]:
        """For each program the hashes of its texts; their keys are without its name."""
        found: dict[str, dict[Key, str]] = {}
        for (case, stage), value in self.hashes.items():
            program, _, rest = case.partition(" | ")
            found.setdefault(program, {})[rest, stage] = value
        return found

    def with_names(self, names: dict[str, str]) -> Records:
        """The records under other names of programs."""
        hashes = {}
        for (case, stage), value in self.hashes.items():
            program, bar, rest = case.partition(" | ")
            hashes[names.get(program, program) + bar + rest, stage] = value
        return Records(hashes, self.texts)

    def renamed(self, rules: list[tuple[re.Pattern, str]]) -> Records:
        """The records with words replaced, in the texts and in the names of cases and stages."""
        if not rules:
            return self
        texts = {old: _replaced(text, rules) for old, text in self.texts.items()}
        new = {old: digest(text) for old, text in texts.items()}
        hashes = {
            (_replaced(case, rules), _replaced(stage, rules)): new[old]
            for (case, stage), old in self.hashes.items()
        }
        return Records(hashes, {new[old]: text for old, text in texts.items()})


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def rename_rules(text: str) -> list[tuple[re.Pattern, str]]:
    """The rules of a file: a regular expression for a word, and its replacement, on each line."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise ValueError(f"line {number}: 'old new' is expected, not {line!r}")
        rules.append((re.compile(rf"\b(?:{words[0]})\b"), words[1]))
    return rules


def _replaced(text: str, rules: list[tuple[re.Pattern, str]]) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


@dataclass
class Comparison:
    """What differs between the records of a base and those of another tree."""

    base: Records
    here: Records

    def __post_init__(self):
        self.moved = moved_programs(self.base, self.here)
        self.base = self.base.with_names(self.moved)
        base, here = self.base.hashes, self.here.hashes
        programs = {case.partition(" | ")[0] for case in self.here.cases}
        known = {case.partition(" | ")[0] for case in self.base.cases}
        self.lost = sorted(known - programs)
        self.added = sorted(programs - known)
        self.changed = [key for key in base if key in here and base[key] != here[key]]
        self.only_base = [key for key in base if key not in here and _program(key) in programs]
        self.only_here = [key for key in here if key not in base and _program(key) in known]

    @property
    def is_equal(self) -> bool:
        """Whether nothing of the base is missing or different; programs may be added."""
        return not (self.lost or self.changed or self.only_base or self.only_here)

    def report(self, show: int = 2) -> str:
        """Counts for each stage, then the first differences of each, `show` at most."""
        compared = Counter(_stage(key) for key in self.base.hashes if key in self.here.hashes)
        rows = [("changed", self.changed), ("missing", self.only_base), ("added", self.only_here)]
        counts = {what: Counter(map(_stage, keys)) for what, keys in rows}
        stages = sorted({*compared, *(stage for count in counts.values() for stage in count)})
        lines = [f"{'stage':44}{'compared':>10}{'changed':>10}{'missing':>10}{'added':>10}"]
        for stage in stages:
            numbers = "".join(f"{counts[what][stage]:10}" for what, _ in rows)
            lines.append(f"{stage:44}{compared[stage]:10}{numbers}")
        lines.append(f"{len(self.base.cases)} cases, {sum(compared.values())} texts compared")
        if self.moved:
            lines.append(f"programs with another name and the same texts: {len(self.moved)}")
        for what, cases in (("missing", self.lost), ("added", self.added)):
            if cases:
                more = f" and {len(cases) - 5} more" if len(cases) > 5 else ""
                lines.append(f"programs {what}: {', '.join(cases[:5])}{more}")
        return "\n".join([*lines, *self._differences(show)])

    def _differences(self, show: int) -> list[str]:
        shown: Counter = Counter()
        blocks = []
        for what, keys in (("", self.changed), ("-", self.only_base), ("+", self.only_here)):
            for key in keys:
                shown[what, _stage(key)] += 1
                if shown[what, _stage(key)] <= show:
                    blocks.append(self._difference(what, key))
        return blocks

    def _difference(self, what: str, key: Key) -> str:
        head = f"\n==== {key[0]} | {key[1]}"
        if what:
            records, words = (self.base, "missing") if what == "-" else (self.here, "added")
            first = records.text(key).splitlines()[:3]
            return "\n".join([f"{head}: {words}", *(f"{what} {line}" for line in first)])
        old, new = (one.text(key).splitlines() for one in (self.base, self.here))
        lines = list(difflib.unified_diff(old, new, "base", "here", lineterm="", n=2))
        rest = [f"... {len(lines) - 40} more lines"] if len(lines) > 40 else []
        return "\n".join([head, *lines[:40], *rest])


def moved_programs(base: Records, here: Records) -> dict[str, str]:
    """The new names of programs, by their old ones, of which all texts stayed the same."""
    old, new = base.by_program(), here.by_program()
    free: dict[frozenset, list[str]] = {}
    for name in sorted(new.keys() - old.keys(), reverse=True):
        free.setdefault(frozenset(new[name].items()), []).append(name)
    found = {}
    for name in sorted(old.keys() - new.keys()):
        names = free.get(frozenset(old[name].items()))
        if names:
            found[name] = names.pop()
    return found


def _program(key: Key) -> str:
    return key[0].partition(" | ")[0]


def _stage(key: Key) -> str:
    return re.sub(r" \(\d+\)$", "", key[1])
