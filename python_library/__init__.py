"""Functions of Python's library in plain Python, which traces convert in place of the originals."""
