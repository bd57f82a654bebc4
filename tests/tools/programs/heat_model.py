"""The model of `heat`."""


def relax(plate, rounds):
    rows, columns = plate.shape
    for _ in range(rounds):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                plate[i, j] = (
                    plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]
                ) / 4
