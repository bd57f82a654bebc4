"""ONNX: graphs written as models that other runtimes execute, and models of others as functions."""

from . import export, load_model
