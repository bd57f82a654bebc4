"""Eager and symbolic tensors, and the one function through which every operation runs or is
recorded.
"""
