"""Reports: a JSON file of the latest results, a history, Markdown tables."""

from __future__ import annotations

import importlib
import json
import os
import platform
import re
import subprocess
import time
from pathlib import Path

from harness import duration

from . import limits
from .engines import ENGINES, OURS, PEERS

ROOT = Path(__file__).parents[2]
MOST_MEMORY = 1.1  # of the best peer's
HAND = ("numba", "numba_threads")
CONDITIONS = ("without rests", "beside a busy core")


# ---- the record ------------------------------------------------------------------------------


class Store:
    """The latest results of each workload. The file is written after each workload, so a run may
    be interrupted.
    """

    def __init__(self, path: Path):
        self.path = path
        self.ran: list[str] = []
        self.record = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def start(self, options) -> None:
        """Start a run. Results of other workloads of the same size are kept."""
        if self.record.get("small") != options.small:
            self.record = {}
        self.record.setdefault("workloads", {})
        about = {"rounds": options.rounds, "threads": options.threads, "small": options.small}
        rates = self.record.get("machine", {}).get("rates", {})
        self.record.update(about, machine=described_machine() | {"rates": rates}, run=commit())

    def machine(self, rates: dict) -> None:
        self.record["machine"]["rates"] = rates

    def add(self, name: str, results: dict) -> None:
        self.ran.append(name)
        self.record["workloads"][name] = results
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.record, indent=1) + "\n", encoding="utf-8")

    def append(self, history: Path) -> None:
        """One line: when, what, where, and the medians of this run in microseconds."""
        medians = {
            name: {
                engine: round(row["steady_us"], 3)
                for engine, row in self.record["workloads"][name].items()
                if "steady_us" in row
            }
            for name in self.ran
        }
        line = {**self.record["run"], "machine": self.record["machine"], "steady_us": medians}
        line["small"] = self.record["small"]
        history.parent.mkdir(parents=True, exist_ok=True)
        with history.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def described_machine() -> dict:
    return {
        "system": platform.system(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        match = re.search(r"^model name\s*: (.*)$", information.read_text("utf-8"), re.MULTILINE)
        if match:
            return match[1]
    return platform.processor() or platform.machine()


def commit() -> dict[str, str]:
    """The date, and the commit if this is a checkout of git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        name = done.stdout.strip()
    except OSError:
        name = ""
    return {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": name}


# ---- tables ----------------------------------------------------------------------------------


def steady(results: dict) -> dict[str, float]:
    """Microseconds per call of the engines whose results are correct."""
    return {
        e: result["steady_us"]
        for e, result in results.items()
        if "steady_us" in result and agrees(result)
    }


def agrees(result: dict) -> bool:
    return result.get("agrees", True)


def least_of(figures: dict[str, float], names) -> str | None:
    return min((name for name in names if name in figures), key=figures.get, default=None)


def lines_of(header: list[str], body: list[list[str]]) -> str:
    rows = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def engines_in(record: dict) -> list[str]:
    seen = {engine for results in record["workloads"].values() for engine in results}
    return [engine for engine in ENGINES if engine in seen]


def steady_table(record: dict) -> str:
    """Time per call, and its ratio to that of the fastest engine; the fastest is bold."""
    engines = engines_in(record)
    body = []
    for name, results in record["workloads"].items():
        times = steady(results)
        least = min(times.values(), default=None)
        body.append([name, *(steady_cell(results.get(e), times.get(e), least) for e in engines)])
    return lines_of(["workload", *(ENGINES[engine].title for engine in engines)], body)


def steady_cell(result: dict | None, time_us: float | None, least: float | None) -> str:
    if result is None or "missing" in result:
        return "-"
    if not agrees(result):
        return "**wrong**"
    if time_us is None:
        return "failed"
    suffix = "†" if result.get("size", "full") not in ("full", "small") else ""
    cell = f"{duration(time_us * 1e-6)}{suffix} ({time_us / least:.3g}x)"
    return f"**{cell}**" if time_us == least else cell


def standing_table(record: dict) -> str:
    """allograph (the better of its modes), the best peer, Numba by hand, and the hardware limit."""
    header = ["workload", "allograph", "best peer", "of its time", "of Numba's by hand"]
    rates = record["machine"].get("rates", {})
    body = []
    for name, results in record["workloads"].items():
        times = steady(results)
        ours, peer, hand = (least_of(times, group) for group in (OURS, PEERS, HAND))
        mine = times.get(ours)
        module = importlib.import_module(f"workloads.{name}")
        bound = module.limit(**module.SIZES["small" if record["small"] else "full"])
        least = limits.seconds(bound, rates)
        body.append(
            [
                name,
                duration(mine * 1e-6) if mine else "-",
                f"{ENGINES[peer].title}, {duration(times[peer] * 1e-6)}" if peer else "-",
                ratio(mine, times.get(peer)),
                ratio(mine, times.get(hand)),
                limits.described(bound),
                duration(least) if least else "-",
                ratio(mine, least and least * 1e6),
            ]
        )
    return lines_of([*header, "bound by", "limit", "of the limit"], body)


def contention_table(record: dict) -> str:
    """The better of allograph's modes and the best peer where they are disturbed, and how many
    times longer than at rest their calls take.
    """
    body = []
    for name, results in record["workloads"].items():
        idle, cells = steady(results), [name]
        for condition in CONDITIONS:
            times = {
                engine: results[engine]["contention"][condition]
                for engine in idle
                if condition in results[engine].get("contention", {})
            }
            ours, peer = least_of(times, OURS), least_of(times, PEERS)
            cells += [
                f"{duration(times[one] * 1e-6)} ({ratio(times[one], idle[one])})" if one else "-"
                for one in (ours, peer)
            ]
            cells.append(ratio(times.get(ours), times.get(peer)))
        body.append(cells)
    header = ["allograph", "best peer", "of its time"]
    return lines_of(["workload", *(f"{one}, {how}" for how in CONDITIONS for one in header)], body)


def ratio(value: float | None, other: float | None) -> str:
    return f"{value / other:.2f}x" if value and other else "-"


def cost_table(record: dict, key: str, digits: str) -> str:
    """A column per engine of what its start costs; for allograph also with warm disk caches."""
    engines = engines_in(record)
    columns = [(engine, warm) for engine in engines for warm in (False, True)]
    columns = [
        (engine, warm)
        for engine, warm in columns
        if not warm
        or any("warm" in results.get(engine, {}) for results in record["workloads"].values())
    ]

    def cell(results, engine, warm):
        row = results.get(engine, {})
        value = (row.get("warm", {}) if warm else row).get(key)
        return format(value, digits) if value is not None else "-"

    titles = [ENGINES[engine].title + (", again" if warm else "") for engine, warm in columns]
    body = [
        [name, *(cell(results, engine, warm) for engine, warm in columns)]
        for name, results in record["workloads"].items()
    ]
    return lines_of(["workload", *titles], body)


def first_standing_table(record: dict) -> str:
    """Time until the first result of allograph (the better of its modes) and JAX: of the call
    alone, and with the import of the engine.
    """
    body = []
    for name, results in record["workloads"].items():
        calls = {
            e: result["first_call_ms"] for e, result in results.items() if "first_call_ms" in result
        }
        whole = {e: call + results[e]["import_ms"] for e, call in calls.items()}
        cells = [name]
        for figures in (calls, whole):
            ours, jax = figures.get(least_of(figures, OURS)), figures.get("jax")
            cells += ["-" if one is None else f"{one:.0f}" for one in (ours, jax)]
            cells.append(ratio(ours, jax))
        body.append(cells)
    header = ["allograph", "JAX", "of its time"]
    return lines_of(["workload", *header, *(f"{one}, with import" for one in header)], body)


def memory_standing_table(record: dict) -> str:
    """Memory of allograph and of the peer that needs least, among those that ran the full size.

    The larger of allograph's modes counts, as the default mode is measured before it compiles.
    """
    body = []
    for name, results in record["workloads"].items():
        peaks = {
            engine: result["peak_mb"]
            for engine, result in results.items()
            if "peak_mb" in result
            and agrees(result)
            and result.get("size", "full") in ("full", "small")
        }
        ours = max((peaks[engine] for engine in OURS if engine in peaks), default=None)
        peer = least_of(peaks, PEERS)
        both = ours is not None and peer is not None
        body.append(
            [
                name,
                f"{ours:.0f}" if ours is not None else "-",
                f"{ENGINES[peer].title}, {peaks[peer]:.0f}" if peer else "-",
                ratio(ours, peaks.get(peer)),
                ("yes" if ours <= MOST_MEMORY * peaks[peer] else "NO") if both else "-",
            ]
        )
    header = ["workload", "allograph", "best peer", "of its memory", f"at most {MOST_MEMORY}x"]
    return lines_of(header, body)


def import_table(record: dict) -> str:
    """Import times: the median and the minimum over the workloads' processes."""
    import statistics

    body = []
    for engine in engines_in(record):
        rows = [rows.get(engine, {}) for rows in record["workloads"].values()]
        values = [row["import_ms"] for row in rows if "import_ms" in row]
        if values:
            middle, least = statistics.median(values), min(values)
            body.append([ENGINES[engine].title, f"{middle:.0f}", f"{least:.0f}"])
    return lines_of(["engine", "median, ms", "least, ms"], body)


def exceptions(record: dict) -> str:
    """Workloads that an engine cannot express, that failed, or that differ from NumPy's result."""
    lines = []
    for name, results in record["workloads"].items():
        for engine, result in results.items():
            reason = result.get("failed") or result.get("missing")
            if reason and reason != "nothing to share between threads":
                lines.append(f"- {name}, {ENGINES[engine].title}: {reason}")
            if not agrees(result):
                lines.append(f"- {name}, {ENGINES[engine].title}: off by {result['error']:.3g}")
    return "\n".join(lines or ["None."]) + "\n"


def about(record: dict) -> str:
    machine, run = record["machine"], record["run"]
    rates = ", ".join(f"{name} {rate:g}" for name, rate in machine.get("rates", {}).items())
    rounds = f" {record['rounds']} rounds," if record.get("rounds") else ""
    return (
        f"Taken {run['date']} at {run['commit'] or 'no commit'},{rounds}"
        f" {record['threads']} threads, on {machine['processor']} ({machine['cores']} cores),"
        f" {machine['system']}, Python {machine['python']}."
        + (f" Rates of the machine: {rates}." if rates else "")
        + (" Sizes are those of the tests." if record["small"] else "")
        + "\n"
    )


TABLES = {
    "about": about,
    "standing": standing_table,
    "steady": steady_table,
    "contention": contention_table,
    "first standing": first_standing_table,
    "first call": lambda record: cost_table(record, "first_call_ms", ".0f"),
    "memory standing": memory_standing_table,
    "memory": lambda record: cost_table(record, "peak_mb", ".0f"),
    "import": import_table,
    "exceptions": exceptions,
}


def fill(document: Path, record: dict) -> None:
    """Write the tables of a record into a page."""
    write_sections(document, {name: table(record) for name, table in TABLES.items()})


def write_sections(document: Path, sections: dict[str, str]) -> None:
    """Replace the content between `<!-- NAME -->` and `<!-- end -->`, by name."""
    content = document.read_text("utf-8")
    for name, new in sections.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        if begin in content:
            before, rest = content.split(begin, 1)
            content = before + begin + "\n" + new + "\n" + end + rest.split(end, 1)[1]
    document.write_text(content, encoding="utf-8")


def summary(results: dict) -> str:
    """A line per engine for the terminal."""
    times = steady(results)
    least = min(times.values(), default=None)
    lines = []
    for engine, result in results.items():
        first = (
            f", first call {result['first_call_ms']:.0f} ms" if "first_call_ms" in result else ""
        )
        reason = result.get("failed") or result.get("missing") or ""
        cell = reason or steady_cell(result, times.get(engine), least).replace("*", "")
        lines.append(f"  {ENGINES[engine].title:31}{cell}{first}")
    return "\n".join(lines)
