"""The charts of the performance page, drawn from the tables that stand in it."""

from __future__ import annotations

import re
from pathlib import Path

from color_schemes import follow_color_scheme

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "": 1.0}
NUMBER = re.compile(r"\**([\d.]+)(?: (s|ms|us|ns))?\b")
OURS, AGAIN = "allograph", ", again"  # titles of columns: its modes, and a second process

Figures = dict[str, dict[str, float]]  # title of an engine -> workload -> figure


def figures(page: str, name: str) -> Figures:
    """The numbers of a table by column; times are in seconds. Cells without a number are left out.

    >>> figures("<!-- steady -->\\n\\n| workload | JAX | NumPy |\\n| --- | --- | --- |\\n"
    ...         "| conv2d | **2 ms (1x)** | - |\\n\\n<!-- end -->", "steady")
    {'JAX': {'conv2d': 0.002}, 'NumPy': {}}
    """
    table = page.split(f"<!-- {name} -->\n")[1].split("<!-- end -->")[0].strip()
    head, _, *rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()]
    found: Figures = {title: {} for title in head[1:]}
    for workload, *cells in rows:
        for title, cell in zip(head[1:], cells, strict=True):
            if number := NUMBER.match(cell):
                found[title][workload] = float(number[1]) * UNITS[number[2] or ""]
    return found


def ratios(times: Figures) -> Figures:
    """The times of the other engines as multiples of allograph's, the better of its modes."""
    ours: dict[str, float] = {}
    for title in times:
        if title.startswith(OURS):
            for workload, time in times[title].items():
                ours[workload] = min(time, ours.get(workload, time))
    return {
        title: {workload: row[workload] / ours[workload] for workload in row if workload in ours}
        for title, row in times.items()
        if not title.startswith(OURS)
    }


def draw(document: Path, path: Path) -> list[Path]:
    """Draw the times of calls, of first calls and the memory; returns the pictures.

    The first is `path`; the others lie beside it.
    """
    page = document.read_text("utf-8")
    others = [path.with_stem(f"{path.stem}_{name}") for name in ("first_call", "memory")]
    chart(path, ratios(figures(page, "steady")), "times allograph's time of a call", line=1)
    chart(others[0], figures(page, "first call"), "first call, ms")
    chart(others[1], figures(page, "memory"), "most memory, MB")
    return [path, *others]


def chart(path: Path, columns: Figures, label: str, line: float | None = None) -> None:
    """A row for each workload, and a point for each engine, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "allograph"})
    from matplotlib import pyplot

    names = list(dict.fromkeys(name for row in columns.values() for name in row))
    figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.28 * len(names)))
    others = [title for title in columns if not title.startswith(OURS)]
    for title, row in columns.items():
        points = {name: figure for name, figure in row.items() if figure > 0}
        if points:
            places = [names.index(name) for name in points]
            style = style_of(title, others)
            axes.plot(list(points.values()), places, linestyle="", label=title, alpha=0.8, **style)
    if line is not None:
        axes.axvline(line, color="black", linewidth=1)
    axes.set(xscale="log", xlabel=label, yticks=range(len(names)))
    axes.set_yticklabels(names)
    axes.invert_yaxis()
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    is_svg = path.suffix == ".svg"
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if is_svg else None)
    if is_svg:
        follow_color_scheme(path)
    pyplot.close(figure)


def style_of(title: str, others: list[str]) -> dict[str, str]:
    """Dark diamonds are allograph, thin in a second process; the others have a color each."""
    if title not in others:
        marker = "d" if title.endswith(AGAIN) else "D"
        return {"marker": marker, "color": "dimgray" if "jit" in title else "black"}
    return {"marker": "o", "color": f"C{others.index(title)}"}
