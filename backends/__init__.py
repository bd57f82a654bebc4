"""Backends of kernels in rooms of their own. The core finds them by name, through
`runtime/jit/backends.py`, and imports none of them.
"""
