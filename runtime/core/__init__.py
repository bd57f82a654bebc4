"""Data types, shapes, axes, errors, source locations, and the table of public names. It imports
nothing else of the package.
"""
