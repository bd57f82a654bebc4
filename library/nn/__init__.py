"""Functions that neural networks are made of: activations, convolution, normalization, cross
entropies.
"""
