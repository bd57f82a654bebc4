"""The functional API: models defined by calls on placeholders, `Model(x, Dense(4)(x))`."""

from __future__ import annotations

from typing import NamedTuple

from .... import TensorShape, as_dtype, expand_dims, float32
from ....extend import nest
from ....extend.errors import boundary, in_users_words
from ....extend.registration import expose, public
from ....extend.specs import as_shape, show
from ..layers.base_layer import Layer
from ..layers.call_context import call_masked, unique_name
from ..layers.shape_inference import Placeholder, result_for
from ..registry import TABLES, Untracked


class Call(NamedTuple):
    """A recorded call of a layer on placeholders, which a model replays on tensors."""

    layer: object
    args: tuple
    kwargs: dict
    results: list


class KerasTensor(Placeholder):
    """A placeholder with a shape and a dtype, for defining models by calls of layers."""

    def __init__(self, shape, dtype=float32, name=None):
        self.dims = as_shape(shape)
        self.dtype = as_dtype(dtype)
        self.name = name or unique_name("keras_tensor")
        self.call: Call | None = None

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dims)

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def record_call(self, layer, args, kwargs):
        """Record a call of a layer with arguments that contain this one; returns placeholders."""
        specs = result_for(layer, *args, **kwargs)
        flat = [KerasTensor(spec.dims, spec.dtype) for spec in nest.flatten(specs)]
        for result in flat:
            result.call = Call(layer, args, kwargs, flat)
        results = nest.pack_sequence_as(specs, flat)
        vars(layer).setdefault("_recorded", Untracked(args[0], results))
        return results

    def __tf_tensor__(self, dtype=None, name=None):
        raise TypeError(
            "a placeholder of keras.Input has no value: wrap this step in keras.layers.Lambda, "
            "or write the model as a subclass of keras.Model"
        )

    @boundary
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        raise TypeError(
            f"np.{ufunc.__name__} takes arrays, and a placeholder of keras.Input has no value: "
            f"{in_users_words(f'ag.keras.ops.{ufunc.__name__}(x)')} computes it when the model runs"
        )

    def __getitem__(self, key):
        return self._step("__getitem__", key)

    def _step(self, operator: str, *others):
        if any(isinstance(other, KerasTensor) for other in others):
            return OperatorStep(operator)([self, *others])
        return OperatorStep(operator, *others)(self)

    def __repr__(self):
        return f"<KerasTensor shape={show(self.dims)} dtype={self.dtype.name} name={self.name}>"


BINARY = [
    f"__{prefix}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
    for prefix in ("", "r")
]
OTHERS = ["__neg__", "__abs__", "__lt__", "__le__", "__gt__", "__ge__"]


class OperatorStep(Layer):
    """An operator on placeholders as a layer."""

    def __init__(self, operator, *others, name=None):
        super().__init__(name=name)
        if operator not in (*BINARY, *OTHERS, "__getitem__"):  # a file may name any method
            raise ValueError(f"{operator!r} is not an operator on placeholders")
        self.operator, self.others = operator, others

    def call(self, inputs):
        x, *others = inputs if isinstance(inputs, (list, tuple)) else [inputs, *self.others]
        return getattr(x, self.operator)(*others)

    def get_config(self) -> dict:
        return {"name": self.name, "operator": self.operator, "others": list(self.others)}

    @classmethod
    def from_config(cls, config: dict):
        return cls(config["operator"], *config["others"], name=config["name"])


TABLES["layers"][OperatorStep.__name__] = OperatorStep


def _operator(name: str):
    def operator(self, *others):
        return self._step(name, *others)

    return operator


for _method in (*BINARY, *OTHERS):
    setattr(KerasTensor, _method, _operator(_method))
expose(KerasTensor, "keras.KerasTensor")


@public("keras.Input", "keras.layers.Input")
def Input(shape=None, batch_size=None, dtype=float32, name=None, batch_shape=None):  # noqa: N802
    """A placeholder for inputs of shape [batch_size, *shape], for the functional API.

    `batch_shape` is an alternative that includes the batch axis.

    >>> x = ag.keras.Input([3])
    >>> model = ag.keras.Model(x, ag.keras.layers.Dense(2)(x) * 10.0)
    >>> model(ag.ones([5, 3])).shape
    TensorShape([5, 2])
    """
    sizes = (batch_size, *as_shape(shape)) if batch_shape is None else batch_shape
    return KerasTensor(sizes, dtype, name or unique_name("input"))


def with_features(x, rank: int):
    """A vector, of one feature of each example, as a column where inputs have features."""
    return expand_dims(x, -1) if rank == 2 and getattr(x, "ndim", None) == 1 else x


class Chain:
    """The calls that compute output placeholders from input placeholders."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs
        for leaf in nest.flatten(inputs):
            if not isinstance(leaf, KerasTensor):
                raise ValueError(
                    f"the inputs of a model are placeholders that ag.keras.Input made, not {leaf!r}"
                )
        self.calls: list[Call] = []
        self._collect(nest.flatten(outputs), {id(leaf) for leaf in nest.flatten(inputs)})

    def _collect(self, symbols, computed) -> None:
        """Append the calls that compute `symbols`, in topological order."""
        for symbol in symbols:
            if id(symbol) in computed or not isinstance(symbol, KerasTensor):
                continue
            if symbol.call is None:
                raise ValueError(f"the outputs depend on {symbol!r}, which is not an input")
            self._collect(nest.flatten((symbol.call.args, symbol.call.kwargs)), computed)
            if id(symbol) not in computed:
                computed.update(map(id, symbol.call.results))
                self.calls.append(symbol.call)

    @property
    def layers(self) -> list:
        """The layers, each once, in the order of their first calls."""
        return list({id(call.layer): call.layer for call in self.calls}.values())

    def __call__(self, inputs):
        """The outputs for input tensors."""
        names, tensors = nest.flatten(self.inputs), nest.flatten(inputs)
        if isinstance(inputs, dict) and not isinstance(self.inputs, dict):
            tensors = [inputs[symbol.name] for symbol in names]
        if len(names) != len(tensors):
            raise ValueError(f"the model takes {len(names)} inputs; {len(tensors)} given")
        values = {
            id(name): with_features(value, name.ndim) if name.dims[-1:] == (1,) else value
            for name, value in zip(names, tensors, strict=True)
        }

        def value_of(leaf):
            return values.get(id(leaf), leaf)

        masks: dict = {}
        for call in self.calls:
            (x, *args), kwargs = nest.map_structure(value_of, (call.args, call.kwargs))
            tensors = [masks.get(id(one)) for one in nest.flatten(call.args[0])]
            mask = next((one for one in tensors if one is not None), None)
            if args:
                outputs = call.layer(x, *args, **kwargs)
            else:
                outputs, mask = call_masked(call.layer, x, mask, **kwargs)
            values.update(zip(map(id, call.results), nest.flatten(outputs), strict=True))
            masks.update((id(result), mask) for result in call.results)
        return nest.map_structure(value_of, self.outputs)
