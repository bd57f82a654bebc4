"""Programs as kernels of a GPU, which an emulated device runs on the CPU too."""
