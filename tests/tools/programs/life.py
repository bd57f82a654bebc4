"""A program of two files: `life`."""

import numpy as np
from life_model import generation

board = np.zeros((32, 32), np.int64)
board[1, 2] = board[2, 3] = board[3, 1] = board[3, 2] = board[3, 3] = 1
for age in range(12):
    board = generation(board)
print(board.sum(), np.argwhere(board).tolist())
