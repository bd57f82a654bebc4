"""What notebooks show: arrays as pictures, functions with their traces and code, progress, and the
`%%allograph` cell magic.
"""
