"""Tables from keys to values, of text files."""

import pytest

import allograph as ag


def table_of(path, key_index=0, value_index=1, value_dtype=ag.int64):
    content = ag.lookup.TextFileInitializer(
        str(path), ag.string, key_index, value_dtype, value_index
    )
    return ag.lookup.StaticHashTable(content, -1)


def test_columns_and_numbers_of_lines_are_keys_and_values(tmp_path):
    (tmp_path / "t.txt").write_text("a\t7\nb\t8\n")
    words, numbers = ag.constant(["b", "c"]), ag.lookup.TextFileIndex.LINE_NUMBER
    assert table_of(tmp_path / "t.txt").lookup(words).numpy().tolist() == [8, -1]
    by_line = table_of(tmp_path / "t.txt", value_index=numbers)
    assert by_line.lookup(words).numpy().tolist() == [1, -1]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("a\t7\nb\n", "line 2 .* has 1 columns, none at 1"),
        ("a\t7\nb\tx\n", "line 2 .* 'x' is not a number of int64"),
        ("a\t99999999999999999999\n", "line 1 .* is not a number of int64"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path, text, reason):
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(ag.errors.InvalidArgumentError, match=reason):
        table_of(tmp_path / "t.txt")


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "t.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ag.errors.DataLossError, match="t.txt"):
        table_of(tmp_path / "t.txt")
    with pytest.raises(ag.errors.NotFoundError):
        table_of(tmp_path / "nothing.txt")
