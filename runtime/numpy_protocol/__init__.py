"""NumPy functions and ufuncs on tensors."""
