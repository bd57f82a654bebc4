"""Program to Python source of NumPy calls."""
