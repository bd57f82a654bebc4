"""How kernels are entered: by Python, as functions of C, or as Python itself."""
