"""Program to Python source that calls NumPy, ready at once."""
