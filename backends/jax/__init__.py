"""Functions on JAX arrays, with Python's control flow as `lax.cond`, `lax.while_loop` and
`lax.scan`.
"""
