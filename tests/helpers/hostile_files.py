"""Damaged and hostile files by the thousand: `python tests/helpers/hostile_files.py all 1000`.

Each file is made from a good one by changing bytes, numbers, words or structures, often with its
checksum made right again. Reading it has to end with a value or one of the documented errors:
without a signal, a hang, a large allocation, code that runs, or a file that is written. Ends with
status 1 and the cases that did not.
"""

import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import allograph as ag
from allograph.library.file_io.tfrecord import encode_record
from allograph.runtime.ir.graph_parser import parse_all
from allograph.runtime.ir.op import TABLE
from allograph.runtime.jit.loader import elf

SECONDS = 20  # of processor time, for one file
MEMORY = 4 << 30  # bytes of address space beyond those that the process has
ERRORS = (ag.errors.DataLossError, ag.errors.NotFoundError, ag.errors.UnimplementedError,
          ag.errors.PermissionDeniedError)  # fmt: skip
HOSTILE = [
    "__import__('os').system('touch hostile')", "../../../etc/passwd", "/etc/passwd", "..", "",
    "io", "FileIO", "types", "CodeType", "builtins", "eval", "object", "variant", "stack", "string",
    "None", "...", "inf", "nan", "py_function", "write_file", "raise_error", "make_dataset", "@f0",
    "object('x')", "error('SystemExit')", "slot(9)", "(" * 5000, "[" * 50_000, "{'a':" * 3000,
    "-" * 5000, "not " * 3000, "9" * 5000, "\\", "'", "\0", "\ud7ff", "while", "if", "call",
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**31 - 1, 2**32, 2**40, 2**62, 2**63, 2**64 - 1, 10**12]


# ---- changes ---------------------------------------------------------------------------------


def change_bytes(data: bytes, choose: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(choose.choice([1, 1, 2, 8, 64])):
        if changed:
            changed[choose.randrange(len(changed))] = choose.randrange(256)
    return bytes(changed)


def cut(data: bytes, choose: random.Random) -> bytes:
    return data[: choose.randrange(len(data) + 1)]


def remove(data: bytes, choose: random.Random) -> bytes:
    first, last = sorted(choose.randrange(len(data) + 1) for _ in range(2))
    return data[:first] + data[last:]


def repeat(data: bytes, choose: random.Random) -> bytes:
    first = choose.randrange(len(data) + 1)
    part = data[first : first + choose.choice([1, 4, 30, 300, 3000])]
    return data[:first] + part * choose.choice([2, 3, 50, 2000]) + data[first:]


def nest(data: bytes, choose: random.Random) -> bytes:
    position = choose.randrange(len(data) + 1)
    opening = choose.choice([b"[", b"(", b"{", b'{"list": [', b'{"a": ', b"\x0a\x7f", b"array("])
    return data[:position] + opening * choose.choice([10, 150, 5000, 100_000]) + data[position:]


def inflate(data: bytes, choose: random.Random) -> bytes:
    """Another number in place of one, in decimal or in binary form."""
    found = [*re.finditer(rb"-?\d+", data)]
    number = choose.choice(NUMBERS)
    if found and choose.random() < 0.7:
        match = choose.choice(found)
        return data[: match.start()] + str(number).encode() + data[match.end() :]
    position = choose.randrange(max(len(data) - 8, 1))
    return data[:position] + struct.pack("<Q", number % 2**64) + data[position + 8 :]


def say_otherwise(data: bytes, choose: random.Random) -> bytes:
    """A hostile word, or another word of the file, in place of a word."""
    found = [*re.finditer(rb"[\w.@%/-]+", data)]
    if not found:
        return data + choose.choice(HOSTILE).encode("utf-8", "surrogatepass")
    words = HOSTILE if choose.random() < 0.5 else [choose.choice(found)[0].decode("latin-1")]
    match, word = choose.choice(found), choose.choice(words).encode("utf-8", "surrogatepass")
    return data[: match.start()] + word + data[match.end() :]


def move_lines(data: bytes, choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(choose.choice([1, 2, 5])):
        lines.insert(choose.randrange(len(lines) + 1), choose.choice(lines))
        del lines[choose.randrange(len(lines))]
    return b"\n".join(lines)


def restructure(data: bytes, choose: random.Random) -> bytes:
    """JSON with one of its values in the place of another, or a hostile one."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return change_bytes(data, choose)
    places: list = []
    waiting = [content]
    while waiting:
        one = waiting.pop()
        keys = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        places += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    if places:
        (target, key), (source, name) = choose.choice(places), choose.choice(places)
        values = [source[name], choose.choice(NUMBERS), choose.choice(HOSTILE), [], {}, None, 0.5]
        values += [{"named": ["io", "FileIO", ["f", "mode"], [{"str": "hostile"}, {"str": "w"}]]}]
        target[key] = choose.choice(values)
    try:
        return json.dumps(content).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # one that contains itself
        return cut(data, choose)


def alter_graph(data: bytes, choose: random.Random) -> bytes:
    """The text of a graph with another operation, operand, size or number."""
    text = data.decode("utf-8", "replace")
    patterns = {
        r"(?<== )\w+(?=\()": sorted(TABLE),
        r"(?<=[(, ])\w+(?=[,)])": re.findall(r"^  (\w+): ", text, re.MULTILINE) or ["x"],
        r"\[[\d,?]*\]": ["[]", "[?]", "[...]", "[6]", "[2,3]", "[100]", "[0]"],
        r"(?<![\w.])-?\d+(?![\w.])": ["0", "1", "-1", "2", "7", "100", "1000000000000"],
        r"\b(True|False|None)\b": ["True", "False", "None", "1", "'x'"],
        r"(?<= )\w+(?==)": ["axis", "keepdims", "value", "index", "dtype", "graph"],
    }
    pattern, words = choose.choice([*patterns.items()])
    found = [*re.finditer(pattern, text)]
    if not found:
        return change_bytes(data, choose)
    match = choose.choice(found)
    return (text[: match.start()] + choose.choice(words) + text[match.end() :]).encode()


CHANGES = [change_bytes, cut, remove, repeat, nest, inflate, say_otherwise, move_lines, restructure]


def change(data: bytes, choose: random.Random) -> bytes:
    """Changed data: half of the changes keep the form of JSON and of graphs."""
    if choose.random() < 0.5:
        if data.lstrip().startswith(b"{"):
            return restructure(data, choose)
        if data.startswith(b"graph "):
            return alter_graph(data, choose)
    return choose.choice(CHANGES)(data, choose)


# ---- formats ---------------------------------------------------------------------------------


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


# ---- what must not happen --------------------------------------------------------------------


class Hang(BaseException):
    """Reading took too long."""


FORBIDDEN = re.compile(
    r"os\.(system|exec|fork|posix_spawn|spawn|remove|rename|rmdir|truncate|link|symlink|chmod|kill)"
    r"|subprocess|pickle|code\.__new__|socket|shutil|ctypes\.dlopen|urllib"
)
OWN_CODE = ("<allograph ", "<frozen ")  # the names of code that this package and Python make
_events: list[str] = []
_is_watching = False


def watch(event: str, arguments: tuple) -> None:
    """Note what no reader does: run code of a file, write, or leave the folder."""
    if not _is_watching or threading.current_thread() is not threading.main_thread():
        return  # the background compiler imports what it needs
    if event == "exec":
        file = arguments[0].co_filename
        if not file.startswith(OWN_CODE) and not file.endswith(".py"):
            _events.append(f"exec {file!r}")
    elif event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or set(mode or "") & set("wax+")) and "__pycache__" not in str(path):
            _events.append(f"open {path!r} {mode!r}")
    elif FORBIDDEN.match(event):
        _events.append(f"{event} {arguments!r}"[:200])


def _interrupt(*_) -> None:
    raise Hang


@contextlib.contextmanager
def watched() -> Iterator[None]:
    global _is_watching
    _events.clear()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
        signal.setitimer(signal.ITIMER_PROF, 0)


def case(one: Format, folder: Path, layers: list[Layer], number: str) -> str | None:
    """Read one changed file; what went wrong, an empty string, or None where it is refused."""
    choose = random.Random(number)
    layer = choose.choice(layers)
    content = layer.content
    for _ in range(choose.choice([1, 1, 1, 2, 4])):
        content = change(content, choose)[: 1 << 22]
    layer.path.write_bytes(layer.file(content))
    try:
        with watched():
            one.read(folder)
    except one.errors:
        return None if not _events else f"code ran, or files were written: {_events}"
    except BaseException:
        return traceback.format_exc()
    return "" if not _events else f"code ran, or files were written: {_events}"


def run(name: str, count: int, seed: int) -> tuple[int, list[str]]:
    """How many files of a format are refused, and the cases that ended otherwise."""
    one, broken, refused = FORMATS[name], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        good, folder = Path(temporary, "good"), Path(temporary, "changed")
        good.mkdir()
        one.write(good)
        shutil.copytree(good, folder)
        one.read(folder)  # also imports what reading imports
        for position in range(count):
            shutil.rmtree(folder)
            shutil.copytree(good, folder)
            number = f"{name} {seed} {position}"
            found = case(one, folder, one.layers(folder), number)
            refused += found is None
            if found:
                broken.append(f"{number}: {found}")
    return refused, broken


def main() -> int:
    names, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if sys.platform == "linux":
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    signal.signal(signal.SIGPROF, _interrupt)
    sys.addaudithook(watch)
    total = 0
    for each in FORMATS if names == "all" else names.split(","):
        begin = time.perf_counter()
        refused, broken = run(each, count, seed)
        total += len(broken)
        seconds = time.perf_counter() - begin
        print(f"{each}: {count} files, {refused} refused, {len(broken)} broken, {seconds:.1f} s")
        for text in broken[:5]:
            print(text, flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
