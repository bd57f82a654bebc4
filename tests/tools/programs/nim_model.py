"""The model of `nim`."""


def grundy(most, moves):
    values = [0] * (most + 1)
    for size in range(1, most + 1):
        reached = set()
        for move in moves:
            if move <= size:
                reached.add(values[size - move])
        value = 0
        while value in reached:
            value += 1
        values[size] = value
    return values
