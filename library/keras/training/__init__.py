"""Losses, metrics, optimizers, callbacks and the training loop."""
