"""Files of generated code, in which debuggers stop in the generated view."""

import linecache

import pytest

import allograph as ag


def function_named(name):
    file, source = f"<{name}>", f"def {name}(x):\n    return x if x > 0 else -x\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


@pytest.fixture
def generated_in(monkeypatch):
    def use(folder):
        monkeypatch.setenv("ALLOGRAPH_VIEW", "generated")
        monkeypatch.setenv("ALLOGRAPH_GENERATED_DIR", str(folder))

    return use


def test_a_long_name_has_a_file_of_its_own(tmp_path, generated_in):
    generated_in(tmp_path)
    size = ag.function(function_named("long_" * 60))
    assert int(size(ag.constant(-3))) == 3
    (file,) = tmp_path.iterdir()
    assert "def tf__long_" in file.read_text(encoding="utf-8")


def test_without_a_place_for_files_the_code_runs_without_lines(tmp_path, generated_in):
    taken = tmp_path / "taken"
    taken.write_text("no folder", encoding="utf-8")
    generated_in(taken / "made")
    size = ag.function(function_named("homeless"))
    with pytest.warns(UserWarning, match="no file for the generated code"):
        assert int(size(ag.constant(-3))) == 3
