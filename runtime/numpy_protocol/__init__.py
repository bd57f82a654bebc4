"""NumPy functions and ufuncs on tensors, by NumPy's protocols `__array_function__` and
`__array_ufunc__`.
"""
