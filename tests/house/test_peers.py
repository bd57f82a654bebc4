"""The problems of `benchmarks/peers.py`: results, limits, tables, history, plot."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))

workloads = importlib.import_module("workloads")
engines = importlib.import_module("contest.engines")
contestant = importlib.import_module("contest.contestant")
limits = importlib.import_module("contest.limits")
report = importlib.import_module("contest.report")
charts = importlib.import_module("contest.charts")
peers = importlib.import_module("peers")
problems = importlib.import_module("problems")

QUICK_TO_COMPILE = ("branching",)
SLOW = pytest.mark.slow


def problem(name):
    return importlib.import_module(f"workloads.{name}")


def error_of(engine, name):
    """The difference from NumPy of an engine's first result at the small size."""
    engine, workload = engines.ENGINES[engine], problem(name)
    size = workload.SIZES["small"]
    call, read = engines.build(engine, engines.load(engine), workload, size)
    error = engines.difference(workload, read(call()), engines.expected(workload, size))
    return error, getattr(workload, "TOLERANCE", 1e-5)


def some_slow(names, quick):
    return [name if name in quick else pytest.param(name, marks=SLOW) for name in names]


# ---- the problems ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", workloads.NAMES)
def test_the_plan_agrees_with_numpy(name):
    error, tolerance = error_of("allograph_plan", name)
    assert error <= tolerance


@pytest.mark.parametrize("name", some_slow(workloads.NAMES, QUICK_TO_COMPILE))
def test_native_code_agrees_with_numpy(name):
    error, tolerance = error_of("allograph_jit", name)
    assert error <= tolerance


@pytest.mark.parametrize("name", some_slow(workloads.NAMES, QUICK_TO_COMPILE))
def test_numba_by_hand_agrees_with_numpy(name):
    error, tolerance = error_of("numba", name)
    assert error <= tolerance


@pytest.mark.parametrize("name", workloads.NAMES)
def test_a_problem_tells_its_work_and_its_limit(name):
    workload = problem(name)
    assert "\nWork: " in workload.__doc__ and "\nLimit: " in workload.__doc__
    assert set(workload.NOTES if hasattr(workload, "NOTES") else ()) <= set(engines.ENGINES)
    bound = workload.limit(**workload.SIZES["small"])
    assert set(bound) - {"dtype"} <= {"bytes", "flops", "cycles"}


@pytest.mark.parametrize("name", workloads.NAMES)
def test_every_engine_that_is_reduced_has_a_size_and_a_measure_of_work(name):
    workload = problem(name)
    for engine, size in getattr(workload, "REDUCED", {}).items():
        assert engine in engines.ENGINES
        assert 0 < workload.work(**workload.SIZES[size])


def test_the_work_of_collatz_is_its_number_of_steps():
    assert problem("collatz").work(6) == 0 + 1 + 7 + 2 + 5 + 8


@SLOW
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("exp", -80, 80), ("log", 1e-3, 50), ("tanh", -5, 5), ("sigmoid", -20, 20)],
)
def test_the_mathematics_written_by_hand_is_exact_to_a_few_units(name, low, high):
    math = problem("vector_math")
    references = {"sigmoid": lambda x: 1 / (1 + np.exp(-x))}
    function = getattr(math, name)
    for x in np.linspace(low, high, 1001).astype(np.float32):
        right = references.get(name, getattr(np, name, None))(np.float64(x))
        assert function(x) == pytest.approx(right, rel=1e-6, abs=3e-7)


def test_a_problem_is_a_workload_of_the_harness_too(monkeypatch):
    names = ("allograph_plan", "numpy")
    workload = problems.problem("newton", names, reference="numpy", limit=2.0, size="small")
    assert list(workload.contestants) == ["allograph, plan", "NumPy"]
    assert (workload.name, workload.reference, workload.limit) == ("newton", "NumPy", 2.0)
    root, _ = workload.contestants["allograph, plan"]()
    assert root.numpy() == pytest.approx(2.0**0.5)
    monkeypatch.setattr(problem("newton"), "TOLERANCE", -1.0)
    with pytest.raises(AssertionError, match="newton, allograph, plan: off by"):
        problems.problem("newton", names, reference="numpy", limit=2.0, size="small")


# ---- engines and processes -------------------------------------------------------------------


def test_threads_are_refused_where_there_is_nothing_to_share():
    with pytest.raises(engines.MissingError, match="nothing to share"):
        error_of("numba_threads", "newton")


def test_results_of_other_sizes_differ_without_end():
    assert engines.difference(None, [np.zeros(3)], [np.zeros(4)]) == float("inf")


def test_an_interpreter_is_chosen_by_option_or_environment(monkeypatch):
    monkeypatch.setenv("PEERS_PYTHON_JAX", "/one")
    monkeypatch.setenv("PEERS_PYTHON_TORCH", "/two")
    table = contestant.interpreters(["torch=/three", "all=/four"])
    modules = ("jax", "torch", "numba")
    assert [contestant.python_for(module, table) for module in modules] == [
        "/one",
        "/three",
        "/four",
    ]
    assert contestant.python_for("numba", {}) == sys.executable


def test_a_module_that_is_not_installed_is_found_missing():
    assert contestant.installed("numpy", sys.executable)
    assert not contestant.installed("no_such_module_anywhere", sys.executable)


@pytest.mark.slow
def test_a_run_writes_results_history_and_tables(tmp_path, capsys):
    document = tmp_path / "page.md"
    document.write_text("Before.\n<!-- steady -->\nold\n<!-- end -->\nAfter.\n", "utf-8")
    results, history = tmp_path / "new" / "peers.json", tmp_path / "history.jsonl"
    command = f"newton --small --engines numpy --rounds 2 --seconds 0.001 --output {results}"
    for _ in range(2):
        peers.main([*command.split(), "--history", str(history), "--document", str(document)])
    row = json.loads(results.read_text("utf-8"))["workloads"]["newton"]["numpy"]
    assert set(row["contention"]) == set(report.CONDITIONS)
    assert row["agrees"] and row["steady_us"] > 0 and row["import_ms"] > 0 and row["peak_mb"] > 1
    lines = [json.loads(line) for line in history.read_text("utf-8").splitlines()]
    assert len(lines) == 2 and set(lines[0]["steady_us"]) == {"newton"}
    text = document.read_text("utf-8")
    assert text.startswith("Before.") and text.endswith("After.\n") and "old" not in text
    assert "| newton | **" in text
    assert "NumPy" in capsys.readouterr().out


def test_an_unknown_workload_is_refused(capsys):
    with pytest.raises(SystemExit):
        peers.main(["nonsense"])
    assert "unknown: nonsense" in capsys.readouterr().err


# ---- limits and reports ----------------------------------------------------------------------


def test_the_limit_is_the_work_over_the_rate():
    machine = {"copy_gbps": 20.0, "float64_gflops": 100.0, "clock_ghz": 4.0}
    assert limits.seconds({"bytes": 40e9}, machine) == pytest.approx(2.0)
    assert limits.seconds({"flops": 5e9, "dtype": "float64"}, machine) == pytest.approx(0.05)
    assert limits.seconds({"cycles": 4e6}, machine) == pytest.approx(1e-3)
    assert limits.seconds({}, machine) is None
    assert limits.seconds({"cycles": 1}, {}) is None


def test_the_limit_is_described_in_words():
    assert limits.described({"bytes": 80e6}) == "memory: 80 MB"
    assert limits.described({"flops": 6.4e9, "dtype": "float32"}) == "arithmetic: 6.4 Gflop float32"
    assert limits.described({}) == "-"


@pytest.fixture
def record():
    def row(time, **more):
        start = {"import_ms": 10.0, "first_call_ms": 20.0, "peak_mb": 30.0}
        return {"steady_us": time, "agrees": True, "scale": 1.0, **start, **more}

    rows = {
        "allograph": row(2.0, warm={"first_call_ms": 5.0, "peak_mb": 25.0}),
        "tensorflow": row(9.0, size="tiny", scale=4.0),
        "jax": row(4.0),
        "torch": {"missing": "no such thing"},
        "numba": row(1.0),
        "numpy": row(0.5, agrees=False, error=0.25),
    }
    machine = {"processor": "one", "cores": 2, "system": "Linux", "python": "3"}
    return {
        "workloads": {"matmul_chain": rows},
        "machine": machine | {"rates": {"float32_gflops": 1e6}},
        "run": {"date": "today", "commit": "abc"},
        "rounds": 3,
        "threads": 2,
        "small": False,
    }


def test_the_fastest_right_result_is_bold_and_what_is_reduced_or_wrong_is_marked(record):
    row = report.steady_table(record).splitlines()[-1]
    assert "**1 us (1x)**" in row and "9 us† (9x)" in row
    assert "**wrong**" in row and "| - |" in row


def test_the_standing_names_the_best_peer_and_the_distance_to_the_limit(record):
    row = report.standing_table(record).splitlines()[-1]
    assert "| 2 us | JAX, 4 us | 0.50x | 2.00x |" in row
    assert "arithmetic: 6.44 Gflop float32 | 6.44 us |" in row


def test_contention_stands_beside_the_time_at_rest_and_the_best_peer(record):
    rows = record["workloads"]["matmul_chain"]
    for engine, factor in (("allograph", 1.5), ("jax", 2.0)):
        time_us = factor * rows[engine]["steady_us"]
        rows[engine]["contention"] = {report.CONDITIONS[1]: time_us}
    row = report.contention_table(record).splitlines()[-1]
    assert row == "| matmul_chain | - | - | - | 3 us (1.50x) | 8 us (2.00x) | 0.38x |"


def test_first_calls_are_shown_with_cold_and_with_full_caches(record):
    header, _, row = report.TABLES["first call"](record).splitlines()
    assert header.startswith("| workload | allograph | allograph, again | TensorFlow |")
    assert row.startswith("| matmul_chain | 20 | 5 | 20 |")


def test_the_first_result_stands_beside_that_of_jax_alone_and_with_the_import(record):
    rows = record["workloads"]["matmul_chain"]
    rows["allograph"].update(first_call_ms=20.0, import_ms=100.0)
    rows["jax"].update(first_call_ms=40.0, import_ms=200.0)
    row = report.first_standing_table(record).splitlines()[-1]
    assert row == "| matmul_chain | 20 | 40 | 0.50x | 120 | 240 | 0.50x |"
    rows["jax"] = {"failed": "no such form"}
    row = report.first_standing_table(record).splitlines()[-1]
    assert row == "| matmul_chain | 20 | - | - | 120 | - | - |"


def test_the_larger_memory_of_allograph_stands_beside_the_least_of_a_peer(record):
    rows = record["workloads"]["matmul_chain"]
    rows["allograph_jit"] = {**rows["allograph"], "peak_mb": 33.0}
    assert report.memory_standing_table(record).splitlines()[-1] == (
        "| matmul_chain | 33 | JAX, 30 | 1.10x | yes |"
    )
    rows["jax"]["peak_mb"], rows["tensorflow"]["peak_mb"] = 29.0, 1.0  # of a smaller problem
    row = report.memory_standing_table(record).splitlines()[-1]
    assert row == "| matmul_chain | 33 | JAX, 29 | 1.14x | NO |"
    del rows["jax"]
    assert report.memory_standing_table(record).endswith("| matmul_chain | 33 | - | - | - |\n")


def test_exceptions_list_what_is_missing_and_what_disagrees(record):
    lines = report.exceptions(record).splitlines()
    assert lines == [
        "- matmul_chain, torch.compile: no such thing",
        "- matmul_chain, NumPy: off by 0.25",
    ]


def test_what_is_not_between_marks_of_a_document_stays(record, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "a\n<!-- about -->\n<!-- end -->\nb\n<!-- import -->\nx\n<!-- end -->\n", "utf-8"
    )
    report.fill(page, record)
    once = page.read_text("utf-8")
    assert "a\n<!-- about -->\n\nTaken today at abc" in once and "| JAX | 10 | 10 |" in once
    report.fill(page, record)
    assert page.read_text("utf-8") == once


PAGE = """<!-- steady -->

| workload | allograph | allograph, jit | JAX | NumPy |
| --- | --- | --- | --- | --- |
| conv2d | **2 ms (1x)** | 4 ms (2x) | 6 us† (3x) | **wrong** |
| newton | failed | - | 5 ns (1x) | 1 s (2x) |

<!-- end -->
<!-- first call -->

| workload | allograph | allograph, again | JAX |
| --- | --- | --- | --- |
| conv2d | 20 | 9 | 40 |

<!-- end -->
<!-- memory -->

| workload | allograph | JAX |
| --- | --- | --- |
| conv2d | 100 | 200 |

<!-- end -->
"""


def test_a_chart_takes_its_figures_from_the_tables_of_the_page():
    times = charts.figures(PAGE, "steady")
    assert times["allograph"] == {"conv2d": 2e-3}
    assert times["JAX"] == pytest.approx({"conv2d": 6e-6, "newton": 5e-9})
    assert times["NumPy"] == {"newton": 1.0}
    assert charts.ratios(times) == {"JAX": {"conv2d": pytest.approx(3e-3)}, "NumPy": {}}


@pytest.mark.slow
def test_the_charts_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    drawn = charts.draw(tmp_path / "page.md", tmp_path / "page.svg")
    assert [path.name for path in drawn] == ["page.svg", "page_first_call.svg", "page_memory.svg"]
    times, first, memory = (path.read_text("utf-8") for path in drawn)
    assert "JAX" in times and "conv2d" in times and "NumPy" not in times
    assert "allograph, again" in first and "MB" in memory


def test_every_chart_that_the_page_of_performance_shows_is_drawn_from_its_tables():
    page = (BENCHMARKS.parent / "docs" / "performance.md").read_text("utf-8")
    for suffix, table in (("", "steady"), ("_first_call", "first call"), ("_memory", "memory")):
        assert f"(performance{suffix}.svg)" in page
        assert charts.figures(page, table)["JAX"]
