"""Losses and metrics of models with several outputs, by the names of the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....extend.errors import did_you_mean


def part_of(structure: Any, name: str, names: Sequence[str], what: str) -> Any:
    """The part of labels or predictions that belongs to the output with a name: an item of a
    dictionary, or of a sequence in the order of the `names`.

    >>> part_of(["one", "two"], "kind", ["size", "kind"], "labels")
    'two'

    Raises ValueError where there is none.
    """
    known = list(structure) if isinstance(structure, Mapping) else list(names)
    if name not in known:
        hint = did_you_mean(name, known) if known else " Return a dictionary of outputs."
        raise ValueError(f"the {what} have no part '{name}'.{hint}")
    if isinstance(structure, Mapping):
        return structure[name]
    if not isinstance(structure, (list, tuple)):
        if len(known) == 1:
            return structure
        raise ValueError(f"the {what} are no list or dictionary of {', '.join(known)}")
    if len(structure) != len(known):
        raise ValueError(f"there are {len(structure)} {what} for the outputs {', '.join(known)}")
    return structure[known.index(name)]


def weight_of(weights: Any, name: str, names: Sequence[str]) -> float:
    """The weight of the loss of an output; 1 where none is given."""
    if isinstance(weights, Mapping):
        return weights.get(name, 1.0)
    return 1.0 if weights is None else part_of(weights, name, names, "loss weights")


def metric_rows(metrics: Any, is_weighted: bool) -> list[tuple[Any, bool, str | None]]:
    """Each metric of `compile`, whether samples are weighted, and the output that it is of."""
    if not isinstance(metrics, Mapping):
        return [(one, is_weighted, None) for one in metrics or ()]
    rows = []
    for name, ones in metrics.items():
        several = ones if isinstance(ones, (list, tuple)) else [ones]
        rows += [(one, is_weighted, name) for one in several]
    return rows
