"""Functions that call themselves: calls in graphs of arrays, their native code, and gradients."""
