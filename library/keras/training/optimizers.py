"""Optimizers: the update rules of variables."""

from __future__ import annotations

import warnings

from .... import (
    Variable,
    cast,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    control_dependencies,
    convert_to_tensor,
    init_scope,
    int64,
)
from ....extend.errors import depth_of_user
from ....extend.graphs import BUILDER
from ....extend.operations import ops
from ...module import Module
from ..layers.initializers import Constant
from ..registry import Configured, Untracked, finder, keras_class
from .learning_rate_schedules import LearningRateSchedule
from .loss_gradients import assigned_since, checked_pairs, gradients_of

optimizer = keras_class("optimizers")


class Optimizer(Configured, Module):
    """Base class of optimizers.

    A subclass lists in `slots` the names and initial values of the state variables for each trained
    variable, and defines `update`, which performs a step. Slots are created when they are needed.

    >>> v = ag.Variable(3.0)
    >>> sgd = ag.keras.optimizers.SGD(learning_rate=0.5)
    >>> _ = sgd.apply_gradients([(ag.constant(2.0), v)])
    >>> float(v)
    2.0
    """

    slots: dict[str, float] = {}
    part_of_modules = part_of_layers = False

    def __init__(
        self, learning_rate=0.01, name=None, clipnorm=None, clipvalue=None, global_clipnorm=None,
        weight_decay=None, lr=None,
    ):  # fmt: skip
        self._name = name or type(self).__name__.lower()
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.weight_decay = weight_decay
        self._tables = Untracked({})  # the slots of each variable, by a reference to it
        rate = learning_rate if lr is None else lr
        with init_scope():
            self.iterations = Variable(0, False, f"{self.name}/iterations", int64)
            self._rate = rate if callable(rate) else Variable(float(rate), False, "learning_rate")

    # ---- the learning rate ---------------------------------------------------------------

    @property
    def learning_rate(self):
        """A variable, or the value of a schedule for the current step."""
        if isinstance(self._rate, LearningRateSchedule):
            return self._rate(self.iterations)
        return self._rate() if not isinstance(self._rate, Variable) else self._rate

    @learning_rate.setter
    def learning_rate(self, value) -> None:
        if callable(value) or not isinstance(self._rate, Variable):
            self._rate = value if callable(value) else Variable(float(value), False)
        else:
            self._rate.assign(value)

    lr = learning_rate

    # ---- slots ---------------------------------------------------------------------------

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """The step counter, the learning rate and all slots."""
        rate = [self._rate] if isinstance(self._rate, Variable) else []
        slots_ = [slot for slots in self._tables.objects[0].values() for slot in slots.values()]
        return [self.iterations, *rate, *slots_]

    def build(self, var_list) -> None:
        """Create the slots of these variables."""
        for variable in var_list:
            self._slots_of(variable)

    def _slots_of(self, variable) -> dict[str, Variable]:
        """The slots of a variable, created on first use."""
        key = variable.ref()
        (tables,) = self._tables.objects
        slots = tables.get(key)
        if slots is None:
            slots = {name: self._new_slot(variable, name) for name in self.slots}
            setattr(
                self, f"slots_{len(tables)}", slots
            )  # an attribute, so that checkpoints track it
            tables[key] = slots
        return slots

    def _new_slot(self, variable, name: str) -> Variable:
        with init_scope():
            start = Constant(self.slots[name])(variable.dims, variable.dtype)
        stem = variable.name.rpartition(":")[0]
        return Variable(start, False, f"{self.name}/{stem}/{name}")

    def get_slot(self, variable, name: str) -> Variable:
        """The slot `name` of a variable."""
        return self._slots_of(variable)[name]

    # ---- steps ---------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        """Perform a step for pairs of a gradient and a variable; gradients of None are skipped.

        Returns the step counter. Raises ValueError if all gradients are None.
        """
        pairs = checked_pairs(grads_and_vars)
        missing = [variable.name for gradient, variable in pairs if gradient is None]
        pairs = [pair for pair in pairs if pair[0] is not None]
        if not pairs:
            raise ValueError(
                f"no gradients for any variable: {', '.join(missing) or 'none given'}. "
                "Compute the loss from them, in floats, inside `with ag.GradientTape()`"
            )
        if missing:
            warnings.warn(f"no gradients for {', '.join(missing)}", stacklevel=depth_of_user())
        gradients, variables = zip(*pairs, strict=True)
        for variable in variables:
            self._slots_of(variable)
        start = 0 if BUILDER.get() is None else len(BUILDER.get().nodes)
        step = self.iterations.value() + 1
        rate = convert_to_tensor(self.learning_rate)
        for gradient, variable in zip(self._clipped(gradients), variables, strict=True):
            dtype = variable.dtype
            own_rate = cast(rate, dtype)
            if self.weight_decay:
                variable.assign_sub(variable.value() * (own_rate * self.weight_decay))
            self.update(cast(gradient, dtype), variable, own_rate, cast(step, dtype))
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable.value()))
        with control_dependencies(assigned_since(start)):
            return self.iterations.assign(step)

    def scale_loss(self, loss):
        """The loss: its scale is 1, since it is computed in float32."""
        return loss

    def apply(self, gradients, trainable_variables) -> None:
        """Perform a step for a list of gradients and the list of their variables."""
        self.apply_gradients(zip(gradients, trainable_variables, strict=True))

    def minimize(self, loss, var_list, tape=None, name=None):
        """Perform a step that reduces `loss`, a function or a tensor recorded by `tape`."""
        return self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def compute_gradients(self, loss, var_list, tape=None) -> list:
        """Pairs of gradients and variables of `loss`, a function or a tensor recorded by `tape`."""
        gradients, variables = gradients_of(loss, var_list, tape)
        return list(zip(gradients, variables, strict=True))

    def _clipped(self, gradients) -> list:
        gradients = [convert_to_tensor(gradient) for gradient in gradients]
        if self.clipvalue is not None:
            gradients = [
                clip_by_value(gradient, -self.clipvalue, self.clipvalue) for gradient in gradients
            ]
        if self.clipnorm is not None:
            gradients = [clip_by_norm(gradient, self.clipnorm) for gradient in gradients]
        if self.global_clipnorm is not None:
            gradients = clip_by_global_norm(gradients, self.global_clipnorm)[0]
        return gradients

    def update(self, g, variable, rate, step) -> None:
        """Update `variable` and its slots, for the gradient `g`; `step` counts from 1."""
        raise NotImplementedError(f"{type(self).__name__} does not define `update`")

    def __repr__(self):
        return f"<{type(self).__name__} after {int(self.iterations.handle.read())} steps>"


optimizer(Optimizer)


@optimizer
class SGD(Optimizer):
    """`v -= rate * g`; with momentum, `velocity = momentum * velocity - rate * g; v += velocity`.

    With `nesterov`, the step is `momentum * velocity - rate * g` with the new velocity.
    """

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, **kwargs):
        super().__init__(learning_rate, **kwargs)
        if not 0 <= momentum <= 1:
            raise ValueError(f"SGD: momentum is between 0 and 1, not {momentum}")
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = {"momentum": 0.0} if momentum else {}

    def update(self, g, variable, rate, step):
        if not self.momentum:
            variable.assign_sub(rate * g)
            return
        slot = self._slots_of(variable)["momentum"]
        velocity = self.momentum * slot.value() - rate * g
        slot.assign(velocity)
        variable.assign_add(self.momentum * velocity - rate * g if self.nesterov else velocity)


@optimizer
class Adam(Optimizer):
    """Adam: steps scaled by moving averages of the gradient and its square.

    Source: Kingma & Ba, "Adam: a method for stochastic optimization", 2015.
    """

    def __init__(
        self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, **kwargs
    ):
        super().__init__(learning_rate, **kwargs)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self.slots = {"m": 0.0, "v": 0.0, **({"vhat": 0.0} if amsgrad else {})}

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        m, v = update_moments(slots, g, self.beta_1, self.beta_2)
        if self.amsgrad:
            v = ops.maximum(slots["vhat"].value(), v)
            slots["vhat"].assign(v)
        scale = rate * ops.sqrt(1 - self.beta_2**step) / (1 - self.beta_1**step)
        variable.assign_sub(scale * m / (ops.sqrt(v) + self.epsilon))


@optimizer
class AdamW(Adam):
    """Adam with decoupled weight decay by `rate * weight_decay` before each step.

    Source: Loshchilov & Hutter, "Decoupled weight decay regularization", 2019.
    """

    def __init__(self, learning_rate=0.001, weight_decay=0.004, **kwargs):
        super().__init__(learning_rate, weight_decay=weight_decay, **kwargs)


@optimizer
class Adamax(Optimizer):
    """Adam with a decaying maximum of the gradient instead of the mean square."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.slots = {"m": 0.0, "u": 0.0}

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        m = slots["m"].value() * self.beta_1 + g * (1 - self.beta_1)
        u = ops.maximum(self.beta_2 * slots["u"].value(), abs(g))
        slots["m"].assign(m)
        slots["u"].assign(u)
        variable.assign_sub(rate / (1 - self.beta_1**step) * m / (u + self.epsilon))


def update_moments(slots, g, beta_1, beta_2) -> tuple:
    """Moving averages of a gradient and of its square, with this step in them."""
    m = slots["m"].value() * beta_1 + g * (1 - beta_1)
    v = slots["v"].value() * beta_2 + g * g * (1 - beta_2)
    slots["m"].assign(m)
    slots["v"].assign(v)
    return m, v


def update_moving_variance(slots, g, rho, centered: bool):
    """The moving average of the squared gradient; if `centered`, the moving variance."""
    spread = velocity = rho * slots["velocity"].value() + (1 - rho) * g * g
    slots["velocity"].assign(velocity)
    if centered:
        mean = rho * slots["mean"].value() + (1 - rho) * g
        slots["mean"].assign(mean)
        spread = velocity - mean * mean
    return spread


@optimizer
class RMSprop(Optimizer):
    """RMSprop: steps scaled by the root of a moving average of the squared gradient.

    Source: Tieleman & Hinton, "Lecture 6.5", 2012. `centered` uses the moving variance.
    """

    def __init__(
        self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, **kwargs
    ):
        super().__init__(learning_rate, **kwargs)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        names = ["velocity", *["momentum"] * bool(momentum), *["mean"] * bool(centered)]
        self.slots = dict.fromkeys(names, 0.0)

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        spread = update_moving_variance(slots, g, self.rho, self.centered)
        change = rate * g / ops.sqrt(spread + self.epsilon)
        if self.momentum:
            change = self.momentum * slots["momentum"].value() + change
            slots["momentum"].assign(change)
        variable.assign_sub(change)


@optimizer
class Adagrad(Optimizer):
    """Adagrad: steps scaled by the root of the sum of all squared gradients.

    Source: Duchi et al., "Adaptive subgradient methods", 2011.
    """

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.epsilon = epsilon
        self.slots = {"accumulator": initial_accumulator_value}

    def update(self, g, variable, rate, step):
        slot = self._slots_of(variable)["accumulator"]
        total = slot.value() + g * g
        slot.assign(total)
        variable.assign_sub(rate * g / ops.sqrt(total + self.epsilon))


@optimizer
class Adadelta(Optimizer):
    """Adadelta: steps scaled by the ratio of moving averages of updates and gradients.

    Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.
    """

    slots = {"squares": 0.0, "changes": 0.0}

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.rho, self.epsilon = rho, epsilon

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        squares = self.rho * slots["squares"].value() + (1 - self.rho) * g * g
        before = slots["changes"].value()
        change = ops.sqrt(before + self.epsilon) / ops.sqrt(squares + self.epsilon) * g
        slots["squares"].assign(squares)
        slots["changes"].assign(self.rho * before + (1 - self.rho) * change * change)
        variable.assign_sub(rate * change)


@optimizer
class Lion(Optimizer):
    """Lion: steps of constant size in the direction of the sign of a moving average.

    Source: Chen et al., "Symbolic discovery of optimization algorithms", 2023.
    """

    slots = {"m": 0.0}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.99, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.beta_1, self.beta_2 = beta_1, beta_2

    def update(self, g, variable, rate, step):
        slot = self._slots_of(variable)["m"]
        m = slot.value()
        variable.assign_sub(rate * ops.sign(m * self.beta_1 + g * (1 - self.beta_1)))
        slot.assign(m * self.beta_2 + g * (1 - self.beta_2))


get = finder("optimizers")
