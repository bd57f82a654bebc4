"""What outlives the process: modules saved with their graphs, and checkpoints of variables."""

from . import loading, saving
