"""Optimizers that build on others: Nesterov momentum in Adam, sparse models, scaled losses."""

from __future__ import annotations

from ....runtime.core.dtypes import int64
from ....runtime.core.public_names import expose
from ....runtime.ops.array.clipping import clip_by_value
from ....runtime.ops.array.masking import where
from ....runtime.ops.math.casting import cast
from ....runtime.ops.math.transcendental import Sqrt
from ....runtime.ops.state.variables import Variable
from ....tracing.functions.func_graph import init_scope
from .optimizers import Adam, Optimizer, optimizer


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
        m = slots["m"].value() * self.beta_1 + g * (1 - self.beta_1)
        v = slots["v"].value() * self.beta_2 + g * g * (1 - self.beta_2)
        slots["m"].assign(m)
        slots["v"].assign(v)
        ahead = later * m / (1 - product * later) + (1 - now) * g / (1 - product)
        variable.assign_sub(rate * ahead / (Sqrt(v / (1 - self.beta_2**step)) + self.epsilon))

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
