"""Eager and symbolic tensors, and `apply`, the one function through which every operation is
executed or recorded.
"""
