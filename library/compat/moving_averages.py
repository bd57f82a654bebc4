"""Moving averages of variables."""

from __future__ import annotations

from ... import Variable, convert_to_tensor, init_scope
from ...extend.operations import ops
from ...extend.registration import public


@public("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Averages of variables: each `apply` sets `average = decay * average + (1 - decay) * value`.

    With `num_updates`, the decay is at most `(1 + num_updates) / (10 + num_updates)`. With
    `zero_debias`, averages start at 0 and are divided by what they lack.

    >>> v = ag.Variable(0.0)
    >>> ema = ag.train.ExponentialMovingAverage(0.5)
    >>> ema.apply([v])
    >>> _ = v.assign(4.0)
    >>> ema.apply([v])
    >>> float(ema.average(v))
    2.0
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self.decay, self.num_updates, self.zero_debias = decay, num_updates, zero_debias
        self.name = name
        # By references to variables: their averages, the sums without correction, and counts.
        self._states: dict = {}

    def apply(self, var_list=None):
        """Update the averages of variables, which are made by the first call."""
        decay = convert_to_tensor(self.decay, "float32")
        if self.num_updates is not None:
            done = convert_to_tensor(self.num_updates, "float32")
            decay = ops.minimum(decay, (1.0 + done) / (10.0 + done))
        for variable in var_list or ():
            average, total, count = self._state_of(variable)
            value = variable.value()
            if not self.zero_debias:
                average.assign_sub((average - value) * (1.0 - decay))
                continue
            total.assign_sub((total - value) * (1.0 - decay))
            count.assign_add(1.0)
            average.assign(total / (1.0 - decay ** count.value()))

    def _state_of(self, variable) -> tuple:
        key = variable.ref()
        if key not in self._states:
            with init_scope():
                start = variable.value()
                average = Variable(start, False, self.average_name(variable))
                rest = (
                    (Variable(start * 0, False), Variable(0.0, False))
                    if self.zero_debias
                    else (None, None)
                )
            self._states[key] = (average, *rest)
        return self._states[key]

    def average(self, var):
        """The variable with the average of a variable, None before `apply`."""
        return self._states.get(var.ref(), (None,))[0]

    def average_name(self, var) -> str:
        """The name of the average of a variable."""
        return f"{var.name.partition(':')[0]}/{self.name}"

    def variables_to_restore(self, moving_avg_variables=None) -> dict:
        """Names of averages, with the variables that are restored from them."""
        return {self.average_name(variable): variable for variable in moving_avg_variables or ()}
