"""The page of ten programs: its table, its chart, and the programs that it measures."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark():
    path = ROOT / "benchmarks" / "ten_programs.py"
    spec = importlib.util.spec_from_file_location("ten_programs_of_the_benchmarks", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def test_the_table_and_the_chart_have_every_program(benchmark):
    page = (ROOT / "docs" / "ten_programs.md").read_text(encoding="utf-8")
    chart = (ROOT / "docs" / "ten_programs.svg").read_text(encoding="utf-8")
    titles = [program.title for program in benchmark.PROGRAMS.values()]
    assert len(titles) == 10
    assert [title for title in titles if f"| {title} |" not in page or title not in chart] == []


@pytest.mark.slow
def test_a_program_that_is_measured_is_put_into_the_page(benchmark, tmp_path, monkeypatch):
    page, plot = tmp_path / "page.md", tmp_path / "plot.svg"
    page.write_text("<!-- ten programs -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    command = ["ten_programs.py", "k_means", "--rounds", "1", "--document", str(page)]
    monkeypatch.setattr(sys, "argv", [*command, "--plot", str(plot)])
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("ALLOGRAPH_THREADS", "1")
    benchmark.main()
    written = page.read_text(encoding="utf-8")
    assert "old" not in written
    assert "| k-means |" in written and written.endswith("after\n")
    assert "prefers-color-scheme: dark" in plot.read_text(encoding="utf-8")
