"""Names of older programs: sessions, devices, `defun`, training of TensorFlow 1, counterparts of
functions that have another name here.
"""
