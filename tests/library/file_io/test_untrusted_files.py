"""What files say of names, sizes and structures is not believed."""

import gzip
import io
import os
import struct
import zlib

import numpy as np
import pytest

import allograph as ag
from allograph.library.example_parsing.examples import features_in
from allograph.library.file_io import untrusted_files as files
from allograph.library.file_io.array_format import array_from, write_array
from allograph.library.file_io.protobuf_wire import read_varint
from allograph.library.file_io.tfrecord import masked

DataLossError = ag.errors.DataLossError


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../a",
        "a/../../b",
        "/etc/passwd",
        "..",
        "C:\\a",
        "..\\a",
        "\\\\host\\a",
        "a\0b",
        5,
        None,
        "a" * 201,
        "\ud800",
    ],
)
def test_a_name_stays_in_its_folder(tmp_path, name):
    with pytest.raises(DataLossError):
        files.inside(tmp_path, name)


@pytest.mark.skipif(os.name == "nt", reason="links need a permission")
def test_a_name_does_not_leave_its_folder_by_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "out").symlink_to(tmp_path)
    assert files.inside(tmp_path / "folder", "a") == tmp_path / "folder" / "a"
    with pytest.raises(DataLossError, match="leaves the folder"):
        files.inside(tmp_path / "folder", "out/a")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(DataLossError, match="not a regular file"):
            files.file_bytes(path)


@pytest.mark.parametrize(
    "content", [b"[" * 200_000, b"[" * 101 + b"]" * 101, b"{", b"\xff", b"NaN", b"9" * 5000, b""]
)
def test_json_is_refused_where_it_is_nested_deeply_or_none(content):
    with pytest.raises(DataLossError):
        files.parse_json(content, "x.json")
    assert files.parse_json(b"[" * 100 + b"]" * 100, "x.json")


@pytest.mark.parametrize("shape", [[3], [-1], [2**62, 4], [2, True], ["2"], [1.0]])
def test_an_array_fills_its_buffer(shape):
    with pytest.raises(ValueError):
        files.array_of(b"12345678", np.dtype(np.float32), shape)


def test_a_bool_is_zero_or_one():
    with pytest.raises(ValueError, match="a bool is 0 or 1"):
        files.array_of(b"\x01\x02", np.dtype(np.bool_), [2])


# ---- arrays in NumPy's format ----------------------------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array(3, np.int8),
        np.array([True]),
        np.zeros((0, 2), np.complex64),
        np.arange(3, dtype=">i4"),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_an_array_reads_back(array):
    buffer = io.BytesIO()
    write_array(buffer, array)
    size = buffer.tell()
    buffer.seek(0)
    found = array_from(buffer, size)
    assert found.dtype.isnative and found.shape == array.shape
    np.testing.assert_array_equal(found, array)


def test_an_array_of_bfloat16_reads_back():
    pytest.importorskip("ml_dtypes")
    test_an_array_reads_back(np.array([1.5, -2.0], ag.as_dtype("bfloat16").numpy_dtype))


def array_bytes(header: str) -> bytes:
    content = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(content)) + content + bytes(16)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': 'V9', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "__import__('os').abort()",
        "(" * 100,
    ],
)
def test_an_array_with_another_header_is_refused(header):
    data = array_bytes(header)
    with pytest.raises(ValueError):
        array_from(io.BytesIO(data), len(data))


# ---- records and lines -----------------------------------------------------------------------


def records_of(path, **options):
    return list(ag.data.TFRecordDataset(str(path), **options).as_numpy_iterator())


def test_a_record_that_claims_to_be_long_takes_no_memory(tmp_path):
    head = struct.pack("<Q", 2**62)
    (tmp_path / "r").write_bytes(head + struct.pack("<I", masked(head)) + b"abc")
    with pytest.raises(DataLossError, match="truncated"):
        records_of(tmp_path / "r")


def test_a_long_record_of_a_compressed_file_is_refused(tmp_path):
    head = struct.pack("<Q", 2**40)
    content = head + struct.pack("<I", masked(head)) + bytes(1000)
    (tmp_path / "r").write_bytes(gzip.compress(content))
    with pytest.raises(DataLossError, match="a record has 1,099,511,627,776 bytes"):
        records_of(tmp_path / "r", compression_type="GZIP")


@pytest.mark.parametrize("compression_type", ["GZIP", "ZLIB"])
@pytest.mark.parametrize("damage", ["cut", "changed", "another format"])
def test_a_damaged_compressed_file_is_told(tmp_path, compression_type, damage):
    path = tmp_path / "r"
    with ag.io.TFRecordWriter(path, compression_type) as writer:
        for count in range(1000):
            writer.write(b"%d" % count)
    content = path.read_bytes()
    changed = bytes(byte ^ 255 for byte in content[100:200])
    path.write_bytes(
        {
            "cut": content[:-20],
            "changed": content[:100] + changed + content[200:],
            "another format": b"hello",
        }[damage]
    )
    with pytest.raises(DataLossError):
        records_of(path, compression_type=compression_type)


def test_a_file_that_zlib_compressed_is_inflated_in_parts(tmp_path):
    content = os.urandom(100) * 50_000
    (tmp_path / "z").write_bytes(zlib.compress(content))
    with open(tmp_path / "z", "rb") as file, io.BufferedReader(files.Inflated(file)) as handle:
        assert handle.read(7) == content[:7]
        assert handle.read() == content[7:]


def test_a_line_of_a_compressed_file_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("allograph.library.file_io.tfrecord.MOST_INFLATED", 1000)
    (tmp_path / "lines").write_bytes(gzip.compress(b"short\n" + bytes(5000)))
    lines = ag.data.TextLineDataset(str(tmp_path / "lines"), compression_type="GZIP")
    with pytest.raises(DataLossError, match="a line has more than 1,000 bytes"):
        list(lines)


def test_a_field_that_is_too_long_is_told(tmp_path):
    (tmp_path / "t.csv").write_text("1\n" + "9" * 200_000)
    with pytest.raises(DataLossError, match="field larger than field limit"):
        list(ag.data.experimental.CsvDataset(str(tmp_path / "t.csv"), [ag.int32]))


def test_a_table_without_rows_is_told(tmp_path):
    (tmp_path / "t.csv").write_text("")
    with pytest.raises(DataLossError, match="it has no row"):
        ag.data.experimental.make_csv_dataset(str(tmp_path / "t.csv"), 1)


@pytest.mark.slow
@pytest.mark.parametrize("foot", [0, 3])
def test_records_of_a_fixed_length_are_read_in_parts(tmp_path, foot):
    content = os.urandom(3_000_000)
    (tmp_path / "f").write_bytes(b"head" + content + bytes(foot))
    ds = ag.data.FixedLengthRecordDataset(str(tmp_path / "f"), 100, 4, foot)
    assert b"".join(ds.as_numpy_iterator()) == content


# ---- messages --------------------------------------------------------------------------------


def test_a_number_has_64_bits():
    assert read_varint(b"\xff" * 9 + b"\x01", 0) == (2**64 - 1, 10)
    for message in (b"\xff" * 1_000_000, b"\xff" * 9 + b"\x02", b"\x80" * 11 + b"\x00"):
        with pytest.raises(ValueError):
            read_varint(message, 0)


@pytest.mark.parametrize(
    "message", [b"\xff" * 100_000, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\x0a\x05"]
)
def test_a_string_that_is_no_example_is_refused(message):
    with pytest.raises(ag.errors.InvalidArgumentError):
        features_in(message)


def test_a_serialized_tensor_with_huge_axes_is_refused():
    axis = b"\x08" + b"\xff" * 9 + b"\x01"
    shape = b"\x12" + bytes([len(axis)]) + axis
    message = b"\x08\x01\x12" + bytes([len(shape)]) + shape + b"\x22\x00"
    with pytest.raises(ag.errors.InvalidArgumentError):
        ag.io.parse_tensor(message, ag.float32)


# ---- datasets and weights --------------------------------------------------------------------


def test_a_dataset_fulfills_its_specification(tmp_path):
    ag.data.Dataset.range(3).save(str(tmp_path / "d"))
    (tmp_path / "d" / "spec.json").write_text('{"tensor": [[5], "float32"]}')
    with pytest.raises(DataLossError, match="is not TensorSpec"):
        list(ag.data.Dataset.load(str(tmp_path / "d")))


def test_an_empty_file_of_elements_is_told(tmp_path):
    ag.data.Dataset.range(3).save(str(tmp_path / "d"))
    (tmp_path / "d" / "elements").write_bytes(b"")
    with pytest.raises(DataLossError):
        list(ag.data.Dataset.load(str(tmp_path / "d")))


def dense_model():
    model = ag.keras.Sequential([ag.keras.layers.Dense(2)])
    model(ag.ones([1, 3]))
    return model


def test_weights_of_another_model_change_nothing(tmp_path):
    other = ag.keras.Sequential([ag.keras.layers.Dense(2), ag.keras.layers.Dense(4)])
    other(ag.ones([1, 3]))
    other.save_weights(tmp_path / "other.npz")
    model = dense_model()
    before = model.get_weights()
    with pytest.raises(ValueError, match="has 4 arrays, not 2"):
        model.load_weights(tmp_path / "other.npz")
    np.savez(tmp_path / "shapes.npz", before[0], np.zeros(7))
    with pytest.raises(ValueError, match=r"arr_1.npy has the shape \(7,\), not \(2,\)"):
        model.load_weights(tmp_path / "shapes.npz")
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04K\x01."])
def test_weights_that_are_none_are_told(tmp_path, content):
    (tmp_path / "w.npz").write_bytes(content)
    with pytest.raises(DataLossError):
        dense_model().load_weights(tmp_path / "w.npz")


def test_pickled_weights_are_not_unpickled(tmp_path):
    np.savez(tmp_path / "w.npz", np.array([{}], object), np.zeros(2))
    with pytest.raises(DataLossError, match="there are no tensors of object"):
        dense_model().load_weights(tmp_path / "w.npz")
