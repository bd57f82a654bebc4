"""The page: one HTML file that holds its data, style and program, and asks for nothing else.

The data stand in it as JSON whose `<`, `>` and `&` are escaped, and the program of the page makes
elements of text alone. A content security policy with the hash of that program lets nothing else
run, whatever names and strings the user's source has.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import importlib.resources
import json
from typing import Any

from .differences import marked

PROGRAMS = (
    "dagre.min.js",
    "highlights.js",
    "listings.js",
    "layout.js",
    "drawing.js",
    "charts.js",
    "page.js",
)


def page_of(data: dict[str, Any], live: str = "") -> str:
    """The page of `page_data`. With `live`, the path of a stream of events, it follows changes."""
    parts = {
        "POLICY": _policy(live),
        "TITLE": html.escape(data["title"]),
        "STYLE": _asset("explore.css"),
        "DATA": as_json(_without_repetition({**data, "live": live})),
        "PROGRAM": _program(),
    }
    return _filled("explore.html", parts)


def page_of_two(data: dict[str, Any], other: dict[str, Any], live: str = "") -> str:
    """Two pages beside each other, in frames of one; each marks what the other does not have."""
    pages = {"FIRST": marked(data, other), "SECOND": marked(other, data)}
    parts = {"POLICY": _policy(live), "TITLE": html.escape(f"{data['title']}, {other['title']}")}
    parts |= {name: html.escape(page_of(one, live)) for name, one in pages.items()}
    return _filled("beside.html", parts)


def _policy(live: str) -> str:
    digest = base64.b64encode(hashlib.sha256(_program().encode()).digest()).decode()
    origin = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        f"connect-src {origin}; base-uri 'none'; form-action 'none'"
    )


def _filled(name: str, parts: dict[str, str]) -> str:
    """A file of the package with parts in place of the marks of their names."""
    page, rest = [], _asset(name)
    for name, part in parts.items():  # from the first to the last: what is put in is not read again
        before, _, rest = rest.partition(f"@{name}@")
        page += [before, part]
    return "".join([*page, rest])


def _without_repetition(data: dict[str, Any]) -> dict[str, Any]:
    """The data as the program of the page reads them: in columns, and each reason once."""
    reasons = list(dict.fromkeys(row["why"] for row in data["rows"].values()))
    numbers = {reason: number for number, reason in enumerate(reasons)}
    rows = [{**row, "node": node, "why": numbers[row["why"]]} for node, row in data["rows"].items()]
    return {**data, "nodes": columns(data["nodes"]), "rows": columns(rows), "reasons": reasons}


def columns(rows: list[dict[str, Any]]) -> dict[str, list]:
    """A list for each field, since thousands of rows would repeat the names of their fields.

    >>> columns([{"op": "tanh", "in": [1]}, {"op": "add", "in": [2, 3]}])
    {'op': ['tanh', 'add'], 'in': [[1], [2, 3]]}
    """
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def as_json(data: object) -> str:
    r"""JSON that may stand in a script element: ASCII, and without `<`, `>` and `&`.

    >>> as_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    encoded = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        encoded = encoded.replace(character, f"\\u{ord(character):04x}")
    return encoded


@functools.cache
def _program() -> str:
    return "\n".join(["'use strict';", *map(_asset, PROGRAMS)])


def _asset(name: str) -> str:
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
