"""The model of `life`."""

import numpy as np


def generation(board):
    rows, columns = board.shape
    after = np.zeros_like(board)
    for i in range(rows):
        for j in range(columns):
            around = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        around += board[(i + di) % rows, (j + dj) % columns]
            if around == 3 or (around == 2 and board[i, j] == 1):
                after[i, j] = 1
    return after
