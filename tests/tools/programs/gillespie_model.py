"""The model of `gillespie`."""

import math
import random


def decay(population, rate, seed):
    random.seed(seed)
    time = 0.0
    events = 0
    while population > 0:
        time += -math.log(random.random()) / (rate * population)
        population -= 1
        events += 1
    return time, events
