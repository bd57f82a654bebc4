"""allograph: write plain Python; it becomes a graph, and the graph runs at native speed.

`allograph.function` makes graphs of functions of tensors, and `allograph.jit` makes native code of
functions of NumPy arrays. The vocabulary is TensorFlow's, so `import allograph as tf` works too.
"""

# Names are resolved when they are first used, by the table of `runtime/core/public_names.py`.

from .loading import find as __getattr__  # noqa: F401 - the module's attribute protocol
from .loading import names as __dir__  # noqa: F401

__version__ = "0.2.0"
newaxis = None  # as in `x[:, newaxis]`
