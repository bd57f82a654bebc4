"""Learning rate schedules: learning rates as functions of the step."""

from __future__ import annotations

import math

from .... import cast, convert_to_tensor, float32, where
from ....extend.operations import ops
from ..registry import Configured, keras_class, serializer

schedule = keras_class("optimizers.schedules")


class LearningRateSchedule(Configured):
    """Base class of schedules: `schedule(step)` returns the learning rate of a step, from 0 on."""

    def __call__(self, step):
        raise NotImplementedError(f"{type(self).__name__} does not define `__call__`")


schedule(LearningRateSchedule)


def _float(step):
    return cast(convert_to_tensor(step), float32)


@schedule
class ExponentialDecay(LearningRateSchedule):
    """`initial * decay_rate ** (step / decay_steps)`; `staircase` rounds the exponent down.

    >>> rate = ag.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    >>> float(rate(20))
    0.25
    """

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def __call__(self, step):
        power = _float(step) / self.decay_steps
        return self.initial_learning_rate * self.decay_rate ** (
            ops.floor(power) if self.staircase else power
        )


@schedule
class InverseTimeDecay(ExponentialDecay):
    """`initial / (1 + decay_rate * step / decay_steps)`."""

    def __call__(self, step):
        ratio = _float(step) / self.decay_steps
        return self.initial_learning_rate / (
            1 + self.decay_rate * (ops.floor(ratio) if self.staircase else ratio)
        )


@schedule
class PiecewiseConstantDecay(LearningRateSchedule):
    """`values[i]` up to and including step `boundaries[i]`, then the last value.

    >>> rate = ag.keras.optimizers.schedules.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.25])
    >>> [float(rate(step)) for step in (10, 11, 21)]
    [1.0, 0.5, 0.25]
    """

    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise ValueError(f"{len(boundaries)} boundaries need {len(boundaries) + 1} values")
        self.boundaries, self.values = list(boundaries), list(values)

    def __call__(self, step):
        step = _float(step)
        rate = convert_to_tensor(float(self.values[-1]))
        for boundary, value in zip(self.boundaries[::-1], self.values[-2::-1], strict=True):
            rate = where(step <= boundary, float(value), rate)
        return rate


@schedule
class PolynomialDecay(LearningRateSchedule):
    """Polynomial decay from the initial to the final rate over `decay_steps` steps."""

    def __init__(
        self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
        name=None,
    ):  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def __call__(self, step):
        step, steps = _float(step), float(self.decay_steps)
        if self.cycle:
            steps = steps * ops.maximum(ops.ceil(step / steps), 1.0)
        remaining = 1 - ops.minimum(step, steps) / steps
        height = self.initial_learning_rate - self.end_learning_rate
        return height * remaining**self.power + self.end_learning_rate


@schedule
class CosineDecay(LearningRateSchedule):
    """Cosine decay from the initial rate to `alpha` times it, after an optional linear warmup.

    Source: Loshchilov & Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.
    """

    def __init__(
        self, initial_learning_rate, decay_steps, alpha=0.0, name=None, warmup_target=None,
        warmup_steps=0,
    ):  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.warmup_target, self.warmup_steps = alpha, warmup_target, warmup_steps

    def __call__(self, step):
        step = _float(step)
        if self.warmup_target is None:
            return self._decayed(self.initial_learning_rate, step)
        climb = self.warmup_target - self.initial_learning_rate
        warming = self.initial_learning_rate + climb * step / self.warmup_steps
        decayed = self._decayed(self.warmup_target, step - self.warmup_steps)
        return where(step < self.warmup_steps, warming, decayed)

    def _decayed(self, start, step):
        fraction = ops.minimum(step, float(self.decay_steps)) / self.decay_steps
        wave = 0.5 * (1 + ops.cos(math.pi * fraction))
        return start * ((1 - self.alpha) * wave + self.alpha)


@schedule
class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decay that starts again: each period is `t_mul` times as long as the one before, and
    starts at `m_mul` times its rate.

    Source: Loshchilov & Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.
    """

    def __init__(
        self, initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None
    ):
        self.initial_learning_rate, self.first_decay_steps = (
            initial_learning_rate,
            first_decay_steps,
        )
        self.t_mul, self.m_mul, self.alpha = t_mul, m_mul, alpha

    def __call__(self, step):
        done = _float(step) / self.first_decay_steps
        if self.t_mul == 1:
            period = ops.floor(done)
            share = done - period
        else:
            period = ops.floor(ops.log(1 - done * (1 - self.t_mul)) / math.log(self.t_mul))
            before = (1 - self.t_mul**period) / (1 - self.t_mul)
            share = (done - before) / self.t_mul**period
        wave = 0.5 * self.m_mul**period * (1 + ops.cos(math.pi * share))
        return self.initial_learning_rate * ((1 - self.alpha) * wave + self.alpha)


serializer("optimizers.schedules")
