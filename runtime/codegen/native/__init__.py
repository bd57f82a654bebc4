"""Program to kernel source: loops over elements in typed Python."""
