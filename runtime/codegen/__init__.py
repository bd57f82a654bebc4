"""Program to source: NumPy calls, or native loops."""
