"""What users build with, on top of the public operations: datasets, layers, training, saved
modules, checkpoints, files.
"""
