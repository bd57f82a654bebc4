"""Strings: numbers as text, joined strings, templates with tensors in them."""
