"""Tables of results: counts of each group of units, reasons for NumPy, and what changed."""

from __future__ import annotations

import collections
import math
import re

COLUMNS = (
    "functions", "calls", "equal", "open", "wrong", "crash", "timed out", "internal", "left out",
)  # fmt: skip
MOST_REASONS = 30
NUMBERS = re.compile(r"\b\d[\d,]*\b")
NAMES = re.compile(r"\b[\w.<>]*<(?:locals|lambda|listcomp)>[\w.<>]*|'[^']*'")


def summary(results: dict) -> str:
    parts = [table(results["units"]), problems(results["records"]), reasons(results["records"])]
    return "\n\n".join(part for part in parts if part)


def table(units: dict[str, dict]) -> str:
    """A line for Numba's tests and each package, and one for all."""
    groups: dict[str, list[dict]] = collections.defaultdict(list)
    for name, row in units.items():
        groups[name.partition(": ")[0]].append(row)
    lines = [
        f"| | {' | '.join(COLUMNS)} | native calls | native functions | times as fast as Numba "
        "| first calls |",
        f"|---|{'---|' * (len(COLUMNS) + 4)}",
    ]
    for name, rows in [*sorted(groups.items()), ("all", list(units.values()))]:
        cells = [str(sum(row[key] for row in rows)) for key in COLUMNS]
        cells.append(share(rows, "native", "native", "not native"))
        cells.append(share(rows, "native functions", "functions that return"))
        for key in ("over Numba", "first over Numba"):
            cells.append(mean([ratio for row in rows for ratio in row[key]]))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def share(rows: list[dict], part: str, *whole: str) -> str:
    """What the counts of units named `part` are of those named `whole`."""
    count, total = (sum(row[key] for row in rows for key in keys) for keys in ([part], whole))
    return f"{100 * count / total:.0f} % of {total}" if total else "-"


def mean(ratios: list[float]) -> str:
    """The geometric mean."""
    if not ratios:
        return "-"
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} of {len(ratios)}"


def problems(records: list[dict]) -> str:
    """What is wrong, each function once, and the differences that are open, by their rules."""
    lines = []
    for status in ("crash", "internal error", "wrong", "timed out", "driver failed", "not loaded"):
        rows = {(one["unit"], one["function"]): one for one in records if one["status"] == status}
        lines += [f"{status}: {described(one)}" for one in rows.values()]
    named = {one["reason"]: one for one in records if one.get("internal")}
    lines += [f"names what is internal: {described(one)}" for one in named.values()]
    rules = collections.Counter(one.get("rule") for one in records if one["status"] == "open")
    lines += [f"open by the rule of {rule}: {count} calls" for rule, count in rules.most_common()]
    return "\n".join(lines)


def described(one: dict) -> str:
    place = "/".join(one.get("at", "").split("/")[-2:])
    text = one["text"] or one.get("reason") or ""
    return f"{one['unit']} {one['function']} ({place}): {text[:400]}"


def generalized(reason: str) -> str:
    """A reason without the numbers and names of one program."""
    return NUMBERS.sub("N", NAMES.sub("NAME", reason))


def reasons(records: list[dict]) -> str:
    """The reasons why functions are not native, by how many functions have them."""
    functions: dict[str, set] = collections.defaultdict(set)
    for one in records:
        if one.get("reason"):
            functions[generalized(one["reason"])].add((one["unit"], one["function"]))
    ranked = sorted(functions.items(), key=lambda item: -len(item[1]))
    lines = [f"{len(names):5} functions: {reason}" for reason, names in ranked[:MOST_REASONS]]
    return "\n".join(["Why NumPy runs them:", *lines]) if lines else ""


def changes(before: dict, after: dict) -> str:
    """The units whose counts differ between two runs, and functions that became wrong or right."""
    lines = []
    for name in sorted(before["units"].keys() & after["units"].keys()):
        one, other = before["units"][name], after["units"][name]
        keys = (*COLUMNS, "native", "not native")
        found = [f"{key} {one[key]} -> {other[key]}" for key in keys if one[key] != other[key]]
        if found:
            lines.append(f"{name}: {', '.join(found)}")
    for status in ("wrong", "crash", "internal error"):
        sets = [
            {f"{row['unit']} {row['function']}" for row in results["records"]
             if row["status"] == status}
            for results in (before, after)
        ]  # fmt: skip
        lines += [f"{status} now: {name}" for name in sorted(sets[1] - sets[0])]
        lines += [f"no longer {status}: {name}" for name in sorted(sets[0] - sets[1])]
    return "\n".join(["Changes:", *lines]) if lines else "No changes."
