"""Strings: lengths, numbers that they hold, joined strings, templates with tensors in them."""
