"""Program to kernel IR: explicit loops."""
