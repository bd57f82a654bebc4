"""Training: losses, metrics, optimizers, callbacks and the training loop."""
