"""All programs in the style of guides, each a function that gives values to compare.

`recorded.py` runs them with TensorFlow and writes what they give; the test compares.
"""

from programs import (
    guide_files,
    guide_functions,
    guide_layers,
    guide_mathematics,
    guide_training,
    guide_worlds,
)
from programs.registry import PROGRAMS

__all__ = [
    "PROGRAMS", "guide_files", "guide_functions", "guide_layers", "guide_mathematics",
    "guide_training", "guide_worlds",
]  # fmt: skip
