"""Optimizers that build on others: Nesterov momentum in Adam, sparse models, scaled losses."""

from __future__ import annotations

from .... import (
    Variable,
    cast,
    clip_by_value,
    expand_dims,
    init_scope,
    int64,
    reduce_mean,
    reduce_sum,
    where,
    zeros,
)
from ....extend.operations import ops
from ....extend.registration import expose
from .optimizers import Adam, Optimizer, optimizer, update_moments


@optimizer
class Nadam(Adam):
    """Adam with Nesterov momentum: the step looks one step ahead.

    Source: Dozat, "Incorporating Nesterov momentum into Adam", 2015.
    """

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **kwargs)
        with init_scope():
            self._products = [Variable(1.0, False, "momenta"), Variable(0, False, "step", int64)]

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        now = self.beta_1 * (1 - 0.5 * 0.96**step)
        later = self.beta_1 * (1 - 0.5 * 0.96 ** (step + 1))
        product = self._product(now, step)
        m, v = update_moments(slots, g, self.beta_1, self.beta_2)
        ahead = later * m / (1 - product * later) + (1 - now) * g / (1 - product)
        variable.assign_sub(rate * ahead / (ops.sqrt(v / (1 - self.beta_2**step)) + self.epsilon))

    def _product(self, momentum, step):
        """The product of the momenta of all steps, which is updated once a step."""
        total, last = self._products
        is_new = cast(last.value(), step.dtype) < step
        product = where(is_new, cast(total.value(), step.dtype) * momentum, total.value())
        total.assign(cast(product, total.dtype))
        last.assign(cast(step, int64))
        return product


@optimizer
class Ftrl(Optimizer):
    """Follow the regularized leader, for sparse models.

    Source: McMahan et al., "Ad click prediction: a view from the trenches", 2013.
    """

    def __init__(
        self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1,
        l1_regularization_strength=0.0, l2_regularization_strength=0.0,
        l2_shrinkage_regularization_strength=0.0, beta=0.0, **kwargs,
    ):  # fmt: skip
        super().__init__(learning_rate, **kwargs)
        self.power, self.beta = learning_rate_power, beta
        self.l1, self.l2 = l1_regularization_strength, l2_regularization_strength
        self.shrinkage = l2_shrinkage_regularization_strength
        self.slots = {"accumulator": initial_accumulator_value, "linear": 0.0}

    def update(self, g, variable, rate, step):
        slots, value = self._slots_of(variable), variable.value()
        total = slots["accumulator"].value()
        grown = total + g * g
        change = (grown**-self.power - total**-self.power) / rate
        linear = slots["linear"].value() + g + 2 * self.shrinkage * value - change * value
        slots["accumulator"].assign(grown)
        slots["linear"].assign(linear)
        quadratic = grown**-self.power / rate + 2 * (self.l2 + self.beta / (2 * rate))
        variable.assign((clip_by_value(linear, -self.l1, self.l1) - linear) / quadratic)


@optimizer
class LossScaleOptimizer(Optimizer):
    """An optimizer around another one. Losses need no scale, since they are computed in float32."""

    def __init__(self, inner_optimizer, initial_scale=1.0, **kwargs):
        super().__init__(0.0)
        self.inner_optimizer = inner_optimizer

    def get_scaled_loss(self, loss):
        """The loss: its scale is 1."""
        return loss

    def get_unscaled_gradients(self, grads):
        """The gradients: their scale is 1."""
        return grads

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        return self.inner_optimizer.apply_gradients(grads_and_vars, name, **kwargs)

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        return self.inner_optimizer.variables

    def build(self, var_list) -> None:
        self.inner_optimizer.build(var_list)


expose(LossScaleOptimizer, "keras.mixed_precision.LossScaleOptimizer")


@optimizer
class Adafactor(Optimizer):
    """Steps scaled by second moments that are kept for rows and columns of matrices only.

    With `relative_step`, the rate falls with the number of steps and grows with the variable.

    Source: Shazeer & Stern, "Adafactor", 2018.
    """

    def __init__(
        self, learning_rate=0.001, beta_2_decay=-0.8, epsilon_1=1e-30, epsilon_2=1e-3,
        clip_threshold=1.0, relative_step=True, **kwargs,
    ):  # fmt: skip
        super().__init__(learning_rate, **kwargs)
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def _slots_of(self, variable):
        self.slots = {"r": 0.0, "c": 0.0} if len(variable.dims) > 1 else {"v": 0.0}
        return super()._slots_of(variable)

    def _new_slot(self, variable, name: str) -> Variable:
        dims = variable.dims
        shape = {"r": dims[:-1], "c": (*dims[:-2], *dims[-1:]), "v": dims}[name]
        with init_scope():
            return Variable(zeros(shape, variable.dtype), False, f"{self.name}/{name}")

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        if self.relative_step:
            rate = ops.minimum(rate, 1 / ops.sqrt(step))
        scale = ops.maximum(_root_mean_square(variable.value()), self.epsilon_2)
        share = 1 - step**self.beta_2_decay
        squares = g * g + self.epsilon_1

        def moved(name: str, new):
            value = slots[name].value() * share + new * (1 - share)
            slots[name].assign(value)
            return value

        if "v" in slots:
            moment = moved("v", squares)
        else:
            rows = moved("r", reduce_mean(squares, -1))
            columns = moved("c", reduce_mean(squares, -2))
            share_of_rows = rows / reduce_mean(rows, -1, True)
            moment = expand_dims(share_of_rows, -1) * expand_dims(columns, -2)
        change = g / ops.sqrt(moment)
        change = change / ops.maximum(1.0, _root_mean_square(change) / self.clip_threshold)
        variable.assign_sub(rate * scale * change)


def _root_mean_square(x):
    return ops.sqrt(reduce_mean(x * x))


@optimizer
class Lamb(Adam):
    """Adam, with the step of each variable scaled to the norm of the variable.

    Source: You et al., "Large batch optimization for deep learning", 2019.
    """

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        m, v = update_moments(slots, g, self.beta_1, self.beta_2)
        change = (m / (1 - self.beta_1**step)) / (
            ops.sqrt(v / (1 - self.beta_2**step)) + self.epsilon
        )
        norm, length = (ops.sqrt(reduce_sum(x * x)) for x in (variable.value(), change))
        ratio = where(norm > 0, where(length > 0, norm / length, 1.0), 1.0)
        variable.assign_sub(rate * ratio * change)
