"""The graph: declarations of operations, values, nodes and graphs, their text form, and facts about
them that need no execution.
"""
