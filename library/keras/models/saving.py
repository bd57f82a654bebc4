"""Models in files: their configuration as JSON, and their weights.

    config.json     the classes and arguments of the layers, what `compile` was given, shapes
    weights/        the weights in their order, in NumPy's format
    optimizer/      the variables of the optimizer

A file names classes. Objects are made of the classes of this package, and of those that the program
registered; nothing of a file is executed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import warnings
import zipfile

import numpy as np

from .... import DType, TensorShape
from ....extend.errors import DataLossError, Error, NotFoundError, UnimplementedError, depth_of_user
from ....extend.registration import public
from ...file_io.array_format import read_archive, write_array
from ...file_io.atomic_files import replace_file
from ...file_io.untrusted_files import (
    MOST_JSON,
    damaged,
    open_regular,
    parse_json,
    read_at_most,
    reading,
)
from ..layers.base_layer import BYTES_OF_WEIGHTS
from ..registry import CUSTOM, custom_object_scope, described, finder_of, name_of, revived
from ..training import losses, metrics, optimizers

FORMAT = "allograph model 1"
MOST_DEFLATED = 1100  # bytes that a byte of a compressed file stands for
SLACK = 1 << 20  # bytes of weights that need not be in the file


@public("keras.saving.register_keras_serializable", "keras.utils.register_keras_serializable")
def register_keras_serializable(package="Custom", name=None):
    """Decorator for a class or function that files of models may name, as `package>name`.

    >>> @ag.keras.saving.register_keras_serializable("examples")
    ... class Doubled(ag.keras.layers.Layer):
    ...     def call(self, x):
    ...         return x * 2
    >>> ag.keras.saving.get_registered_name(Doubled)
    'examples>Doubled'
    """

    def register(thing):
        CUSTOM[f"{package}>{name or thing.__name__}"] = thing
        return thing

    return register


@public("keras.saving.get_registered_name", "keras.utils.get_registered_name")
def get_registered_name(obj) -> str:
    """The name of a class or function in files."""
    return name_of(obj)


@public("keras.saving.get_registered_object", "keras.utils.get_registered_object")
def get_registered_object(name, custom_objects=None, module_objects=None):
    """The class or function that was registered with a name, or None."""
    return {**(module_objects or {}), **CUSTOM, **(custom_objects or {})}.get(name)


@public("keras.saving.get_custom_objects", "keras.utils.get_custom_objects")
def get_custom_objects() -> dict:
    """The registered classes and functions by name; a change of the dict registers."""
    return CUSTOM


@public("keras.saving.serialize_keras_object", "keras.utils.serialize_keras_object")
def serialize_keras_object(obj):
    """The configuration of a layer, initializer, optimizer...: its class and arguments.

    >>> ag.keras.saving.serialize_keras_object(ag.keras.layers.ReLU(name="r"))["class_name"]
    'ReLU'
    """
    return described(obj)


@public("keras.saving.deserialize_keras_object", "keras.utils.deserialize_keras_object")
def deserialize_keras_object(config, custom_objects=None, safe_mode=True):
    """The object of a configuration of `serialize_keras_object`.

    >>> config = ag.keras.saving.serialize_keras_object(ag.keras.layers.ReLU(name="r"))
    >>> ag.keras.saving.deserialize_keras_object(config).name
    'r'
    """
    with custom_object_scope(custom_objects or {}):
        return revived(config)


# ---- configurations as JSON ------------------------------------------------------------------


def _plain(value):
    """What JSON has no form for."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorShape):
        return value.as_list()
    raise TypeError(
        f"{value!r} cannot be written to a file: give a name, or register its class or function "
        "with @ag.keras.saving.register_keras_serializable()"
    )


def as_json(config) -> str:
    """A configuration as JSON. Raises TypeError for a function that is not registered."""
    return json.dumps(config, default=_plain)


@public("keras.models.model_from_json")
def model_from_json(json_string, custom_objects=None):
    """A new model from the result of `Model.to_json`.

    >>> model = ag.keras.Sequential([ag.keras.layers.Dense(2, name="d")])
    >>> ag.keras.models.model_from_json(model.to_json()).layers[0].name
    'd'
    """
    config = parse_json(json_string, "<JSON>")
    with _reviving("<JSON>"):
        return model_from_config(config, custom_objects)


@public("keras.models.model_from_config")
def model_from_config(config, custom_objects=None):
    """A new model from a dict with `class_name` and `config`."""
    with custom_object_scope(custom_objects or {}):
        return finder_of("layers")(config)


@public("keras.models.clone_model")
def clone_model(model, input_tensors=None, clone_function=None):
    """A model with the same layers and new weights, built for the same inputs.

    >>> model = ag.keras.Sequential([ag.keras.layers.Dense(2)])
    >>> _ = model(ag.ones([1, 3]))
    >>> [tuple(w.shape) for w in ag.keras.models.clone_model(model).weights]
    [(3, 2), (2,)]
    """
    clone = model_from_config(described(model), {name_of(type(model)): type(model)})
    _build(clone, model.built_for)
    return clone


def _build(model, shape) -> None:
    """Make the weights for inputs of the shape, or shapes, that a model had."""
    if shape is not None and not getattr(model, "_chain", None):
        several = bool(shape) and isinstance(shape[0], (list, tuple))
        model.build([tuple(size) for size in shape] if several else tuple(shape))


# ---- files -----------------------------------------------------------------------------------


def _compiled_config(model):
    """What `compile` was given, or None if a file cannot hold it."""
    if model.optimizer is None:
        return None
    (arguments,) = model.compiled_with.objects
    try:
        config = {key: _described(argument) for key, argument in arguments.items()}
        config["optimizer"] = described(model.optimizer)
        as_json(config)
    except TypeError as error:
        warnings.warn(
            f"the model is saved without what compile() set: {error}", stacklevel=depth_of_user()
        )
        return None
    return config


def _described(value):
    if isinstance(value, dict):
        return {key: _described(one) for key, one in value.items()}
    return [_described(one) for one in value] if isinstance(value, list) else described(value)


@public("keras.models.save_model", "keras.saving.save_model")
def save_model(model, filepath, overwrite=True, **kwargs) -> None:
    """Write a model to a file: its layers, its weights, and what `compile` was given.

    >>> import os, tempfile
    >>> model = ag.keras.Sequential([ag.keras.layers.Dense(2)])
    >>> y = model(ag.ones([1, 3]))
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> model.save(path)
    >>> bool(ag.reduce_all(ag.keras.models.load_model(path)(ag.ones([1, 3])) == y))
    True

    Raises ValueError unless the name ends in .keras, TypeError if a layer was made with a function
    that is not registered.
    """
    path = os.fspath(filepath)
    if not path.endswith(".keras"):
        raise ValueError(
            f"the file of a model ends in .keras: model.save({os.path.splitext(path)[0]!r} + "
            "'.keras'); to save its functions, use ag.saved_model.save(model, folder)"
        )
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{path} exists")
    config = {
        "format": FORMAT, "model": described(model), "built_for": model.built_for,
        "compiled": _compiled_config(model),
    }  # fmt: skip
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("config.json", as_json(config))
        _write_arrays(archive, "weights/", model.get_weights())
        state = [] if model.optimizer is None else model.optimizer.variables
        _write_arrays(archive, "optimizer/", [one.numpy() for one in state])
    replace_file(path, [buffer.getbuffer()])


def _write_arrays(archive, folder: str, arrays) -> None:
    for index, array in enumerate(arrays):
        with archive.open(f"{folder}{index}.npy", "w") as member:
            write_array(member, np.asarray(array))


@public("keras.models.load_model", "keras.saving.load_model")
def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """The model of a file of `Model.save`, compiled if it was.

    `custom_objects` are classes and functions of your own by name; registered ones need not be
    given. Nothing in the file is executed. See `save_model` for an example.

    Raises ValueError for a class that is not known, DataLossError for a damaged file.
    """
    path = os.fspath(filepath)
    with (
        reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive,
        archive.open("config.json") as member,
    ):  # fmt: skip
        content = read_at_most(member, MOST_JSON)
    config = parse_json(content, path)
    keys = {"format", "model", "built_for", "compiled"}
    if not isinstance(config, dict) or config.keys() != keys or config["format"] != FORMAT:
        raise damaged(path, "it holds no model that Model.save wrote")
    with custom_object_scope(custom_objects or {}), _describing(path):
        model = finder_of("layers")(config["model"])
        _build(model, config["built_for"])
        model.set_weights(_arrays(path, "weights/", model.weights))
        if compile and config["compiled"]:
            model.compile(**_revived_compilation(config["compiled"]))
            _restore_optimizer(model, path)
    return model


@contextlib.contextmanager
def _describing(path):
    """As `_reviving`; and weights that the file cannot hold are a DataLossError."""
    with reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive:
        claimed = sum(one.file_size for one in archive.infolist())
        most = min(claimed, MOST_DEFLATED * os.fstat(file.fileno()).st_size)
    entry = BYTES_OF_WEIGHTS.set([most + SLACK])
    try:
        with _reviving(path):
            yield
    finally:
        BYTES_OF_WEIGHTS.reset(entry)


@contextlib.contextmanager
def _reviving(path):
    """Errors of what a file describes become a DataLossError."""
    try:
        yield
    except (ValueError, MemoryError, DataLossError, NotFoundError, UnimplementedError):
        raise
    except Error as error:
        raise damaged(path, error.message) from error
    except Exception as error:  # a file may hold anything where something else is expected
        raise damaged(path, f"{type(error).__name__}: {error}") from error


def _arrays(path, folder: str, variables) -> list:
    return read_archive(path, [tuple(variable.shape.as_list()) for variable in variables], folder)


def _restore_optimizer(model, path) -> None:
    """The state of the optimizer, if it has made a step."""
    with reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive:
        count = sum(name.startswith("optimizer/") for name in archive.namelist())
    if count > len(model.optimizer.variables):
        model.optimizer.build(model.trainable_variables)
    variables = model.optimizer.variables
    for variable, value in zip(variables, _arrays(path, "optimizer/", variables), strict=True):
        variable.assign(value)


def _revived_compilation(config: dict) -> dict:
    """The arguments of `compile`."""

    def objects(value, find):
        if isinstance(value, dict) and value.keys() != {"class_name", "config"}:
            return {key: objects(one, find) for key, one in value.items()}
        if isinstance(value, list):
            return [objects(one, find) for one in value]
        return find(value) if isinstance(value, dict) else value

    results = {**config, "optimizer": optimizers.get(config["optimizer"])}
    results["loss"] = objects(config["loss"], losses.get)
    for key in ("metrics", "weighted_metrics"):
        results[key] = objects(config[key], metrics.get)
    return results
