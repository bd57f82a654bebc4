"""The benchmark of growth: `benchmarks/scaling.py`."""

import importlib
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))

scaling = importlib.import_module("scaling")
workloads = importlib.import_module("workloads")

ROWS = [
    {"count": 10, "allograph_jit": 4e-6, "numpy": 1e-6},
    {"count": 100, "allograph_jit": 4e-6, "numpy": 5e-6},
    {"count": 1000, "allograph_jit": 5e-6},
]


def test_every_problem_grows_over_at_least_three_decades():
    assert {*scaling.GROWTHS} == {*workloads.NAMES}
    for name, growth in scaling.GROWTHS.items():
        least, most = growth.count(growth.values[0]), growth.count(growth.values[-1])
        assert most >= 1000 * least, name
        inputs = importlib.import_module(f"workloads.{name}").inputs
        assert inputs(**growth.size(growth.values[0]))


def test_the_crossover_is_the_size_after_the_last_where_numpy_is_faster():
    assert scaling.crossover(ROWS) == 100
    assert scaling.crossover(ROWS[1:]) == 100
    assert scaling.crossover(ROWS[:1]) is None


def test_the_cost_of_an_element_is_that_of_the_largest_size_measured():
    assert scaling.per_count(ROWS, "allograph_jit") == pytest.approx(5e-9)
    assert scaling.per_count(ROWS, "numpy") == pytest.approx(5e-8)
    assert scaling.per_count(ROWS, "jax") is None


@pytest.mark.slow
def test_a_run_writes_results_tables_and_the_plot(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(scaling, "SECONDS", 0.001)
    monkeypatch.setattr(scaling, "OPERATIONS", (10, 20))
    monkeypatch.setattr(scaling, "MEMORY", ())
    page, output, plot = (tmp_path / name for name in ("page.md", "new.json", "plot.svg"))
    page.write_text("<!-- scaling time -->\n<!-- end -->\n", "utf-8")
    options = ["--output", str(output), "--document", str(page), "--plot", str(plot)]
    scaling.main(["call_overhead", *options])
    record = json.loads(output.read_text("utf-8"))
    assert len(record["time"]["call_overhead"]) == 6 and len(record["compile"]) == 2
    assert "| call_overhead | 10 to 1,000,000 elements |" in page.read_text("utf-8")
    assert "call_overhead" in plot.read_text("utf-8")
