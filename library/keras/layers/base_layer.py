"""`Layer`: a function with weights, which are created on the first call."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from .... import Tensor, TensorShape, Variable, as_dtype, cast, convert_to_tensor, init_scope
from ....extend import nest
from ....extend.errors import DataLossError, ShapeError
from ....extend.graphs import BUILDER
from ....extend.specs import as_shape, show
from ....extend.state import FOR_A_FUNCTION, NAMES, within
from ....extend.tensors import tensor_of
from ....extend.tracing import call_user_code
from ...module import Module
from ..mixed_precision import dtype_of
from ..registry import Configured, keras_class, snake
from . import initializers, regularizers
from .call_context import (
    DEPTH,
    MASKS,
    TRAINING,
    accepts_mask,
    inside_a_layer,
    is_nested_list,
    mask_of,
    naming_the_layer,
    shapes_of,
    training_parameter,
    unique_name,
)
from .shape_inference import result_for_shape

layer: Callable[[Any], Any] = keras_class("layers")
# How many bytes the weights of a model may still have that is read from a file.
BYTES_OF_WEIGHTS: ContextVar[list[int] | None] = ContextVar("allograph_weights", default=None)


class Recorded:
    """The placeholders that the first call with placeholders took (side 0), or gave (side 1).

    An attribute of this name, which a subclass sets, comes first.
    """

    def __init__(self, side: int, as_list: bool = False):
        self.side, self.as_list = side, as_list

    def __get__(self, layer, owner=None):
        if layer is None:
            return self
        recorded = vars(layer).get("_recorded")
        if recorded is None:
            raise AttributeError(f"{layer.name} was not called with a placeholder of keras.Input")
        found = recorded.objects[self.side]
        return nest.flatten(found) if self.as_list else found


class Layer(Configured, Module):
    """Base class of layers: `build(input_shape)` creates the weights, `call(inputs)` computes.

    >>> class Scale(ag.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=[input_shape[-1]], initializer="ones")
    ...     def call(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> scale([[2.0, 3.0]]).numpy()
    array([[2., 3.]], dtype=float32)
    >>> len(scale.trainable_variables)
    1

    The argument `training` of `call` is that of the caller, or else that of the enclosing layer, or
    else its default. Float inputs are cast to the dtype of the layer.
    """

    def __new__(cls, *args, **kwargs):
        instance = super().__new__(cls, *args, **kwargs)
        fields = {
            "_name": kwargs.get("name") or unique_name(snake(cls.__name__)),
            "_trainable": True,
            "built": False,
            "built_for": None,
            "_dtype": dtype_of(None),
            "_added_weights": [],
            "_added_losses": [],
            # For a subclass whose constructor does not call that of the base class.
            "activity_regularizer": None,
            "autocast": True,
            "_declared_shape": None,
        }
        instance.__dict__.update(fields)
        return instance

    def __init_subclass__(cls, **kwargs):
        """Make `build` of a subclass mark the layer as built."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            cls.supports_masking = vars(cls).get("supports_masking", False)
        if "build" in vars(cls):
            cls.build = _marking_as_built(cls.build)

    def __init__(
        self, trainable=True, name=None, dtype=None, activity_regularizer=None, autocast=True,
        input_shape=None, batch_input_shape=None,
    ):  # fmt: skip
        self._trainable = bool(trainable)
        if name is not None:
            self._name = name
        if dtype is not None:
            self._dtype = dtype_of(dtype)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.autocast = autocast
        self._declared_shape = _declared(input_shape, batch_input_shape)

    least_rank = 1  # of inputs, the batch axis included
    supports_masking = True  # whether the mask of the inputs is that of the outputs
    input_spec = None  # an `InputSpec` or a list of them, of a subclass that sets it

    # ---- methods to override -------------------------------------------------------------

    def build(self, input_shape):
        """Create the weights for inputs of this shape; called once, before the first `call`."""
        self.built = True

    def call(self, inputs, *args, **kwargs):
        """Compute the outputs for `inputs`."""
        renamed = ": rename `forward`" if hasattr(self, "forward") else ""
        raise NotImplementedError(f"{type(self).__name__} has no method `call`{renamed}")

    def compute_mask(self, inputs, mask=None):
        """The mask of the outputs, for the mask of the inputs: True for steps that count."""
        return mask

    # ---- weights -------------------------------------------------------------------------

    def add_weight(
        self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True,
        constraint=None, **kwargs,
    ):  # fmt: skip
        """Create a variable of this layer.

        The initializer defaults to GlorotUniform for floats and to Zeros for other dtypes. A
        `regularizer` adds a penalty to `losses`. Raises ShapeError for an unknown dimension.
        """
        if not (name is None or isinstance(name, str)):
            name, shape = None, name
        sizes = as_shape(() if shape is None else shape)
        if sizes is None or None in sizes:
            raise ShapeError(
                f"{self.name}: the shape {show(sizes)} of a weight has to be fully known"
            )
        dtype = self._dtype if dtype is None else as_dtype(dtype)
        _count_bytes(self.name, sizes, dtype)
        default = "glorot_uniform" if dtype.is_floating else "zeros"
        with init_scope():
            start = initializers.get(initializer or default)(sizes, dtype=dtype)
            start = cast(start, dtype)
        with within(NAMES, ""):  # the same name, wherever the layer is first called
            full_name = f"{self.name}/{name or 'Variable'}"
            variable = Variable(start, trainable, full_name, constraint=constraint)
        self._added_weights.append(variable)
        penalty = regularizers.get(regularizer)
        if penalty is not None:
            self._added_losses.append(lambda: penalty(variable))
        return variable

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        for sublayer in self._sublayers():
            if isinstance(sublayer, Layer):
                sublayer.trainable = value

    def _attributes(self):
        """The leaves of all attributes, in the order in which they were first set."""
        for key, value in vars(self).items():
            if key not in _UNTRACKED and value is not None:
                yield from nest.flatten(value)

    def _own_weights(self) -> list[Variable]:
        variables = [
            attribute for attribute in self._attributes() if isinstance(attribute, Variable)
        ]
        return _unique([*variables, *self._added_weights])

    def _sublayers(self) -> list[Module]:
        """The layers and modules among the attributes."""
        modules = (one for one in self._attributes() if isinstance(one, Module))
        return _unique(one for one in modules if one.part_of_layers)

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that training updates; none while `trainable` is False."""
        if not self._trainable:
            return []
        own = [one for one in self._own_weights() if one.trainable]
        below = (one for sublayer in self._sublayers() for one in sublayer.trainable_variables)
        return _unique([*own, *below])

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The variables that training does not update."""
        trainable = {id(one) for one in self.trainable_weights}
        all_weights = [
            *self._own_weights(),
            *(one for sublayer in self._sublayers() for one in sublayer.variables),
        ]
        return _unique(one for one in all_weights if id(one) not in trainable)

    @property
    def weights(self) -> list[Variable]:
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    def get_weights(self) -> list[np.ndarray]:
        """The values of `weights`, as NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, values) -> None:
        """Assign values to `weights`. Raises ValueError if the number or a shape does not fit."""
        weights = self.weights
        if len(values) != len(weights):
            cure = "" if self.built else ". It is not built: call it on inputs first"
            raise ValueError(
                f"{self.name} has {len(weights)} weights; {len(values)} values given{cure}"
            )
        for weight, value in zip(weights, values, strict=True):
            weight.assign(value)

    def count_params(self) -> int:
        """The number of elements of all weights."""
        return sum(int(np.prod(weight.shape.as_list())) for weight in self.weights)

    # ---- losses --------------------------------------------------------------------------

    def add_loss(self, losses) -> None:
        """Add penalties to `losses`: tensors of this call, or functions without arguments."""
        self._added_losses += nest.flatten(losses)

    @property
    def losses(self) -> list:
        """The penalties of this layer and its sublayers."""
        own = [one() if callable(one) else one for one in self._added_losses]
        layers = [one for one in self._sublayers() if isinstance(one, Layer)]
        return own + [loss for sublayer in layers for loss in sublayer.losses]

    def _clear_losses(self) -> None:
        """Remove the losses of the last call, before the outermost call."""
        self._added_losses = [loss for loss in self._added_losses if callable(loss)]
        for other in self._sublayers():
            if isinstance(other, Layer):
                other._clear_losses()

    # ---- calls ---------------------------------------------------------------------------

    @property
    def dtype(self):
        return self._dtype

    compute_dtype = dtype

    @property
    def input_dtype(self):
        """The dtype of the inputs that a layer is built for, where only their shape is given."""
        return self._dtype

    def __call__(self, *args, **kwargs):
        inputs, args = (args[0], args[1:]) if args else (kwargs.pop(self._first_input), ())
        if any(hasattr(leaf, "record_call") for leaf in nest.flatten((inputs, args, kwargs))):
            leaf = next(one for one in nest.flatten(inputs) if hasattr(one, "record_call"))
            return leaf.record_call(self, (inputs, *args), kwargs)
        if isinstance(inputs, (list, tuple)) and is_nested_list(inputs):
            inputs = convert_to_tensor(inputs)
        mask = mask_of(inputs)
        inputs = nest.map_structure(self._as_input, inputs)
        if mask is not None and not args and accepts_mask(type(self).call):
            kwargs = kwargs if kwargs.get("mask") is not None else {**kwargs, "mask": mask}
        if self.input_spec is not None:
            self._check_inputs(inputs)
        if not self.built:
            with naming_the_layer(self, inputs):
                self._build_for(inputs)
            self._note_shape(shapes_of(inputs))
        kwargs, training = self._with_training(args, kwargs)
        if DEPTH.get() == 0:
            self._clear_losses()
        naming = naming_the_layer(self, inputs, self.built_for)
        with inside_a_layer(self.name, training), naming:
            outputs = call_user_code(self.call, inputs, *args, **kwargs)
            if self.activity_regularizer is not None:
                self.add_loss(self.activity_regularizer(outputs))
        self._note_mask(inputs, kwargs.get("mask", mask), outputs)
        return outputs

    def _note_mask(self, inputs, mask, outputs) -> None:
        """Record the mask of the outputs, for later layers and losses."""
        own = type(self).compute_mask is not Layer.compute_mask
        if (mask is None or not self.supports_masking) and not own:
            return
        found = self.compute_mask(inputs, mask)
        first = outputs[0] if isinstance(outputs, (list, tuple)) and outputs else outputs
        if found is not None and isinstance(first, Tensor):
            MASKS[first] = found

    def _as_input(self, leaf):
        """A leaf converted to a tensor if possible; floats in the dtype of the layer."""
        tensor = tensor_of(leaf)
        if tensor is None:
            if not isinstance(leaf, (np.ndarray, np.generic, bool, int, float)):
                return leaf
            tensor = convert_to_tensor(leaf)
        floats = tensor.dtype.is_floating and self._dtype.is_floating
        return cast(tensor, self._dtype) if floats and self.autocast else tensor

    def _check_inputs(self, inputs) -> None:
        """Raise ShapeError for inputs that `input_spec` does not allow."""
        specs = nest.flatten(self.input_spec)
        for spec, leaf in zip(specs, nest.flatten(inputs), strict=False):
            spec.check(leaf, self.name)

    def _build_for(self, inputs) -> None:
        """Create the weights for these inputs, with values at once: no graph is their reason."""
        is_traced = BUILDER.get() is not None or FOR_A_FUNCTION.get()
        with init_scope(), within(FOR_A_FUNCTION, is_traced):
            self.build(shapes_of(inputs))

    def _note_shape(self, shapes=None, *rest) -> None:
        """Record the input shapes that the layer was built for, with any batch size."""
        if isinstance(shapes, dict):
            shapes = list(shapes.values())
        several = isinstance(shapes, (list, tuple)) and any(
            isinstance(one, (list, tuple, TensorShape)) for one in shapes
        )
        sizes = [as_shape(one) for one in (shapes if several else [shapes])]
        sizes = [one if not one else (None, *one[1:]) for one in sizes]
        self.built_for = sizes if several else sizes[0]

    def _with_training(self, args, kwargs):
        """The keyword arguments with `training` filled in, and its value for sublayers."""
        parameter = training_parameter(type(self).call)
        enclosing = TRAINING.get()
        if parameter is None:
            value = kwargs.pop("training", None)
            return kwargs, enclosing if value is None else value
        position, default = parameter
        value = args[position] if len(args) > position else kwargs.get("training")
        if value is None:
            value = enclosing if enclosing is not None else default
            if value is not None and len(args) <= position:
                kwargs = {**kwargs, "training": value}
        return kwargs, value

    @property
    def _first_input(self) -> str:
        return list(inspect.signature(type(self).call).parameters)[1]

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of this shape, computed by tracing the layer."""
        return nest.map_structure(lambda spec: spec.shape, result_for_shape(self, input_shape))

    input, output = Recorded(0), Recorded(1)

    @property
    def input_shape(self) -> tuple:
        """The input shape that the layer was built for, with None for the batch size.

        Raises AttributeError if the layer is not built.
        """
        if self.built_for is None:
            raise AttributeError(f"{self.name} has no input_shape: it is not built yet")
        return self.built_for

    @property
    def output_shape(self) -> tuple:
        """The shape of the outputs for inputs of `input_shape`."""
        shapes = self.compute_output_shape(self.input_shape)
        return nest.map_structure(lambda shape: tuple(shape.as_list()), shapes)

    def get_config(self) -> dict:
        """The arguments of the constructor, including the name."""
        return {"name": self.name, **super().get_config()}

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


layer(Layer)

_UNTRACKED = {
    "built_for",
    "_arguments",
    "_recorded",
    "_added_weights",
    "_added_losses",
    "_declared_shape",
}


def _count_bytes(name: str, sizes, dtype) -> None:
    """Raise DataLossError where the layers of a file have more weights than it can hold."""
    left = BYTES_OF_WEIGHTS.get()
    if left is None:
        return
    left[0] -= math.prod(sizes) * dtype.size
    if left[0] < 0:
        raise DataLossError(
            f"the file is damaged: a weight of '{name}' with shape {show(sizes)} is larger than "
            "what the file holds"
        )


def _marking_as_built(build):
    @functools.wraps(build)
    def building(self, *args, **kwargs):
        build(self, *args, **kwargs)
        self.built = True
        self._note_shape(*args)

    return building


def _unique(objects) -> list:
    return list({id(one): one for one in objects}.values())


def _declared(input_shape, batch_input_shape):
    """The input shape declared in the constructor, with the batch axis."""
    if batch_input_shape is not None:
        return tuple(batch_input_shape)
    return None if input_shape is None else (None, *input_shape)


def last_size(shape, name: str) -> int:
    """The size of the last axis. Raises ShapeError if it is unknown."""
    sizes = as_shape(shape)
    if sizes == ():
        raise ShapeError("its inputs have features along the last axis; a scalar has no axis")
    if sizes is None or sizes[-1] is None:
        raise ShapeError(
            f"{name}: the last dimension of its inputs has to be known, not {show(sizes)}"
        )
    return sizes[-1]
