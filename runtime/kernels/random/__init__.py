"""Random numbers in kernels: the streams of NumPy's Philox generator."""
