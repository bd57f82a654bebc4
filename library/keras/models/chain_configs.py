"""Models made of calls on placeholders as configurations: the layers, and the calls in order."""

from __future__ import annotations

from ....extend import nest
from ..registry import described, finder_of
from .functional_api import Chain, Input, KerasTensor


def config_of_chain(chain: Chain) -> dict:
    """The inputs, the layers, and the calls, whose placeholders have numbers."""
    numbers: dict[int, int] = {}

    def number_of(placeholder) -> int:
        return numbers.setdefault(id(placeholder), len(numbers))

    def encoded(value):
        if isinstance(value, KerasTensor):
            return {"placeholder": number_of(value)}
        if isinstance(value, (list, tuple)):
            return [encoded(one) for one in value]
        if isinstance(value, dict):
            return {"dict": {key: encoded(one) for key, one in value.items()}}
        return {"value": described(value)}

    inputs = [
        {"batch_shape": list(one.dims), "dtype": one.dtype.name, "name": one.name,
         "placeholder": number_of(one)}
        for one in nest.flatten(chain.inputs)
    ]  # fmt: skip
    places = {id(one): place for place, one in enumerate(chain.layers)}
    calls = [
        {"layer": places[id(call.layer)], "args": encoded(call.args),
         "kwargs": encoded(call.kwargs), "results": [number_of(one) for one in call.results]}
        for call in chain.calls
    ]  # fmt: skip
    return {
        "placeholders": inputs, "layers": [described(one) for one in chain.layers], "calls": calls,
        "inputs": encoded(chain.inputs), "outputs": encoded(chain.outputs),
    }  # fmt: skip


def placeholders_of(config: dict) -> tuple:
    """Inputs and outputs with the calls of `config_of_chain`, on new layers."""
    find = finder_of("layers")
    layers = [find(one) for one in config["layers"]]
    placeholders = {
        one["placeholder"]: Input(
            batch_shape=one["batch_shape"], dtype=one["dtype"], name=one["name"]
        )
        for one in config["placeholders"]
    }

    def decoded(value):
        if isinstance(value, list):
            return [decoded(one) for one in value]
        if "placeholder" in value:
            return placeholders[value["placeholder"]]
        if "dict" in value:
            return {key: decoded(one) for key, one in value["dict"].items()}
        return value["value"]

    for call in config["calls"]:
        results = layers[call["layer"]](*decoded(call["args"]), **decoded(call["kwargs"]))
        placeholders.update(zip(call["results"], nest.flatten(results), strict=True))
    return decoded(config["inputs"]), decoded(config["outputs"])
