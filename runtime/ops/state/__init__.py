"""Operations with effects: variables, random numbers, Python calls, printing."""
