"""Saved modules and checkpoints: graphs and variables on disk."""

from . import checkpoint, checkpoint_manager, load, save, saving_options
