"""Runs graphs: NumPy first, native code when hot. Specialization by shape, on-stack replacement and
fallback are here.
"""
