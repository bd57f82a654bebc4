"""What every program becomes, stage by stage, recorded for two revisions and compared.

`python -m replay` (`make replay`) compares; `python -m replay.record` writes down one tree.
Every tree is recorded by the recorder that it holds, so internals may move between revisions.
"""
