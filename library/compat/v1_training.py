"""`train.*Optimizer` and global steps: the optimizers of the version 1 API."""

from __future__ import annotations

from ... import Variable, cast, control_dependencies, convert_to_tensor, init_scope, int64
from ...extend.graphs import BUILDER
from ...extend.operations import ops
from ...extend.registration import expose, public
from ..keras.training import optimizers
from ..keras.training.loss_gradients import gradients_of


class Optimizer(optimizers.Optimizer):
    """Base class of optimizers: `minimize` calls `compute_gradients` and `apply_gradients`.

    A loss is a function without arguments. Each step adds 1 to the variable `global_step`.

    >>> v = ag.Variable(3.0)
    >>> descent = ag.train.GradientDescentOptimizer(learning_rate=0.5)
    >>> _ = descent.minimize(lambda: v * v, var_list=[v])
    >>> float(v)
    0.0
    """

    def __init__(self, learning_rate=0.01, use_locking=False, name=None):
        super().__init__(learning_rate, name)

    def compute_gradients(self, loss, var_list=None, *args, **kwargs) -> list:
        """Pairs of gradients and variables; by default of all trainable variables that are read."""
        gradients, variables = gradients_of(loss, var_list)
        return list(zip(gradients, variables, strict=True))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Perform a step for pairs of a gradient and a variable."""
        if BUILDER.get() is not None:  # a graph built by hand keeps its optimizer alive
            vars(BUILDER.get()).setdefault("optimizers", []).append(self)
        step = super().apply_gradients(grads_and_vars)
        if global_step is None:
            return step
        with control_dependencies([step]):
            return global_step.assign_add(1)

    def minimize(self, loss, global_step=None, var_list=None, *args, **kwargs):
        """Perform a step that reduces `loss()`."""
        return self.apply_gradients(self.compute_gradients(loss, var_list), global_step)

    def get_slot_names(self) -> list[str]:
        """The names of the state variables of each trained variable."""
        return sorted(self.slots)


class GradientDescentOptimizer(Optimizer):
    """`v -= learning_rate * gradient`."""

    def update(self, g, variable, rate, step):
        variable.assign_sub(rate * g)


class MomentumOptimizer(Optimizer):
    """`a = momentum * a + g; v -= rate * a`.

    With `use_nesterov`, `v -= rate * (g + momentum * a)`.
    """

    slots = {"momentum": 0.0}

    def __init__(self, learning_rate, momentum, use_locking=False, name=None, use_nesterov=False):
        super().__init__(learning_rate, name=name)
        self.momentum, self.use_nesterov = momentum, use_nesterov

    def update(self, g, variable, rate, step):
        slot = self._slots_of(variable)["momentum"]
        total = self.momentum * slot.value() + g
        slot.assign(total)
        variable.assign_sub(rate * (g + self.momentum * total if self.use_nesterov else total))


class AdamOptimizer(Optimizer):
    """Adam: steps scaled by moving averages of the gradient and its square."""

    slots = {"m": 0.0, "v": 0.0}
    update = optimizers.Adam.update
    amsgrad = False

    def __init__(
        self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False,
        name=None,
    ):  # fmt: skip
        super().__init__(learning_rate, name=name)
        self.beta_1, self.beta_2, self.epsilon = beta1, beta2, epsilon


class AdagradOptimizer(Optimizer):
    """Adagrad: steps scaled by the root of the sum of all squared gradients."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name=None):
        super().__init__(learning_rate, name=name)
        self.slots = {"accumulator": initial_accumulator_value}

    def update(self, g, variable, rate, step):
        slot = self._slots_of(variable)["accumulator"]
        total = slot.value() + g * g
        slot.assign(total)
        variable.assign_sub(rate * g / ops.sqrt(total))


class RMSPropOptimizer(Optimizer):
    """RMSprop: steps scaled by the root of a moving average of squares, which starts at 1."""

    def __init__(
        self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
        centered=False, name=None,
    ):  # fmt: skip
        super().__init__(learning_rate, name=name)
        self.rho, self.momentum, self.epsilon, self.centered = decay, momentum, epsilon, centered
        self.slots = {"velocity": 1.0, "momentum": 0.0, **({"mean": 0.0} if centered else {})}

    def update(self, g, variable, rate, step):
        slots = self._slots_of(variable)
        spread = optimizers.update_moving_variance(slots, g, self.rho, self.centered)
        change = self.momentum * slots["momentum"].value() + rate * g / ops.sqrt(
            spread + self.epsilon
        )
        slots["momentum"].assign(change)
        variable.assign_sub(change)


for _class in (
    Optimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    AdamOptimizer,
    AdagradOptimizer,
    RMSPropOptimizer,
):
    expose(_class, f"train.{_class.__name__}")


class _GlobalStep:
    """The global step counter, created on first use."""

    variable: Variable | None = None


@public("train.get_or_create_global_step")
def get_or_create_global_step() -> Variable:
    """The global step counter of the process, an int64 variable, created on first use.

    >>> ag.train.get_or_create_global_step().dtype
    ag.int64
    """
    if _GlobalStep.variable is None:
        with init_scope():
            _GlobalStep.variable = Variable(0, False, "global_step", int64)
    return _GlobalStep.variable


@public("train.get_global_step")
def get_global_step() -> Variable | None:
    """The global step counter of the process, None if it does not exist.

    >>> step = ag.train.get_or_create_global_step()
    >>> ag.train.get_global_step() is step
    True
    """
    return _GlobalStep.variable


@public("train.exponential_decay")
def exponential_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """A function that returns `learning_rate * decay_rate ** (global_step / decay_steps)`.

    `staircase` rounds the exponent down.

    >>> float(ag.train.exponential_decay(1.0, ag.Variable(20), 10, 0.5)())
    0.25
    """

    def rate():
        power = cast(convert_to_tensor(global_step), "float32") / decay_steps
        return learning_rate * decay_rate ** (ops.floor(power) if staircase else power)

    return rate
