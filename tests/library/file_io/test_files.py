"""Files: read and written by graphs, and `io.gfile`."""

import os

import pytest

import allograph as ag

gfile = ag.io.gfile


def test_a_graph_reads_and_writes_in_program_order(tmp_path):
    path = str(tmp_path / "new" / "a.txt")

    @ag.function
    def f(text):
        ag.io.write_file(path, text)
        before = ag.io.read_file(path)
        ag.io.write_file(path, text + "!")
        return before, ag.io.read_file(path)

    assert [t.numpy() for t in f(ag.constant("one"))] == [b"one", b"one!"]
    assert [t.numpy() for t in f(ag.constant("two"))] == [b"two", b"two!"]


def test_a_missing_file_is_told_when_the_graph_runs():
    f = ag.function(lambda path: ag.io.read_file(path))
    with pytest.raises(ag.errors.NotFoundError, match="there is no file '/nowhere/x'"):
        f(ag.constant("/nowhere/x"))


def test_patterns_find_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    found = ag.io.matching_files(str(tmp_path / "*.txt")).numpy().tolist()
    assert [os.path.basename(path.decode()) for path in found] == ["a.txt", "b.txt"]
    assert gfile.glob([str(tmp_path / "*.csv"), str(tmp_path / "a*")])[0].endswith("c.csv")


def test_a_file_is_written_appended_and_read(tmp_path):
    path = tmp_path / "a.txt"
    with gfile.GFile(path, "w") as f:
        f.write("one\n")
    with gfile.GFile(str(path), "a") as f:
        f.write("two\n")
        assert f.size() == 8
    with gfile.GFile(path) as f:
        assert f.readline() == "one\n" and f.tell() == 4
        f.seek(0)
        assert list(f) == ["one\n", "two\n"]
    with gfile.GFile(path, "rb") as f:
        assert f.read(3) == b"one" and f.read() == b"\ntwo\n"


def test_an_empty_file_is_made(tmp_path):
    with gfile.GFile(tmp_path / "a", "w"):
        pass
    assert gfile.exists(tmp_path / "a") and gfile.stat(tmp_path / "a").length == 0


def test_folders(tmp_path):
    inner = gfile.join(str(tmp_path), "x", "y")
    gfile.makedirs(inner)
    gfile.makedirs(inner)
    assert gfile.isdir(inner) and gfile.listdir(str(tmp_path)) == ["x"]
    with pytest.raises(ag.errors.AlreadyExistsError):
        gfile.mkdir(inner)
    with pytest.raises(ag.errors.NotFoundError):
        gfile.mkdir(tmp_path / "no" / "such")
    assert [names for _, names, _ in gfile.walk(str(tmp_path))] == [["x"], ["y"], []]
    gfile.rmtree(str(tmp_path / "x"))
    assert gfile.listdir(str(tmp_path)) == []


def test_names_are_not_taken_by_accident(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")
    for change in (gfile.copy, gfile.rename):
        with pytest.raises(ag.errors.AlreadyExistsError, match="overwrite=True"):
            change(one, other)
    gfile.copy(one, other, overwrite=True)
    assert other.read_text() == "1"
    gfile.rename(one, other, overwrite=True)
    assert not gfile.exists(one)
    gfile.remove(other)
    assert not gfile.exists(other)


@pytest.mark.parametrize(
    "use",
    [gfile.listdir, gfile.remove, gfile.rmtree, gfile.stat, lambda p: gfile.GFile(p).read()],
)
def test_what_is_missing_is_told(use, tmp_path):
    with pytest.raises(ag.errors.NotFoundError):
        use(str(tmp_path / "missing"))
