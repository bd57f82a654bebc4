"""The operators of ONNX as functions of tensors, and models that call them."""
