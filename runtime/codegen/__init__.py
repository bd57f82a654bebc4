"""Program to source, in two forms."""
