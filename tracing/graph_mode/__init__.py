"""Sessions, placeholders and devices, for programs from before eager execution."""
