"""Sparse tensors: the elements that are not zero, with their indices."""
