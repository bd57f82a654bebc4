"""The model of `queens`."""


def solutions(n, row=0, columns=0, down=0, up=0):
    if row == n:
        return 1
    count = 0
    for column in range(n):
        place, falling, rising = 1 << column, 1 << (row - column + n), 1 << (row + column)
        if not (columns & place or down & falling or up & rising):
            count += solutions(n, row + 1, columns | place, down | falling, up | rising)
    return count
