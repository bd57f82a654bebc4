"""allograph: write plain Python; it becomes a graph, and the graph runs at native speed.

The vocabulary is TensorFlow's, so `import allograph as tf` works too. Names are resolved when they
are first used: `allograph.runtime.core.public_names` holds the table in which operations and
functions register themselves.
"""

from .loading import find as __getattr__  # noqa: F401 - the module's attribute protocol
from .loading import names as __dir__  # noqa: F401

__version__ = "0.1.0"
newaxis = None  # as in `x[:, newaxis]`
