"""The lines of a page that the page of another version does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

# Names that a compiler numbers: `v12`, `kernel_1f2e`, registers and labels.
NUMBERED = re.compile(r"\bkernel_[0-9a-f]+|%[a-z]+\d+|\b[a-z]{1,2}\d+(?=_|\b)|\bL[A-Z]*\d+_\d+")


def marked(data: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The data of a page, with the numbers of the lines that the other does not have.

    >>> listing = {"lines": ["v1 = v0 + 1", "return v1"]}
    >>> second = {"lines": ["v2 = v0 + 2", "return v2"]}
    >>> marked({"program": listing}, {"program": second})["program"]["differs"]
    [0]
    """
    differing: dict[int, list[int]] = {}
    for one, two in zip(_groups(data), _groups(other), strict=True):
        places = [(id(listing), index) for listing in one for index in range(len(listing["lines"]))]
        matcher = SequenceMatcher(None, _shapes(one), _shapes(two))
        same = {
            block.a + step for block in matcher.get_matching_blocks() for step in range(block.size)
        }
        for number, (listing, index) in enumerate(places):
            if number not in same:
                differing.setdefault(listing, []).append(index)
    return {key: _with_differences(part, differing) for key, part in data.items()}


def _groups(data: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The listings of each pane."""
    kernels = data.get("kernels", [])
    for key in ("sources", "generated"):
        yield data.get(key, [])
    for key in ("program", "numpy"):
        yield [data[key]] if key in data else []
    yield kernels
    yield [kernel["assembly"] for kernel in kernels]


def _shapes(listings: list[dict[str, Any]]) -> list[str]:
    return [NUMBERED.sub(_letters, line).strip() for one in listings for line in one["lines"]]


def _letters(name: re.Match) -> str:
    return re.sub(r"\d.*", "", name[0])


def _with_differences(part: Any, differing: dict[int, list[int]]) -> Any:
    if isinstance(part, list) and all(isinstance(one, dict) for one in part):
        return [_with_differences(one, differing) for one in part]
    if isinstance(part, dict) and "lines" in part:
        inner = {
            key: _with_differences(value, differing)
            for key, value in part.items()
            if key == "assembly"
        }
        return {**part, **inner, "differs": differing.get(id(part), [])}
    return part
