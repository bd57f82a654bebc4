"""`allograph cache`: what is on disk, and how it goes away."""

import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.tools.commands import allograph


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A cache with two kernels of one set of versions, one of another, and what a crash left."""
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))
    for versions, letter in (("1-2-3", "a"), ("1-2-3", "b"), ("9-9-9", "c")):
        home = tmp_path / f"kernels-{versions}"
        (home / "__pycache__").mkdir(parents=True, exist_ok=True)
        name = "kernel_" + letter * 20
        (home / f"{name}.py").write_text("def kernel(): pass\n")
        (home / "__pycache__" / f"{name}.f-1.py311.1.nbc").write_bytes(bytes(2000))
    (home / "left.tmp").write_bytes(bytes(10))
    (tmp_path / "of the user").write_text("stays")
    return tmp_path


def run(*words) -> str:
    done = CliRunner().invoke(allograph, ["cache", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_size_of_all_kernels_is_shown(store):
    assert run() == f"{store}: 3 kernels, 6.1 kB\n"


def test_kernels_of_every_version_are_listed(store):
    lines = run("list").splitlines()
    assert sorted(line.split()[0][-1] for line in lines) == ["a", "b", "c"]
    assert {line.split()[-1] for line in lines} == {"1-2-3", "9-9-9"}


def test_clearing_removes_the_cache_and_nothing_else(store):
    assert run("clear") == "removed 3 kernels, 6.1 kB\n"
    assert [path.name for path in store.rglob("*")] == ["of the user"]
    assert run() == f"{store}: 0 kernels, 0 B\n"


def test_an_absent_cache_is_empty(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "nowhere"))
    assert (run("list"), ag.kernel_cache.clear()) == ("", 0)


def test_a_stored_kernel_tells_its_source(store):
    assert {kernel.source for kernel in ag.kernel_cache.kernels()} == {"def kernel(): pass\n"}


WARMED = """
import allograph as ag


@ag.function
def settle(x):
    while ag.reduce_sum(x) > 1.0:
        x = ag.tanh(x) * 0.9
    return x


def texts(x):
    return ag.strings.upper(x)
"""


NORM = """
import allograph as ag


@ag.function(jit_compile=True)
def norm(x):
    return ag.sqrt(ag.reduce_sum(x * x * 1.375))
"""


def test_kernels_tell_what_they_were_compiled_for(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "norms.py"
    path.write_text(NORM, encoding="utf-8")
    run("warm", f"{path}:norm", "float32[77]")
    (kernel,) = ag.kernel_cache.kernels()
    assert kernel.origin == f"norm at {path}:7"
    assert run("list").endswith(f"  norm at {path}:7\n")


def test_what_a_file_says_of_its_origin_is_only_shown(store):
    path = next(store.rglob("*.py"))
    hostile = "def kernel(): pass\n# compiled for \x1b[31mf\x07\u202e at \r"
    path.write_bytes(hostile.encode() + b"\xff" + b"A" * 100 + b"\n")
    line = next(line for line in run("list").splitlines() if "AAA" in line)
    assert line.isprintable() and "?[31mf?? at ?" in line
    path.write_bytes(b"# compiled for " + b"A" * 100_000)
    assert "AAA" not in run("list")


@pytest.mark.slow
def test_warming_compiles_a_function_for_later_programs(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "warmed.py"
    path.write_text(WARMED, encoding="utf-8")
    assert run("list") == ""
    assert "settle: 1 kernel in" in run("warm", f"{path}:settle", "float32[1000]")
    assert len(run("list").splitlines()) == 1
    done = CliRunner().invoke(allograph, ["cache", "warm", f"{path}:texts", "string[2]"])
    assert (done.exit_code, "no native code" in done.output) == (1, True)
