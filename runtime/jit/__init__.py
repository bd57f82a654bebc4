"""Compiles kernel source, a typed subset of Python, to machine code with LLVM, and caches it in
memory and on disk.
"""
