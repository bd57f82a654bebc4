"""`Strategy.fit`: the training loop of Keras models on replicas, with checkpoints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import GradientTape, Variable, concat, convert_to_tensor, int64
from ... import function as decorate
from ...extend import nest
from ...extend.errors import InvalidArgumentError
from ..data.datasets.dataset import Dataset
from ..saved.checkpoint import Checkpoint
from ..saved.checkpoint_manager import CheckpointManager

if TYPE_CHECKING:
    from .strategy import Strategy

MEANS = ("sum_over_batch_size", "auto", "mean")  # reductions that are weighted by rows
SUMS = ("sum",)
KEPT = 2  # checkpoints: the last one, and the one before


class Training:
    """The training of one model: its steps, and its place in epochs and batches."""

    def __init__(self, strategy: Strategy, model: Any, folder, every: int):
        model.check_compiled()
        self.strategy, self.model, self.every = strategy, model, every
        self.is_mean = _is_mean(model)
        self.epoch = Variable(0, False, "epoch", int64)
        self.gradients = decorate(self._gradients)
        self.apply = decorate(self._apply)
        options: dict = getattr(self.apply, "options")  # noqa: B009 - the stub has none
        options["jit_compile"] = "where possible"  # at once, for the sake of equal bits
        self.manager = None
        if folder is not None:
            self.checkpoint = Checkpoint(
                model=model, optimizer=model.optimizer, strategy=strategy, epoch=self.epoch
            )
            os.makedirs(folder, exist_ok=True)
            self.manager = CheckpointManager(self.checkpoint, folder, KEPT)

    # ---- what replicas compute -----------------------------------------------------------

    def _gradients(self, batch, share):
        """The share of the loss and of its gradients, and the predictions."""
        x, y, weight = batch
        variables = self.model.trainable_variables
        with GradientTape() as tape:
            predicted = self.model(x, training=True)
            loss = self.model.compute_loss(x, y, predicted, weight)
            loss = loss * share if self.is_mean else loss
        return loss, tape.gradient(loss, list(variables)), predicted

    def _apply(self, gradients):
        self.model.optimizer.apply_gradients(
            zip(gradients, self.model.trainable_variables, strict=True)
        )

    def _step(self, batch) -> dict:
        if not self.model.built:
            self.model(batch[0])
        parts = self.strategy.split(batch)
        rows = [len(value) for value in nest.flatten(parts)[0].values]
        shares = type(nest.flatten(parts)[0])(
            convert_to_tensor(np.float32(count / sum(rows))) for count in rows
        )
        loss, gradients, predicted = self.strategy.run(self.gradients, (parts, shares))
        self.apply(self.strategy.reduce("sum", gradients))
        predicted = nest.map_structure(lambda one: concat(list(one.values), 0), predicted)
        x, y, weight = batch
        self.model._mean_loss.update_state(self.strategy.reduce("sum", loss), float(sum(rows)))
        return self.model.compute_metrics(x, y, predicted, weight)

    # ---- epochs --------------------------------------------------------------------------

    def run(self, dataset, epochs: int, verbose) -> dict[str, list[float]]:
        """Train up to this number of epochs, from the last checkpoint if there is one."""
        if self.manager is not None and not isinstance(dataset, Dataset):
            raise TypeError(
                f"to continue from a checkpoint takes a Dataset, not {type(dataset).__name__}: "
                "the position of others cannot be saved. Use ag.data.Dataset.from_generator"
            )
        iterator = self._resumed(iter(dataset))
        history: dict[str, list[float]] = {}
        while int(self.epoch) < epochs:
            logs = self._epoch(iterator)
            self.epoch.assign_add(1)
            iterator = iter(dataset)
            self._save(iterator)
            for name, value in logs.items():
                history.setdefault(name, []).append(value)
            if verbose:
                shown = " - ".join(f"{name}: {value:.4f}" for name, value in logs.items())
                print(f"Epoch {int(self.epoch)}/{epochs} - {shown}")
        return history

    def _epoch(self, iterator) -> dict[str, float]:
        self.model.reset_metrics()
        logs: dict = {}
        for batch in iterator:
            batch = (*batch, None, None)[:3] if isinstance(batch, tuple) else (batch, None, None)
            logs = self._step(batch)
            if self.every and int(self.strategy.step) % self.every == 0:
                self._save(iterator)
        return {name: float(np.asarray(value)) for name, value in logs.items()}

    # ---- checkpoints ---------------------------------------------------------------------

    def _save(self, iterator) -> None:
        if self.manager is not None:
            self.checkpoint.iterator = iterator
            self.manager.save()

    def _resumed(self, iterator):
        """The iterator, at the position of the last checkpoint, which is restored."""
        if self.manager is not None and self.manager.latest_checkpoint is not None:
            self.checkpoint.iterator = iterator
            self.checkpoint.restore(self.manager.latest_checkpoint)
        return iterator


def _is_mean(model) -> bool:
    """Whether the losses are means over rows. Raises InvalidArgumentError if neither mean nor sum.

    Then the loss of a batch would not be the sum of the losses of its parts.
    """
    losses = nest.flatten(getattr(model, "_losses", None) or ())
    reductions = {loss.reduction for loss in losses}
    if any(getattr(loss, "options", {}).get("ignore_class") is not None for loss in losses):
        raise InvalidArgumentError(
            "a loss with ignore_class is the mean over a number of rows that differs by replica",
            "Pass sample weights of 0 for these rows instead.",
        )
    if reductions <= {*MEANS}:
        return True
    if reductions <= {*SUMS} and not model.losses:
        return False
    raise InvalidArgumentError(
        f"losses with the reductions {sorted(map(str, reductions))} cannot be added up by replica",
        'Use the same reduction for all losses, "sum_over_batch_size" or "sum".',
    )
