"""The model of `lorenz`."""


def slope(x, y, z):
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


def trajectory(steps, h, path):
    x, y, z = 1.0, 1.0, 1.0
    for k in range(steps):
        a, b, c = slope(x, y, z)
        d, e, f = slope(x + h / 2 * a, y + h / 2 * b, z + h / 2 * c)
        x, y, z = x + h * d, y + h * e, z + h * f
        path[k, 0] = x
        path[k, 1] = y
        path[k, 2] = z
    return x, y, z
