"""From the text of a kernel to machine code: Python's syntax tree becomes instructions of LLVM.

The texts are a small part of Python, over numbers of NumPy's types and arrays. Types follow from
the parameters, as the text is read from top to bottom; where a variable turns out to hold more than
one, the function is written once more with a type for all of them.
"""
