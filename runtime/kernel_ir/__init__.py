"""Kernel IR: kernels as trees of expressions and statements. They print as kernel source, a typed
subset of Python, and are read from it.
"""
