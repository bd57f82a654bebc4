"""`prange`, a `range` whose iterations threads may share."""

from ..autograph.current_trace import TRACE
from ..autograph.forms import form_of
from ..runtime.core.public_names import public


@public("prange")
def prange(*bounds):
    """`range`, under the name that Numba has for it: loops over both are the same.

    The bounds are numbers, or tensors in functions of tensors. Raises what `range` raises.

    >>> import numpy as np
    >>> @ag.jit
    ... def squares(out):
    ...     for i in ag.prange(out.shape[0]):
    ...         out[i] = i * i
    >>> out = np.zeros(4)
    >>> squares(out)
    >>> out
    array([0., 1., 4., 9.])
    """
    stager = TRACE.get().stager
    if any(map(stager.is_staged, bounds)):
        return form_of(range)(*bounds)
    return range(*bounds)
