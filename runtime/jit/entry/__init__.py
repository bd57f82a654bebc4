"""How kernels are entered, and how calls from Python reach them."""
