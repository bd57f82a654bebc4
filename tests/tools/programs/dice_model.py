"""The model of `dice`."""


def game(seed, rounds):
    state = seed
    wins = 0
    for _ in range(rounds):
        state = (1103515245 * state + 12345) % 2147483648
        mine = state >> 16 & 7
        state = (1103515245 * state + 12345) % 2147483648
        yours = state >> 16 & 7
        if mine > yours:
            wins += 1
    return wins, state
