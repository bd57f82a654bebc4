"""The ONNX forms of operations, one family a file, and the writer that they use."""
