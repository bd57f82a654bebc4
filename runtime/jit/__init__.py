"""Compiles kernel source, a typed subset of Python, to machine code with LLVM; caches and loads it."""
