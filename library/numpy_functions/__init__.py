"""NumPy functions on tensors, in terms of public operations."""
