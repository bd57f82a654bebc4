"""The model of `gravity`."""


class Body:
    def __init__(self, mass, x, y, vx, vy):
        self.mass, self.x, self.y, self.vx, self.vy = mass, x, y, vx, vy


def step(bodies, dt):
    for one in bodies:
        ax = ay = 0.0
        for other in bodies:
            if other is not one:
                dx, dy = other.x - one.x, other.y - one.y
                cube = (dx * dx + dy * dy) ** 1.5
                ax += other.mass * dx / cube
                ay += other.mass * dy / cube
        one.vx += dt * ax
        one.vy += dt * ay
    for one in bodies:
        one.x += dt * one.vx
        one.y += dt * one.vy
