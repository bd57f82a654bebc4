"""NumPy on tensors: its functions and ufuncs applied to them, its promotion, its methods."""
