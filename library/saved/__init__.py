"""What outlives the process: modules saved with their graphs, and checkpoints of variables."""

from . import checkpoint, checkpoint_manager, loading, saving
