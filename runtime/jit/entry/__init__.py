"""How kernels are entered, and the signatures of functions of C."""
