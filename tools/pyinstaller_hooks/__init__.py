"""PyInstaller: the hook that collects this package, and where it is."""
