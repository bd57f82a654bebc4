"""Backends of kernels, and of converted code, in rooms of their own. The core finds those of
kernels by name, through `runtime/jit/backends.py`, and imports none of them.
"""
