"""The model of `clusters`."""


def assigned(points, centers, owner):
    changed = 0
    for i in range(points.shape[0]):
        best, at = 1e300, 0
        for c in range(centers.shape[0]):
            dx = points[i, 0] - centers[c, 0]
            dy = points[i, 1] - centers[c, 1]
            distance = dx * dx + dy * dy
            if distance < best:
                best, at = distance, c
        if owner[i] != at:
            owner[i] = at
            changed += 1
    return changed


def moved(points, centers, owner):
    for c in range(len(centers)):
        own = points[owner == c]
        if len(own):
            centers[c] = own.mean(axis=0)
