"""Data types, shapes, axes, errors, source locations, the table of public names: what everything is
made of.
"""
