"""Summaries: what is written when, and files that other readers understand."""

import struct
import threading
import zlib

import numpy as np
import pytest

import allograph as ag
from allograph.library.file_io.tfrecord import masked
from allograph.library.tensorboard.event_files import png, varint


@pytest.fixture
def writer(tmp_path):
    return ag.summary.create_file_writer(tmp_path)


# ---- a small reader, written from the formats ------------------------------------------------


def fields(data):
    """The fields of a message: lists of values by number."""
    found, at = {}, 0

    def number():
        nonlocal at
        made = shift = 0
        while True:
            byte = data[at]
            at += 1
            made |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return made

    while at < len(data):
        key = number()
        if key & 7 == 0:
            value = number()
        else:
            size = {1: 8, 5: 4, 2: None}[key & 7]
            size = number() if size is None else size
            value, at = data[at : at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def events(folder):
    """Every event of the only file in a folder, its checksums tried."""
    (path,) = folder.glob("events.out.tfevents.*")
    data, made = path.read_bytes(), []
    while data:
        assert data[8:12] == struct.pack("<I", masked(data[:8]))
        size = struct.unpack("<Q", data[:8])[0]
        body = data[12 : 12 + size]
        assert data[12 + size : 16 + size] == struct.pack("<I", masked(body))
        made.append(fields(body))
        data = data[16 + size :]
    return made


def values(folder):
    """(step, tag, plugin, tensor fields) of every summary."""
    rows = []
    for one in events(folder):
        for body in one.get(5, ()):
            (value,) = fields(body)[1]
            value = fields(value)
            metadata = fields(value[9][0])
            plugin = fields(metadata[1][0])[1][0].decode() if 1 in metadata else ""
            rows.append((one[2][0], value[1][0].decode(), plugin, fields(value[8][0])))
    return rows


def number(tensor):
    return struct.unpack("<f", tensor[4][0])[0]


# ---- what is written -------------------------------------------------------------------------


def test_a_file_begins_with_its_version(writer, tmp_path):
    assert [one[3] for one in events(tmp_path)] == [[b"brain.Event:2"]]


def test_scalars_are_written_eagerly(writer, tmp_path):
    with writer.as_default():
        assert bool(ag.summary.scalar("loss", 0.5, step=3))
        ag.summary.scalar("loss", ag.constant(2), step=ag.constant(4))
    rows = values(tmp_path)
    assert [(step, tag, plugin) for step, tag, plugin, _ in rows] == [
        (3, "loss", "scalars"), (4, "loss", "scalars"),
    ]  # fmt: skip
    assert [number(row[3]) for row in rows] == [0.5, 2.0]


def test_a_function_writes_on_every_call_in_program_order(writer, tmp_path):
    @ag.function
    def f(k):
        with writer.as_default():
            ag.summary.scalar("a", k, step=k)
            for i in ag.range(2):
                ag.summary.scalar("b", i, step=k)

    for k in (1, 2):
        f(ag.constant(k))
    assert [(row[0], row[1]) for row in values(tmp_path)] == [
        (1, "a"), (1, "b"), (1, "b"), (2, "a"), (2, "b"), (2, "b"),
    ]  # fmt: skip


def test_a_step_may_be_a_variable(writer, tmp_path):
    step = ag.Variable(0, dtype=ag.int64)
    ag.summary.experimental.set_step(step)

    @ag.function
    def f():
        step.assign_add(1)
        with writer.as_default():
            ag.summary.scalar("x", 1.0)

    try:
        f()
        f()
    finally:
        ag.summary.experimental.set_step(None)
    assert [row[0] for row in values(tmp_path)] == [1, 2]


def test_a_writer_brings_a_default_step(writer, tmp_path):
    with writer.as_default(step=7):
        assert ag.summary.experimental.get_step() == 7
        ag.summary.scalar("x", 1.0)
    assert values(tmp_path)[0][0] == 7
    assert ag.summary.experimental.get_step() is None


def test_a_summary_needs_a_step(writer):
    with writer.as_default(), pytest.raises(ValueError, match="has no step"):
        ag.summary.scalar("x", 1.0)


def test_nothing_is_written_without_a_writer(writer, tmp_path):
    assert not bool(ag.summary.scalar("x", 1.0))
    with writer.as_default(), ag.summary.create_noop_writer().as_default():
        assert not bool(ag.summary.scalar("x", 1.0, step=1))
    assert values(tmp_path) == []


def test_record_if_decides_when_the_program_runs(writer, tmp_path):
    @ag.function
    def f(k):
        with writer.as_default(), ag.summary.record_if(k % 2 == 0):
            return ag.summary.scalar("x", k, step=k)

    assert [bool(f(ag.constant(k))) for k in range(4)] == [True, False, True, False]
    assert [row[0] for row in values(tmp_path)] == [0, 2]


def test_name_scopes_are_part_of_the_tag(writer, tmp_path):
    with writer.as_default(step=0), ag.name_scope("train"):
        ag.summary.scalar("loss", 1.0)
    assert values(tmp_path)[0][1] == "train/loss"


def test_histograms_count(writer, tmp_path):
    with writer.as_default(step=0):
        ag.summary.histogram("h", [0.0, 0.1, 0.9, 1.0], buckets=2)
        ag.summary.histogram("same", [3.0, 3.0], buckets=2)
    rows = [
        np.frombuffer(row[3][4][0]).reshape(2, 3).tolist()
        for row in values(tmp_path)
        if row[2] == "histograms"
    ]
    assert rows == [[[0.0, 0.5, 2.0], [0.5, 1.0, 2.0]], [[3.0, 3.0, 0.0], [3.0, 3.0, 2.0]]]


def test_images_are_png_files(writer, tmp_path):
    with writer.as_default(step=0):
        ag.summary.image("i", np.ones([5, 2, 3, 1], np.float32), max_outputs=2)
    (row,) = values(tmp_path)
    width, height, *files = row[3][8]
    assert (width, height, len(files)) == (b"3", b"2", 2)
    assert files[0] == png(np.full([2, 3, 1], 255, np.uint8))


def test_a_png_holds_the_pixels():
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    data = png(pixels)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (4, 2)
    start = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[start - 4 : start])
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + size]), np.uint8)
    assert rows.reshape(2, 13)[:, 1:].reshape(pixels.shape).tolist() == pixels.tolist()


def test_texts_are_written(writer, tmp_path):
    with writer.as_default(step=0):
        ag.summary.text("t", ["one", "two"])
        ag.summary.text("t", "three")
    assert [row[3][8] for row in values(tmp_path)] == [[b"one", b"two"], [b"three"]]


def test_a_graph_is_written(writer, tmp_path):
    concrete = ag.function(lambda x: ag.tanh(x) + 1).get_concrete_function(ag.constant(1.0))
    with writer.as_default():
        ag.summary.graph(concrete.graph)
    writer.flush()
    (body,) = events(tmp_path)[1][4]
    assert b"Tanh" in [fields(node)[2][0] for node in fields(body)[1]]


@pytest.mark.parametrize(
    "write",
    [
        lambda: ag.summary.scalar("x", [1.0, 2.0], step=0),
        lambda: ag.summary.image("x", [1.0, 2.0], step=0),
        lambda: ag.summary.text("x", 1.0, step=0),
    ],
)
def test_what_does_not_fit_is_refused(writer, write):
    with writer.as_default(), pytest.raises(ag.errors.InvalidArgumentError):
        write()


def test_a_closed_writer_writes_no_more(writer):
    with writer.as_default(step=0):
        writer.close()
        with pytest.raises(RuntimeError, match="closed"):
            ag.summary.scalar("x", 1.0)
    with pytest.raises(RuntimeError, match="closed"), writer.as_default():
        pass


def test_threads_write_whole_records(writer, tmp_path):
    def write(k):
        with writer.as_default(step=k):
            for _ in range(20):
                ag.summary.scalar("x", 1.0)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(values(tmp_path)) == 80


def test_negative_steps_are_encoded_in_64_bits():
    assert varint(-1) == b"\xff" * 9 + b"\x01"


def test_tensorboard_reads_the_file(writer, tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with writer.as_default(step=2):
        ag.summary.scalar("loss", 0.25)
        ag.summary.text("t", "hello")
        ag.summary.histogram("h", [1.0, 2.0])
        ag.summary.image("i", np.zeros([1, 2, 2, 3]))
    found = accumulator.EventAccumulator(str(tmp_path)).Reload()
    (loss,) = found.Tensors("loss")
    assert (loss.step, loss.tensor_proto.dtype) == (2, 1)
    assert sorted(found.Tags()["tensors"]) == ["h", "i", "loss", "t"]
