"""Layers, and what their weights and calls are made of."""
