"""`Model` and `Sequential`: trainable compositions of layers."""

from __future__ import annotations

import io

import numpy as np

from .... import Variable
from ....extend import nest
from ....extend.errors import did_you_mean
from ....extend.registration import expose
from ....extend.tensors import RichDisplay
from ...file_io.array_format import read_archive
from ...file_io.atomic_files import replace_file
from ..layers.base_layer import Layer, Recorded
from ..layers.call_context import call_masked
from ..layers.core_layers import InputLayer, Lambda
from ..layers.shape_inference import result_for_shape
from ..registry import TABLES, Untracked, described, finder_of
from ..training.trainer import Trainer
from .chain_configs import config_of_chain, placeholders_of
from .functional_api import Chain, KerasTensor, with_features
from .saving import as_json, save_model


class Model(Trainer, Layer, RichDisplay):
    """Base class of models: layers as attributes, and a method `call` that uses them.

    >>> class Small(ag.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = ag.keras.layers.Dense(4, activation="relu")
    ...         self.out = ag.keras.layers.Dense(1)
    ...     def call(self, x):
    ...         return self.out(self.hidden(x))
    >>> model = Small()
    >>> model(ag.ones([2, 3])).shape
    TensorShape([2, 1])
    >>> model.count_params()
    21

    `Model(inputs, outputs)` defines a model by placeholders instead, see `keras.Input`.
    """

    def __init__(self, inputs=None, outputs=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self._chain = None
        if inputs is not None and outputs is not None:
            self._chain = Chain(inputs, outputs)
            self._layers = self._chain.layers
            self._recorded = Untracked(inputs, outputs)
            self.built = True
            shapes = [leaf.dims for leaf in nest.flatten(inputs)]
            self._note_shape(shapes if len(shapes) > 1 else shapes[0])

    def build(self, input_shape):
        """Create all weights for inputs of this shape."""
        result_for_shape(_ModelFunction(self), input_shape)

    def _build_for(self, inputs) -> None:
        """The sublayers are built when they are called."""
        self.built = True

    def call(self, inputs, training=None, mask=None):
        if self._chain is None:
            raise NotImplementedError(f"{type(self).__name__} has no method `call`")
        return self._chain(inputs)

    inputs, outputs = Recorded(0, as_list=True), Recorded(1, as_list=True)

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that compute the outputs; of placeholders, their own."""
        symbols = nest.flatten(self._chain.outputs) if self._chain is not None else []
        return [
            symbol.name if symbol.call is None else symbol.call.layer.name for symbol in symbols
        ]

    @property
    def layers(self) -> list[Layer]:
        """The layers among the attributes."""
        return [sublayer for sublayer in self._sublayers() if isinstance(sublayer, Layer)]

    @property
    def weights(self) -> list[Variable]:
        """All variables, in the order of the layers."""
        below = [one for sublayer in self._sublayers() for one in sublayer.variables]
        return list({id(one): one for one in [*below, *self._own_weights()]}.values())

    variables = weights  # type: ignore[assignment]

    def get_layer(self, name=None, index=None) -> Layer:
        """The layer with this name or index. Raises ValueError if there is no such name."""
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        known = [layer.name for layer in self.layers]
        hint = did_you_mean(name, known) or f" It has {', '.join(known)}."
        raise ValueError(f"{self.name} has no layer {name!r}.{hint}")

    def summary(self, print_fn=print) -> None:
        """Print the layers and their numbers of parameters, with `print_fn` for each line."""
        rows = [(one.name, type(one).__name__, one.count_params()) for one in self.layers]
        width = max([len(name) + len(class_name) + 3 for name, class_name, _ in rows], default=20)
        print_fn(f'Model: "{self.name}"')
        for name, class_name, count in rows:
            print_fn(f"{f'{name} ({class_name})':{width}}  {count:>10,}")
        trainable = sum(int(np.prod(one.shape.as_list())) for one in self.trainable_weights)  # type: ignore[misc, arg-type]
        total = self.count_params()
        print_fn(f"Total: {total:,}; trainable: {trainable:,}; others: {total - trainable:,}")

    def get_config(self) -> dict:
        """What `from_config` needs: the calls of placeholders, or the constructor's arguments."""
        if self._chain is None:
            return super().get_config()
        return {"name": self.name, **config_of_chain(self._chain)}

    @classmethod
    def from_config(cls, config: dict):
        """A new model from the result of `get_config`."""
        if "calls" not in config:
            return super().from_config(config)
        inputs, outputs = placeholders_of(config)
        return cls(inputs, outputs, name=config["name"])

    def save(self, filepath, overwrite=True, **kwargs) -> None:
        """Write the model to a file: `keras.models.save_model`."""
        save_model(self, filepath, overwrite)

    def to_json(self, **kwargs) -> str:
        """The configuration of the model as JSON, for `keras.models.model_from_json`."""
        return as_json(described(self))

    def save_weights(self, path) -> None:
        """Write the weights to a file in the format .npz, in the order of `weights`.

        The file has the name that is given, whatever its suffix, and is replaced as a whole.
        """
        buffer = io.BytesIO()
        np.savez(buffer, *self.get_weights())
        replace_file(path, [buffer.getbuffer()])

    def load_weights(self, path) -> None:
        """Load the weights of `save_weights` into a model that is built.

        Raises ValueError if the number or a shape does not fit; then no weight is changed.
        NotFoundError and DataLossError tell that the file is missing or damaged.
        """
        self.set_weights(read_archive(path, [np.shape(weight) for weight in self.get_weights()]))


class _ModelFunction:
    """A model as a function for tracing, even if it is not built."""

    def __init__(self, model: Model):
        self.model, self.input_dtype = model, model.input_dtype

    def __call__(self, inputs):
        self.model.built = True
        return self.model(inputs)


class Sequential(Model):
    """A model that applies a list of layers one after the other.

    >>> model = ag.keras.Sequential([
    ...     ag.keras.layers.Dense(4, activation="relu"), ag.keras.layers.Dense(1)])
    >>> model(ag.ones([2, 3])).shape
    TensorShape([2, 1])
    """

    def __init__(self, layers=(), name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self._layers = []
        if isinstance(layers, Layer):
            name = type(self).__name__
            raise TypeError(f"{name} takes one list of layers: {name}([a, b]), not {name}(a, b)")
        for layer in layers or ():
            self.add(layer)

    def add(self, one) -> None:
        """Append a layer. The model is built at once if its input shape is declared."""
        if isinstance(one, KerasTensor):
            one = InputLayer(one.dims[1:], one.dims[0], dtype=one.dtype)
        elif not isinstance(one, Layer):
            if not callable(one):
                raise TypeError(f"{one!r} is not a layer")
            one = Lambda(one)
        if any(other.name == one.name for other in self._layers):
            raise ValueError(
                f"two layers of a {type(self).__name__} have the name {one.name!r}: "
                "give one another name, or leave name= out"
            )
        self._layers.append(one)
        self.built = False
        declared = getattr(self._layers[0], "_declared_shape", None)
        if declared is not None:
            self.build(declared)

    def pop(self) -> Layer:
        """Remove and return the last layer."""
        return self._layers.pop()

    @property
    def input_dtype(self):
        return self._layers[0].input_dtype if self._layers else self.dtype

    @property
    def layers(self) -> list[Layer]:
        return [layer for layer in self._layers if not isinstance(layer, InputLayer)]

    def call(self, inputs, training=None, mask=None):
        x = inputs
        if self._layers:
            x = with_features(x, self._layers[0].least_rank)
        for layer in self._layers:
            x, mask = call_masked(layer, x, mask)
        return x

    def get_config(self) -> dict:
        return {"name": self.name, "layers": [described(layer) for layer in self.layers]}

    @classmethod
    def from_config(cls, config: dict):
        """A new model from the result of `get_config`."""
        find = finder_of("layers")
        return cls([find(one) for one in config["layers"]], name=config.get("name"))


for _model in (Model, Sequential):
    expose(_model, f"keras.{_model.__name__}", f"keras.models.{_model.__name__}")
    TABLES["layers"][_model.__name__] = _model  # as a part of another model
