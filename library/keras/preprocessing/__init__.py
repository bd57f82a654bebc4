"""Layers that prepare data: moments and vocabularies of data, categories, text, images."""
