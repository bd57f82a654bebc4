"""Datasets of the files of a directory whose folders are the classes."""

from __future__ import annotations

import os

import numpy as np

from ....extend.operations import ag
from ....extend.registration import public
from ..datasets.dataset import Dataset

LABELS = ("int", "categorical", "binary", None)
CHANNELS = {"grayscale": 1, "rgb": 3, "rgba": 4}


def _files(directory, labels, class_names, endings, follow_links):
    """The paths in order, the number of the class of each, and the names of the classes."""
    root = os.fspath(directory)
    if not os.path.isdir(root):
        raise FileNotFoundError(f"there is no directory {root!r}")
    found = sorted(one.name for one in os.scandir(root) if one.is_dir())
    names = found if class_names is None else list(class_names)
    if class_names is not None and set(names) != set(found):
        raise ValueError(f"class_names are {names}, and the folders of {root} {found}")
    places = [(root, 0)] if labels is None else [
        (os.path.join(root, name), number) for number, name in enumerate(names)
    ]  # fmt: skip
    paths, numbers = [], []
    for folder, number in places:
        for inner, folders, files in os.walk(folder, followlinks=follow_links):
            folders.sort()
            for name in sorted(files):
                if name.lower().endswith(endings):
                    paths.append(os.path.join(inner, name))
                    numbers.append(number)
    if labels is not None and labels != "inferred":
        numbers = list(labels)
    if not paths or len(paths) != len(numbers):
        raise ValueError(
            f"{len(paths)} files of {', '.join(endings)} in {root}, {len(numbers)} labels"
        )
    return paths, numbers, names if labels == "inferred" else []


def _as_labels(numbers: list, mode, count: int) -> np.ndarray:
    if mode == "binary":
        if count != 2:
            raise ValueError(f"label_mode 'binary' is for two classes, not {count}")
        return np.asarray(numbers, np.float32)[:, None]
    if mode == "categorical":
        return np.eye(count, dtype=np.float32)[np.asarray(numbers)]
    return np.asarray(numbers, np.int32)


def _chosen(paths, labels, shuffle, seed, split, subset):
    """The files of a subset, in a random order if `shuffle`."""
    order = np.arange(len(paths))
    if shuffle:
        order = np.random.default_rng(seed).permutation(order)
    if split:
        if subset not in ("training", "validation"):
            raise ValueError(f"subset is 'training' or 'validation', not {subset!r}")
        if shuffle and seed is None:
            raise ValueError("give a seed, so that the subsets have no files in common")
        count = int(split * len(paths))
        order = order[:-count] if subset == "training" else order[-count:]
    return [paths[one] for one in order], labels[order]


def _dataset(
    directory, labels, mode, class_names, endings, read, batch_size, shuffle, seed, split, subset,
    follow_links,
):  # fmt: skip
    """The batches of what `read` makes of the files with these endings, and of their labels."""
    labels = None if mode is None else labels
    paths, numbers, names = _files(directory, labels, class_names, endings, follow_links)
    labels = _as_labels(numbers, mode, len(names) or len(set(numbers)))
    paths, labels = _chosen(paths, labels, shuffle, seed, split, subset)
    data = Dataset.from_tensor_slices((np.array(paths), labels))
    if shuffle:
        data = data.shuffle(batch_size * 8 if batch_size else 1024, seed)
    data = data.map(lambda path, label: (read(path), label) if mode else read(path))
    data = (data.batch(batch_size) if batch_size else data).prefetch(2)
    data.class_names, data.file_paths = names, paths
    return data


@public(
    "keras.utils.image_dataset_from_directory", "keras.preprocessing.image_dataset_from_directory"
)
def image_dataset_from_directory(
    directory, labels="inferred", label_mode="int", class_names=None, color_mode="rgb",
    batch_size=32, image_size=(256, 256), shuffle=True, seed=None, validation_split=None,
    subset=None, interpolation="bilinear", follow_links=False, crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False, data_format=None, verbose=True,
):  # fmt: skip
    """Batches of images, and the numbers of their classes, the folders of a directory.

    Images are float32 [batch, height, width, channels] from 0 to 255. `label_mode` is "int",
    "categorical" (one-hot), "binary" (0.0 or 1.0), or None for images alone. The attribute
    `class_names` of the dataset has the names of the folders. Needs the package pillow.

    Raises FileNotFoundError, ValueError if there are no images or the options do not fit.
    """
    if label_mode not in LABELS or color_mode not in CHANNELS:
        raise ValueError(f"there is no label_mode {label_mode!r} or color_mode {color_mode!r}")
    endings = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
    channels = CHANNELS[color_mode]

    def read(path):
        pixels = ag.image.decode_image(
            ag.io.read_file(path), channels=channels, expand_animations=False
        )
        pixels = ag.keras.ops.image.resize(
            ag.cast(pixels, "float32"), image_size, interpolation,
            crop_to_aspect_ratio=crop_to_aspect_ratio, pad_to_aspect_ratio=pad_to_aspect_ratio,
        )  # fmt: skip
        pixels = ag.ensure_shape(pixels, [*image_size, channels])
        return ag.transpose(pixels, [2, 0, 1]) if data_format == "channels_first" else pixels

    return _dataset(
        directory, labels, label_mode, class_names, endings, read, batch_size, shuffle, seed,
        validation_split, subset, follow_links,
    )  # fmt: skip


@public(
    "keras.utils.text_dataset_from_directory", "keras.preprocessing.text_dataset_from_directory"
)
def text_dataset_from_directory(
    directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
    max_length=None, shuffle=True, seed=None, validation_split=None, subset=None,
    follow_links=False, verbose=True,
):  # fmt: skip
    """Batches of the contents of text files, and the numbers of their classes.

    The other arguments are those of `keras.utils.image_dataset_from_directory`; contents are cut
    after `max_length` bytes.
    """
    if label_mode not in LABELS:
        raise ValueError(f"there is no label_mode {label_mode!r}")

    def read(path):
        content = ag.io.read_file(path)
        return content if max_length is None else ag.strings.substr(content, 0, max_length)

    return _dataset(
        directory, labels, label_mode, class_names, (".txt",), read, batch_size, shuffle, seed,
        validation_split, subset, follow_links,
    )  # fmt: skip
