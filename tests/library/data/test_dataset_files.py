"""Datasets of files: records and their checksums, lines, pieces, tables, saved datasets."""

import gzip
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.library.file_io import tfrecord

Dataset = ag.data.Dataset


def texts(dataset):
    return list(dataset.as_numpy_iterator())


# ---- checksums -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data, checksum",
    [  # the examples of RFC 3720, appendix B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
        (b"", 0),
    ],
)
def test_known_checksums(data, checksum):
    assert tfrecord.crc32c(data) == checksum


def bitwise(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (tfrecord.POLYNOMIAL if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.slow
@given(st.binary(max_size=64), st.integers(4000, 4700))
def test_long_texts_have_the_checksum_of_the_definition(data, size):
    long = (data + b"x") * (size // (len(data) + 1) + 1)
    assert tfrecord.crc32c(long[:size]) == bitwise(long[:size])


# ---- records -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_come_back(tmp_path, kind):
    path = tmp_path / "some.tfrecord"
    content = [b"", b"ab", bytes(5000)]
    with ag.io.TFRecordWriter(path, ag.io.TFRecordOptions(kind)) as writer:
        for record in content:
            writer.write(record)
    assert texts(ag.data.TFRecordDataset(path, compression_type=kind)) == content


def test_the_bytes_of_a_record(tmp_path):
    """Source: the table of the record format; the checksums are those of the format's users."""
    path = tmp_path / "one.tfrecord"
    with ag.io.TFRecordWriter(str(path)) as writer:
        writer.write(ag.constant("abc"))
    data = path.read_bytes()
    assert (data[:8], data[12:15], len(data)) == (struct.pack("<Q", 3), b"abc", 19)
    assert struct.unpack("<I", data[8:12])[0] == tfrecord.masked(data[:8])


def test_several_files_and_a_dataset_of_names(tmp_path):
    names = [str(tmp_path / name) for name in "ab"]
    for name in names:
        with ag.io.TFRecordWriter(name) as writer:
            writer.write(name[-1].encode())
    assert texts(ag.data.TFRecordDataset(names)) == [b"a", b"b"]
    named = Dataset.from_tensor_slices(names)
    assert texts(ag.data.TFRecordDataset(named)) == [b"a", b"b"]
    assert texts(named.interleave(ag.data.TFRecordDataset)) == [b"a", b"b"]


@pytest.mark.parametrize("place", [0, 9, 13, -1])
def test_a_changed_byte_is_found(tmp_path, place):
    path = tmp_path / "bad.tfrecord"
    with ag.io.TFRecordWriter(path) as writer:
        writer.write(b"abc")
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ag.errors.DataLossError, match="corrupted"):
        texts(ag.data.TFRecordDataset(path))


@pytest.mark.parametrize("size", [5, 13, 18])
def test_a_file_that_is_cut_off_is_found(tmp_path, size):
    path = tmp_path / "cut.tfrecord"
    with ag.io.TFRecordWriter(path) as writer:
        writer.write(b"abc")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ag.errors.DataLossError, match="truncated"):
        texts(ag.data.TFRecordDataset(path))


def test_a_missing_file_is_missed_when_it_is_read(tmp_path):
    ds = ag.data.TFRecordDataset(tmp_path / "none")
    with pytest.raises(ag.errors.NotFoundError, match="none"):
        texts(ds)


def test_a_record_is_bytes(tmp_path):
    with ag.io.TFRecordWriter(tmp_path / "x") as writer, pytest.raises(TypeError, match="bytes"):
        writer.write("text")


def test_an_unknown_compression_is_refused(tmp_path):
    with pytest.raises(ag.errors.InvalidArgumentError, match="LZ4"):
        ag.data.TFRecordDataset(tmp_path / "x", "LZ4")


# ---- lines and pieces ----------------------------------------------------------------------


def test_lines_lose_their_ends(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a\r\n\nb \nc")
    assert texts(ag.data.TextLineDataset(str(path))) == [b"a", b"", b"b ", b"c"]
    zipped = tmp_path / "lines.gz"
    zipped.write_bytes(gzip.compress(b"x\ny"))
    assert texts(ag.data.TextLineDataset([zipped], "GZIP")) == [b"x", b"y"]


def test_lines_inside_a_function(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("1\n20\n300\n")

    @ag.function
    def summed(name):
        s = 0
        for line in ag.data.TextLineDataset(name).skip(1):
            s += ag.strings.to_number(line, ag.int32)
        return s

    assert int(summed(ag.constant(str(path)))) == 320


def test_pieces_of_one_length(tmp_path):
    path = tmp_path / "pieces"
    path.write_bytes(b"HEADaabbccFT")
    ds = ag.data.FixedLengthRecordDataset(path, 2, header_bytes=4, footer_bytes=2)
    assert texts(ds) == [b"aa", b"bb", b"cc"]
    packed = tmp_path / "packed"
    packed.write_bytes(zlib.compress(b"aabb"))
    assert texts(ag.data.FixedLengthRecordDataset(packed, 2, compression_type="ZLIB")) == [
        b"aa",
        b"bb",
    ]
    with pytest.raises(ag.errors.DataLossError, match="multiple"):
        texts(ag.data.FixedLengthRecordDataset(path, 5))


def test_files_that_match(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text("")
    pattern = str(tmp_path / "*.txt")
    found = texts(Dataset.list_files(pattern, shuffle=False))
    assert [name.decode()[-5:] for name in found] == ["a.txt", "b.txt"]
    assert sorted(texts(Dataset.list_files([pattern], seed=1))) == found
    with pytest.raises(ag.errors.NotFoundError, match="xyz"):
        Dataset.list_files(str(tmp_path / "*.xyz"))


# ---- tables --------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('name,size,share\n"a, b",1,0.5\nc,,2e3\n')
    return str(path)


def rows(dataset):
    return [tuple(part.numpy().tolist() if hasattr(part.numpy(), "tolist") else part.numpy()
                  for part in row) for row in dataset]  # fmt: skip


def test_a_table_has_typed_columns(table):
    ds = ag.data.experimental.CsvDataset(table, [ag.string, [7], 0.0], header=True)
    assert [spec.dtype for spec in ds.element_spec] == [ag.string, ag.int32, ag.float32]
    assert rows(ds) == [(b"a, b", 1, 0.5), (b"c", 7, 2000.0)]


def test_columns_may_be_selected(table):
    kind = ag.data.experimental.CsvDataset
    assert rows(kind(table, [0.0], header=True, select_cols=[2])) == [(0.5,), (2000.0,)]
    left = kind(table, [ag.string, 0.0], header=True, exclude_cols=[1])
    assert rows(left) == [(b"a, b", 0.5), (b"c", 2000.0)]
    with pytest.raises(ag.errors.InvalidArgumentError, match="select_cols"):
        kind(table, [0.0], select_cols=[1, 0])


@pytest.mark.parametrize(
    "defaults, message",
    [
        ([ag.string, ag.int32, ag.float32], "required but missing"),
        ([ag.int32, 0, 0.0], "not a valid int32"),
        ([ag.string, 0, 0.0, 0], "expected field 3"),
    ],
)
def test_rows_that_do_not_fit_are_refused(table, defaults, message):
    ds = ag.data.experimental.CsvDataset(table, defaults, header=True)
    with pytest.raises(ag.errors.InvalidArgumentError, match=message):
        list(ds)


def test_other_delimiters_and_missing_values(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text('1;"2\nNA;3\n')
    kind = ag.data.experimental.CsvDataset
    ds = kind(str(path), [-1, ""], field_delim=";", use_quote_delim=False, na_value="NA")
    assert rows(ds) == [(1, b'"2'), (-1, b"3")]


def test_named_tables_come_in_batches(table):
    make = ag.data.experimental.make_csv_dataset
    ds = make(table, 2, label_name="share", num_epochs=1, shuffle=False)
    ((features, label),) = ds.as_numpy_iterator()
    assert features["name"].tolist() == [b"a, b", b"c"]
    assert features["size"].tolist() == [1, 0] and features["size"].dtype == np.int32
    assert label.tolist() == [0.5, 2000.0]
    endless = make(table, 3, select_columns=["size"], column_defaults=[ag.constant(5)])
    assert endless.element_spec == {"size": ag.TensorSpec([3], ag.int32)}
    first = next(iter(endless))["size"].numpy().tolist()
    assert set(first) == {1, 5}
    with pytest.raises(ValueError, match="weight"):
        make(table, 2, label_name="weight")


# ---- operations on files -------------------------------------------------------------------


def test_files_are_written_and_read_in_functions(tmp_path):
    @ag.function
    def shout(source, target):
        text = ag.io.read_file(source)
        ag.io.write_file(target, text + "!")
        return ag.io.read_file(target)

    (tmp_path / "a.txt").write_bytes(b"hey")
    target = str(tmp_path / "new" / "b.txt")
    assert shout(ag.constant(str(tmp_path / "a.txt")), ag.constant(target)).numpy() == b"hey!"
    found = ag.io.matching_files([str(tmp_path / "*.txt"), str(tmp_path / "*" / "*.txt")])
    assert [name[-5:] for name in found.numpy()] == [b"a.txt", b"b.txt"]
    assert ag.io.matching_files(str(tmp_path / "*.xyz")).shape == (0,)
    with pytest.raises(ag.errors.NotFoundError, match="none"):
        ag.io.read_file(str(tmp_path / "none"))


def test_the_content_of_listed_files(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(2 * name)
    ds = Dataset.list_files(str(tmp_path / "*"), shuffle=False).map(ag.io.read_file)
    assert texts(ds) == [b"aa", b"bb"]


def test_lines_are_split_into_fields_in_map():
    def parsed(line):
        name, size = ag.io.decode_csv(line, ["", [7]], field_delim=";")
        return {"name": name, "size": 2 * size}

    ds = Dataset.from_tensor_slices(["a;1", "b;"]).map(parsed)
    assert [(row["name"], int(row["size"])) for row in ds.as_numpy_iterator()] == [
        (b"a", 2),
        (b"b", 14),
    ]
    required = [ag.constant([], ag.int32)]
    assert ag.io.decode_csv([["1"], ["2"]], required)[0].numpy().tolist() == [[1], [2]]
    with pytest.raises(ag.errors.InvalidArgumentError, match="required"):
        ag.io.decode_csv(["a,"], ["", *required])


def test_numbers_from_bytes():
    data = np.array([[1, 2], [3, 4]], ">i4")
    raw = ag.constant([row.tobytes() for row in data])
    decoded = ag.io.decode_raw(raw, ag.int32, little_endian=False)
    assert decoded.numpy().tolist() == data.tolist() and decoded.dtype == ag.int32
    with pytest.raises(ag.errors.InvalidArgumentError, match="decode_raw"):
        ag.io.decode_raw(["abc", "d"], ag.uint8)


# ---- saved datasets ------------------------------------------------------------------------


def test_a_saved_dataset_comes_back(tmp_path):
    ds = Dataset.from_tensor_slices(
        {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "t": (["a", "bb", ""], [1, 2, 3])}
    )
    ds.save(str(tmp_path / "kept"))
    again = Dataset.load(tmp_path / "kept")
    assert again.element_spec == ds.element_spec
    assert len(again) == 3
    assert str(list(again.as_numpy_iterator())) == str(list(ds.as_numpy_iterator()))
    with pytest.raises(ag.errors.NotFoundError, match="no saved dataset"):
        Dataset.load(tmp_path / "other")


def test_a_dataset_of_datasets_is_not_saved(tmp_path):
    with pytest.raises(ag.errors.InvalidArgumentError, match="cannot be saved"):
        Dataset.range(3).window(2).save(tmp_path / "kept")
