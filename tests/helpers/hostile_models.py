"""As `hostile_formats`: models of Keras and ONNX, vocabularies, images, and encoded strings."""

import io
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from hostile_formats import ERRORS, Format, Layer, whole

import allograph as ag

INVALID = (ag.errors.InvalidArgumentError, ag.errors.UnimplementedError)


# ---- models ----------------------------------------------------------------------------------


def keras_model(folder: Path) -> None:
    layers = ag.keras.layers
    model = ag.keras.Sequential(
        [
            layers.StringLookup(vocabulary=["a", "bc"]),
            layers.Embedding(5, 4),
            layers.Dense(3, "relu", kernel_regularizer=ag.keras.regularizers.L2(0.1)),
            layers.Dropout(0.5),
            layers.BatchNormalization(),
            layers.Dense(1, kernel_initializer=ag.keras.initializers.Constant(2.0)),
        ]
    )
    model.compile("adam", "mse", metrics=["mae"])
    words = ag.constant(["a", "x"])
    model.fit(words, np.ones((2, 1), np.float32), verbose=0)
    model.save(folder / "m.keras")


def archive_layers(folder: Path) -> list[Layer]:
    """The archive, its description of the model, and one of its arrays."""
    (path,) = folder.glob("*.keras")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    def packed(other: bytes, name: str, method: int) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            for each, content in {**members, name: other}.items():
                archive.writestr(each, content)
        return buffer.getvalue()

    names = ["config.json"] * 4 + ["weights/0.npy", "optimizer/1.npy"]
    layers = [
        Layer(path, members[name], partial(packed, name=name, method=zipfile.ZIP_DEFLATED))
        for name in names
    ]
    return [Layer(path, path.read_bytes()), *layers]


def read_keras_model(folder: Path) -> None:
    ag.keras.models.load_model(folder / "m.keras")


def configuration(folder: Path) -> None:
    inputs = ag.keras.Input((4,))
    layers = ag.keras.layers
    hidden = layers.Dense(3, activation="tanh")(inputs)
    outputs = layers.Concatenate()([layers.LayerNormalization()(hidden), inputs])
    (folder / "model.json").write_text(ag.keras.Model(inputs, outputs).to_json())


def read_configuration(folder: Path) -> None:
    text = (folder / "model.json").read_bytes().decode("utf-8", "replace")
    ag.keras.models.model_from_json(text)


def onnx_model(folder: Path) -> None:
    @ag.function
    def model(x, n):
        for i in ag.range(n):
            if ag.reduce_sum(x) > 3.0:
                x = ag.tanh(x[:, ::-1]) + ag.cast(i, ag.float32)
            else:
                x = ag.concat([x, x], 0)[1:3] @ ag.constant(np.ones((3, 3), np.float32))
        return ag.transpose(x), ag.shape(x), ag.nn.softmax(x), ag.cumsum(x, 0)

    specs = ag.TensorSpec([2, 3]), ag.TensorSpec([], ag.int32)
    ag.onnx.export(model, folder / "m.onnx", *specs)


def onnx_layers(folder: Path) -> list[Layer]:
    """The file, and its message as JSON, which stays a message."""
    import onnx
    from google.protobuf import json_format

    path = folder / "m.onnx"
    content = path.read_bytes()
    text = json_format.MessageToJson(onnx.load_model_from_string(content)).encode()

    def message(other: bytes) -> bytes:
        try:
            return json_format.Parse(other, onnx.ModelProto()).SerializeToString()
        except Exception:
            return other  # which is no message

    return [Layer(path, content), *[Layer(path, text, message)] * 4]


def read_onnx_model(folder: Path) -> None:
    ag.onnx.load(folder / "m.onnx").get_concrete_function()


# ---- words -----------------------------------------------------------------------------------


def words(folder: Path) -> None:
    (folder / "words.txt").write_text("apple\nbanana\ncherry\n")
    (folder / "table.txt").write_text("apple\t1\nbanana\t2\n")


def read_words(folder: Path) -> None:
    path, text = str(folder / "table.txt"), ag.lookup.TextFileIndex
    table = ag.lookup.TextFileInitializer(
        path, ag.string, text.WHOLE_LINE * 0, ag.int64, text.WHOLE_LINE * 0 + 1
    )
    ag.lookup.StaticHashTable(table, -1).lookup(ag.constant(["apple"]))
    ag.keras.layers.StringLookup(vocabulary=str(folder / "words.txt"))(ag.constant(["apple"]))


# ---- images ----------------------------------------------------------------------------------


def images(kind: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        import PIL.Image

        PIL.Image.init()  # imports the readers of all formats
        noise = np.random.default_rng(0).integers(0, 256, (12, 9, 3), np.uint8)
        frames = [PIL.Image.fromarray(noise), PIL.Image.fromarray(noise[::-1].copy())]
        options = {"save_all": True, "append_images": frames[1:]} if kind == "gif" else {}
        frames[0].save(folder / f"image.{kind}", **options)

    return write


def png_layers(folder: Path) -> list[Layer]:
    """The whole file, and its chunks with checksums that are right."""
    path = folder / "image.png"
    content = path.read_bytes()

    def signed(other: bytes) -> bytes:
        made, at = other[:8], 8
        while at + 12 <= len(other):
            size = int.from_bytes(other[at : at + 4], "big")
            body = other[at + 4 : at + 8 + size]
            made += other[at : at + 4] + body + zlib.crc32(body).to_bytes(4, "big")
            at += 12 + size
        return made + other[at:]

    return [Layer(path, content), Layer(path, content, signed)]


def read_image(kind: str) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        content = (folder / f"image.{kind}").read_bytes()
        ag.io.decode_image(content)
        ag.io.decode_image(content, channels=3, expand_animations=False, dtype=ag.float32)
        if kind == "jpeg":
            ag.io.decode_and_crop_jpeg(content, [0, 0, 2, 2])
            ag.io.extract_jpeg_shape(content)
        if kind == "png":
            ag.io.decode_png(content, dtype=ag.uint16, channels=1)

    return read


def image_formats() -> dict:
    kinds = {"png": png_layers, "jpeg": None, "gif": None, "bmp": None}
    return {
        kind: Format(images(kind), layers or whole(f"image.{kind}"), read_image(kind), INVALID)
        for kind, layers in kinds.items()
    }


def read_image_file(folder: Path) -> None:
    ag.keras.utils.load_img(folder / "image.png")


# ---- strings ---------------------------------------------------------------------------------


def strings(folder: Path) -> None:
    (folder / "row").write_text('1,2.5,"a ""b"""')
    (folder / "packed").write_bytes(zlib.compress(b"text" * 100))
    (folder / "base64").write_bytes(b"YW55_-8")
    (folder / "numbers").write_bytes(np.arange(6, dtype=np.int32).tobytes())
    (folder / "proto").write_bytes(ag.make_tensor_proto([1, 2]).SerializeToString())


def read_strings(folder: Path) -> None:
    content = {path.name: path.read_bytes() for path in folder.iterdir()}
    decoders = [
        lambda: ag.io.decode_csv([content["row"]], [[0], [0.0], [""]]),
        lambda: ag.io.decode_compressed(content["packed"], "ZLIB"),
        lambda: ag.io.decode_base64(content["base64"]),
        lambda: ag.io.decode_raw(content["numbers"], ag.int32),
        lambda: ag.make_ndarray(type(ag.make_tensor_proto(1)).FromString(content["proto"])),
        lambda: ag.strings.to_number(content["row"].split(b",")[:2]),
        lambda: ag.strings.unicode_decode(content["row"], "UTF-8", errors="strict"),
    ]
    refused = None
    for one in decoders:
        try:
            one()
        except INVALID as error:
            refused = error
    if refused is not None:
        raise refused


def sequence(folder: Path) -> None:
    train = ag.train
    number = lambda *row: train.Feature(int64_list=train.Int64List(list(row)))
    rows = train.FeatureList(feature=[number(1, 2), number(3)])
    message = train.SequenceExample(
        context=train.Features(feature={"n": number(4)}),
        feature_lists=train.FeatureLists(feature_list={"rows": rows}),
    )
    (folder / "sequence").write_bytes(message.SerializeToString())


def read_sequence(folder: Path) -> None:
    message = (folder / "sequence").read_bytes()
    ag.train.SequenceExample.FromString(message)
    ag.io.parse_single_sequence_example(
        message,
        {"n": ag.io.FixedLenFeature([], ag.int64)},
        {"rows": ag.io.VarLenFeature(ag.int64)},
    )


def sparse_example(folder: Path) -> None:
    train = ag.train
    integers = lambda *row: train.Feature(int64_list=train.Int64List(list(row)))
    features = {
        "at": integers(1, 3),
        "value": integers(5, 6),
        "row": integers(7, 8, 9),
        "lengths": integers(1, 2),
    }
    message = train.Example(features=train.Features(feature=features)).SerializeToString()
    (folder / "example").write_bytes(message)


def read_sparse_example(folder: Path) -> None:
    message = (folder / "example").read_bytes()
    io_ = ag.io
    wanted = {
        "sparse": io_.SparseFeature("at", "value", ag.int64, 10),
        "var": io_.VarLenFeature(ag.int64),
        "row": io_.RaggedFeature(
            ag.int64, "row", partitions=[io_.RaggedFeature.RowLengths("lengths")]
        ),
    }
    io_.parse_example([message, message], wanted)


FORMATS = {
    "model": Format(keras_model, archive_layers, read_keras_model, (*ERRORS, ValueError)),
    "configuration": Format(
        configuration, whole("model.json"), read_configuration, (*ERRORS, ValueError)
    ),
    "onnx": Format(onnx_model, onnx_layers, read_onnx_model, (*ERRORS, ValueError)),
    "words": Format(words, whole("*.txt"), read_words, (*ERRORS, ValueError)),
    **image_formats(),
    "image file": Format(images("png"), png_layers, read_image_file, INVALID),
    "strings": Format(strings, whole("*"), read_strings, INVALID),
    "sequence": Format(sequence, whole("sequence"), read_sequence, INVALID),
    "sparse example": Format(sparse_example, whole("example"), read_sparse_example, INVALID),
}
