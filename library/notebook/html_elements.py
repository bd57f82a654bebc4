"""HTML for the output of a cell. Text is escaped here, and nowhere else.

Colors are those of the page around it, so that light and dark themes are readable. Styles stand in
the elements: notebooks that are not trusted drop style sheets and scripts.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

CELL = "text-align: left; padding: 1px 12px 1px 0; vertical-align: top"
NUMBER = "text-align: right; padding: 1px 12px 1px 0; vertical-align: top"
FAINT = "opacity: 0.7"
CODE = (
    "margin: 4px 0; padding: 6px; border-left: 3px solid #8888; overflow-x: auto; max-height: 30em"
)


class Html(str):
    """A string that is HTML already."""

    __slots__ = ()


def escaped(content) -> Html:
    """Anything as HTML: what is HTML already as it is, everything else as text."""
    return content if isinstance(content, Html) else Html(html.escape(str(content)))


def element(name: str, *content, **attributes) -> Html:
    """An element. The attributes are text.

    >>> element("b", "1 < 2", title='say "yes"')
    '<b title="say &quot;yes&quot;">1 &lt; 2</b>'
    """
    named = "".join(f' {key}="{html.escape(str(value))}"' for key, value in attributes.items())
    return Html(f"<{name}{named}>{''.join(map(escaped, content))}</{name}>")


def block(*content) -> Html:
    """Content below one another."""
    return element("div", *(element("div", one) for one in content if one))


def title(name: str, *facts) -> Html:
    """What a thing is, in bold, and what is known of it."""
    faint = element("span", " · ".join(map(str, facts)), style=FAINT) if facts else ""
    return element("div", element("b", name), " ", faint)


def code(source: str) -> Html:
    """Source or text with its line breaks."""
    return element("pre", source.strip("\n"), style=CODE)


def details(summary: str, content, is_open: bool = False) -> Html:
    """Content that a click on its summary opens."""
    attributes = {"open": "open"} if is_open else {}
    return element("details", element("summary", summary), content, **attributes)


def table(head: Sequence, rows: Iterable[Sequence]) -> Html:
    """A table. Numbers are aligned to the right."""
    first = element("tr", *(element("th", one, style=CELL, scope="col") for one in head))
    return element("table", first, *(element("tr", *map(_cell, row)) for row in rows))


def _cell(content) -> Html:
    if isinstance(content, int):
        return element("td", f"{content:,}", style=NUMBER)
    return element("td", content, style=CELL)
