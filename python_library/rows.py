"""Lists that are items of others, as parts of one list: each has a block of places there.

`blocks` has, for each list, the first place of its block, the number of its items, and the number
of places. Where these are full, the items move to a block of twice the size at the end.
"""

from __future__ import annotations

ROOM = 4  # the fewest places of a block that grows


def append(elements, blocks, number, item):
    """Append an item to the list of this number."""
    start, size, room = blocks.inside(number)
    if size >= room:
        end, room = len(elements), max(2 * size, ROOM)
        elements.resize(end + room)
        for place in range(size):
            elements.set_inside(end + place, elements.inside(start + place))
        start = end
    elements.set_inside(start + size, item)
    blocks.set_inside(number, (start, size + 1, room))


def resize(blocks, number, size):
    """Let the list of this number have so many items, which are no more than before."""
    start, _, room = blocks.inside(number)
    blocks.set_inside(number, (start, size, room))
