"""From a program to the kernels of a grid."""
