"""The command `allograph`, the viewers of source and graphs, and the generator of the type stubs.
They use public names only.
"""
