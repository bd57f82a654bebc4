"""What writers of random programs share: random choices, fresh names and the lines written."""

import random


class ProgramWriter:
    head = ""  # what each program starts with

    def __init__(self, choose: random.Random):
        self.choose = choose
        self.lines = self.head.strip("\n").splitlines()
        self.count = 0

    def pick(self, choices):
        return self.choose.choice(choices)

    def happens(self, probability: float) -> bool:
        return self.choose.random() < probability

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
