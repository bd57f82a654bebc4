"""Good files of the formats that programs read, the parts of them to change, and readers."""

import contextlib
import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import allograph as ag
from allograph.library.file_io.tfrecord import encode_record
from allograph.library.saved.graph_parser import parse_all
from allograph.runtime.jit.loader import elf

ERRORS = (ag.errors.DataLossError, ag.errors.NotFoundError, ag.errors.UnimplementedError,
          ag.errors.PermissionDeniedError)  # fmt: skip


class Point(NamedTuple):
    x: object
    y: object


class Saved(ag.Module):
    def __init__(self):
        self.parts = [ag.Variable([1.0, 2.0]), {"a": ag.Variable(["x", "yz"])}]
        self.table = ag.constant(np.arange(2000.0))

    @ag.function(input_signature=[ag.TensorSpec([None]), ag.TensorSpec([], ag.int32)])
    def __call__(self, x, n):
        for i in ag.range(n):
            if ag.reduce_sum(x) > 3.0:
                x = ag.tanh(x) + self.parts[0][0] * ag.cast(i, ag.float32)
            else:
                x = ag.reshape(ag.concat([x, [1.5, -2.5]], 0)[1:-1], [-1])
        if n > 1000:
            raise ValueError(f"too many: {n:>4}", [n]) from KeyError("n")
        y = ag.gather(self.table, [0, 5]) + ag.constant(np.arange(40.0))[:2]
        return Point(x, {"y": y, "text": ag.strings.join([self.parts[1]["a"], ["!", "?"]])})


class Layer(NamedTuple):
    """A part of a file that is changed: its content, and how the file is made of another one."""

    path: Path
    content: bytes
    file: Callable[[bytes], bytes] = bytes


class Format(NamedTuple):
    """Good files in a folder, the parts of them that are changed, and how they are read."""

    write: Callable[[Path], object]
    layers: Callable[[Path], list[Layer]]
    read: Callable[[Path], object]
    errors: tuple = ERRORS


def whole(pattern: str) -> Callable[[Path], list[Layer]]:
    return lambda folder: [Layer(path, path.read_bytes()) for path in sorted(folder.glob(pattern))]


def saved_module(folder: Path) -> None:
    ag.saved_model.save(Saved(), folder)


def tensor_layers(folder: Path) -> list[Layer]:
    """The whole file, its header, and for checkpoints the objects in its metadata."""
    (path,) = folder.glob("*.safetensors")
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, data = content[8 : 8 + size], content[8 + size :]
    layers = [
        Layer(path, content),
        Layer(path, header, lambda text: len(text).to_bytes(8, "little") + text + data),
        Layer(path, data, lambda other: _signed(header, other)),
    ]
    metadata = json.loads(header)["__metadata__"]
    for key, text in metadata.items():
        layers.append(Layer(path, text.encode(), partial(_with, header, data, key)))
    return layers


def _signed(header: bytes, data: bytes) -> bytes:
    """Changed data with its checksum."""
    old = json.loads(json.loads(header)["__metadata__"]["allograph"])["crc32"]
    header = header.replace(str(old).encode(), str(zlib.crc32(data)).encode())
    return len(header).to_bytes(8, "little") + header + data


def _with(header: bytes, data: bytes, key: str, text: bytes) -> bytes:
    """The file with other metadata."""
    content = json.loads(header)
    content["__metadata__"][key] = text.decode("utf-8", "replace")
    encoded = json.dumps(content).encode()
    return len(encoded).to_bytes(8, "little") + encoded + data


def checkpoint(folder: Path) -> None:
    module = ag.Module()
    module.layers = [ag.Variable(np.arange(6.0)), {"b": ag.Variable(["a", "bc"])}]
    module.c = ag.Variable(np.complex64([1j]))
    ag.train.Checkpoint(module=module, step=ag.Variable(3)).save(folder / "ck")


def read_checkpoint(folder: Path) -> None:
    module = ag.Module()
    module.layers = [ag.Variable(np.arange(6.0)), {"b": ag.Variable(["a", "bc"])}]
    module.c = ag.Variable(np.complex64([1j]))
    try:
        ag.train.Checkpoint(module=module, step=ag.Variable(3)).restore(folder / "ck-1")
    except ag.errors.InvalidArgumentError as error:  # a good file of another program
        assert "cannot restore" in str(error)
    ag.train.list_variables(folder / "ck-1")


def read_state(folder: Path) -> None:
    manager = ag.train.CheckpointManager(ag.train.Checkpoint(), folder / "managed", max_to_keep=1)
    for path in [*manager.checkpoints, ag.train.latest_checkpoint(folder / "managed") or ""]:
        assert not path or Path(path).resolve().is_relative_to((folder / "managed").resolve())


def managed(folder: Path) -> None:
    ag.train.CheckpointManager(ag.train.Checkpoint(a=ag.Variable(1)), folder / "managed", 2).save()


def dataset(folder: Path) -> None:
    elements = {"x": np.arange(6.0).reshape(3, 2), "s": np.array([b"a", b"", b"ccc"], object)}
    ag.data.Dataset.from_tensor_slices((elements, [1, 2, 3])).save(str(folder))


def element_layers(folder: Path) -> list[Layer]:
    """The file of elements, and one element with its checksum made right."""
    from allograph.library.file_io.tfrecord import read_records

    path = folder / "elements"
    with open(path, "rb") as handle:
        count, first, *_ = read_records(handle, str(path))
    return [
        Layer(path, path.read_bytes()),
        Layer(path, first, lambda other: encode_record(count) + encode_record(other)),
        Layer(path, count, lambda other: encode_record(other) + encode_record(first)),
    ]


def read_dataset(folder: Path) -> None:
    loaded = ag.data.Dataset.load(str(folder))
    loaded.cardinality()
    for _ in zip(loaded, range(100), strict=False):
        pass


RECORDS = [b"", b"one", bytes(3000), b"\xff" * 40]


def records(compression_type: str) -> Format:
    def write(folder: Path) -> None:
        with ag.io.TFRecordWriter(folder / "r", compression_type) as writer:
            for one in RECORDS:
                writer.write(one)

    def layers(folder: Path) -> list[Layer]:
        path = folder / "r"
        plain = b"".join(map(encode_record, RECORDS))
        pack = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[compression_type]
        head = Layer(path, struct.pack("<Q", 3), lambda other: pack(encode_record(other)))
        return [Layer(path, path.read_bytes()), Layer(path, plain, pack), head]

    def read(folder: Path) -> None:
        for kind in (ag.data.TFRecordDataset, ag.data.TextLineDataset):
            for _ in kind(str(folder / "r"), compression_type=compression_type):
                pass
        fixed = ag.data.FixedLengthRecordDataset
        with contextlib.suppress(ag.errors.DataLossError):
            list(fixed(str(folder / "r"), 7, 2, 3, compression_type=compression_type))

    return Format(write, layers, read)


def table(folder: Path) -> None:
    rows = "\n".join(f'{one},{one / 3},"text {one}, and ""more"""' for one in range(30))
    (folder / "t.csv").write_text("count,share,name\n" + rows)


def read_table(folder: Path) -> None:
    path = str(folder / "t.csv")
    defaults = [ag.int32, 1.0, ag.string]
    for _ in ag.data.experimental.CsvDataset(path, defaults, header=True):
        pass
    ds = ag.data.experimental.make_csv_dataset(path, 4, num_epochs=1, shuffle=False)
    for _ in zip(ds, range(100), strict=False):
        pass


def example(folder: Path) -> None:
    feature, train = ag.train.Feature, ag.train
    features = {
        "ints": feature(int64_list=train.Int64List([1, -2, 2**62])),
        "floats": feature(float_list=train.FloatList([1.5, -2.5])),
        "bytes": feature(bytes_list=train.BytesList([b"a", b""])),
    }
    message = train.Example(features=train.Features(feature=features)).SerializeToString()
    (folder / "example").write_bytes(message)


def read_example(folder: Path) -> None:
    message = (folder / "example").read_bytes()
    ag.train.Example.FromString(message)
    wanted = {"ints": ag.io.FixedLenFeature([3], ag.int64), "bytes": ag.io.FixedLenSequenceFeature(
        [], ag.string, allow_missing=True)}  # fmt: skip
    ag.io.parse_single_example(message, wanted)


def tensor(folder: Path) -> None:
    for number, value in enumerate([np.ones((2, 3), np.float32), np.array([b"a", b"bc"], object)]):
        (folder / f"tensor{number}").write_bytes(ag.io.serialize_tensor(value).numpy())


def read_tensor(folder: Path) -> None:
    for number, dtype in enumerate([ag.float32, ag.string]):
        ag.io.parse_tensor((folder / f"tensor{number}").read_bytes(), dtype)


def dense_model():
    model = ag.keras.Sequential([ag.keras.layers.Dense(3)])
    model(ag.ones([1, 2]))
    return model


def weight_layers(folder: Path) -> list[Layer]:
    """The archive, and one of its arrays, stored or compressed."""
    path = folder / "w.npz"
    with zipfile.ZipFile(path) as archive:
        arrays = {name: archive.read(name) for name in archive.namelist()}

    def packed(other: bytes, method: int) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            for name, content in {**arrays, "arr_0.npy": other}.items():
                archive.writestr(name, content)
        return buffer.getvalue()

    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    parts = [Layer(path, arrays["arr_0.npy"], partial(packed, method=one)) for one in methods]
    return [Layer(path, path.read_bytes()), *parts]


def graph_text(folder: Path) -> None:
    @ag.function
    def settled(x, n):
        for i in ag.range(n):
            x = ag.tanh(x)[::-1] * 0.5 if ag.reduce_any(x > 1.0) else x + ag.cast(i, ag.float32)
        return {"x": x, "text": ag.strings.join(["it's", ag.as_string(n)], separator="\n")}

    vector, number = ag.TensorSpec([None], ag.float32), ag.TensorSpec([], ag.int32)
    (folder / "graph.txt").write_text(settled.get_concrete_function(vector, number).graph.as_text())


def read_graph(folder: Path) -> None:
    text = (folder / "graph.txt").read_bytes().decode("utf-8", "replace")
    parse_all(text)


def object_file(folder: Path) -> None:
    from kernel_compilation import llvm_of

    from allograph.runtime.jit.loader import llvm_backend

    source = "def kernel(x):\n    return (sin_l64(x[0]),)\n"
    (folder / "o").write_bytes(llvm_backend.object_code(llvm_of(source, [np.ones(2)], [0.0], "k")))


FORMATS = {
    "manifest": Format(saved_module, whole("saved_module.json"), ag.saved_model.load),
    "saved graphs": Format(saved_module, whole("graphs-*.txt"), ag.saved_model.load),
    "saved tensors": Format(saved_module, tensor_layers, ag.saved_model.load),
    "checkpoint": Format(checkpoint, tensor_layers, read_checkpoint),
    "checkpoint state": Format(managed, whole("managed/checkpoint"), read_state),
    "dataset": Format(dataset, element_layers, read_dataset),
    "specification": Format(dataset, whole("spec.json"), read_dataset),
    "records": records(""),
    "gzip": records("GZIP"),
    "zlib": records("ZLIB"),
    "table": Format(table, whole("t.csv"), read_table, (*ERRORS, ValueError)),
    "example": Format(example, whole("example"), read_example, (ag.errors.InvalidArgumentError,)),
    "tensor": Format(tensor, whole("tensor*"), read_tensor, (ag.errors.InvalidArgumentError,)),
    "weights": Format(
        lambda folder: dense_model().save_weights(folder / "w.npz"),
        weight_layers,
        lambda folder: dense_model().load_weights(folder / "w.npz"),
        (*ERRORS, ValueError),
    ),
    "graph": Format(graph_text, whole("graph.txt"), read_graph, (*ERRORS, ValueError)),
    "object file": Format(
        object_file,
        whole("o"),
        lambda folder: elf._ObjectFile((folder / "o").read_bytes()).image(),
        (elf.ObjectFileError,),
    ),
}
