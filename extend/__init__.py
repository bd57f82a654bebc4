"""What extensions of the package import, beside its public names: how operations, types, tensors,
graphs and public names are declared and read. `library/` is such an extension.
"""
