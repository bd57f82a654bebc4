"""Functions that are exported to ONNX and loaded again."""

import numpy as np

import allograph as ag
from allograph.runtime.ir.op import TABLE

ANY = ag.TensorSpec([None, 3])
INTEGER = ag.TensorSpec([], ag.int32)
INTEGERS = ag.TensorSpec([None], ag.int32)
X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
NUMBERS = np.arange(-7, 8, dtype=np.int32)
IMAGE = np.random.default_rng(1).normal(size=(1, 8, 8, 2)).astype(np.float32)
FILTERS = ag.Variable(np.random.default_rng(2).normal(size=(3, 3, 2, 4)).astype(np.float32))


def halvings(n):
    count = 0
    while n > 1:
        n, count = n // 2, count + 1
    return count


def exits(n):
    total = 0
    for i in ag.range(n):
        if i % 3 == 2:
            continue
        if i > 7:
            break
        total += i
    return total


def growing(n):
    rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True)
    for i in ag.range(n):
        rows = rows.write(i, i * 2)
    return rows.stack()


def nested(n):
    total = 0
    for i in ag.range(n):
        j = 0
        while j * j < i:
            j += 1
        if j % 2 == 0:
            total += j
        else:
            total -= i
    return total


def rows(**options):
    """A list of vectors of different lengths."""
    return ag.TensorArray(ag.int32, infer_shape=False, element_shape=[None], **options)


def appended(n):
    ragged = rows(size=0, dynamic_size=True)
    for i in ag.range(n):
        if i % 3 != 1:
            ragged = ragged.write(ragged.size(), ag.range(i))
    return ragged.concat(), ragged.size()


def filled_from_behind(n):
    ragged = rows(size=n)
    for i in ag.range(n):
        ragged = ragged.write(n - 1 - i, ag.range(i))
    return ragged.concat()


def split_and_replaced(n):
    ragged = rows(size=0, dynamic_size=True).split(ag.range(6), [1, 0, 5])
    return ragged.read(2), ragged.write(1, ag.fill([n], 7)).concat()


def gradient_of_growing(n):
    x = ag.constant([0.5, 2.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y, total = x, 0.0
        for _ in ag.range(n):
            y = ag.concat([y, y[:1] * x[1]], 0)
            total += ag.reduce_sum(ag.sin(y))
    return tape.gradient(total, x)


LISTS = [appended, filled_from_behind, split_and_replaced, gradient_of_growing]


ARRAYS = {
    "slices": lambda x: (x[1:, ::-1], x[-1, None], x[..., 1], x[4:0:-2]),
    "computed slices": lambda x: x[ag.shape(x)[0] - 3 :],
    "joining": lambda x: (ag.concat([x, x], 1), ag.stack([x, x]), *ag.split(x, 3, axis=1)),
    "shapes": lambda x: (ag.reshape(x, [-1, 1]), ag.transpose(x), ag.shape(x), ag.size(x)),
    "padding": lambda x: (ag.pad(x, [[1, 1], [0, 2]]), ag.pad(x, [[1, 1], [1, 1]], "REFLECT")),
    "turning": lambda x: (ag.roll(x, 2, 0), ag.reverse(x, [1]), ag.tile(x, [2, 1])),
    "sorting": lambda x: (ag.sort(x, 1), ag.argsort(x, 0), ag.argmax(x, 1), *ag.math.top_k(x, 2)),
    "picking": lambda x: (ag.gather(x, [2, 0], axis=1), ag.boolean_mask(x, x[:, 0] > 0)),
    "places": lambda x: (ag.where(x > 0), ag.where(x > 0, x, 0.0), ag.one_hot([0, 2, -1], 3)),
    "scattering": lambda x: ag.tensor_scatter_nd_add(x, [[1], [1]], ag.ones([2, 3])),
    "sums": lambda x: (ag.reduce_sum(x), ag.reduce_mean(x, 0), ag.cumsum(x, 0), ag.norm(x)),
    "tests": lambda x: (ag.reduce_any(x > 0, 1), ag.reduce_all(x > -9.0), ag.equal(x, x)),
    "products": lambda x: (x @ ag.transpose(x), ag.tensordot(x, x, [[0], [0]])),
    "creating": lambda x: (ag.eye(3), ag.fill([2, 3], x[0, 0]), ag.zeros_like(x)),
}
MATH = {
    "roots": lambda x: (ag.sqrt(abs(x)), ag.math.rsqrt(abs(x)), ag.square(x), x**3.0),
    "exponentials": lambda x: (ag.exp(x), ag.math.expm1(x * 1e-4), ag.math.log1p(abs(x) * 1e-4)),
    "activations": lambda x: (ag.nn.relu(x), ag.nn.softmax(x), ag.nn.gelu(x), ag.nn.softplus(x)),
    "quotients": lambda x: (x // 0.3, x % 0.7, x % -0.7, ag.math.divide_no_nan(x, x - x)),
    "angles": lambda x: (ag.sin(x), ag.math.atan2(x, x[:, ::-1]), ag.math.acosh(1 + abs(x))),
    "rounding": lambda x: (ag.floor(x), ag.math.ceil(x), ag.round(x * 3), ag.cast(x, ag.int32)),
}
MATRICES = np.random.default_rng(3).normal(size=(2, 4, 5)).astype(np.float32)
PARTS = {
    "bands": lambda x: (ag.linalg.band_part(x, 1, 0), ag.linalg.band_part(x, -1, 2)),
    "diagonals": lambda x: (ag.linalg.diag_part(x, k=2), ag.linalg.diag_part(x, k=-1)),
    "matrices": lambda x: (ag.linalg.diag(x, k=-2), ag.linalg.set_diag(x, x[:, 0, :3], k=-1)),
    "products": lambda x: (
        ag.math.cumprod(x, 1),
        ag.math.cumprod(x, -1, exclusive=True, reverse=True),
        TABLE["linear_recurrence"](x, x, axis=1, reverse=True),
    ),
    "copies": lambda x: (ag.repeat(x, 3, 1), ag.repeat(x, [1, 0, 2, 1], 1)),
    "places": lambda x: (ag.searchsorted([-1.0, 0.0, 1.0], x[0, 0]), ag.linspace(x, 3.0, 4)),
    "segments": lambda x: (
        ag.math.segment_sum(x[0], [0, 0, 2, 2]),
        ag.math.unsorted_segment_sum(x[0], [1, -1, 2, 1], 4),
    ),
    "sums": lambda x: ag.gradients(ag.reduce_sum(x * x[:1, :, :1]), x),
}
WORDS = np.array(["aB c", "d,e,f", "", "12"], object)
STRINGS = {
    "case": lambda s: (ag.strings.lower(s), ag.strings.upper(s)),
    "sections": lambda s: (
        ag.strings.split(s).values,
        ag.strings.split(s, ",").values,
        ag.strings.split(s, ",").row_lengths(),
    ),
    "tests": lambda s: (s == "", ag.strings.regex_full_match(s, "[a-d].*")),
    "numbers": lambda s: (
        ag.strings.to_number(s[3:]),
        ag.strings.as_string([1, -2]),
        ag.strings.as_string(s == ""),
    ),
    "arrays": lambda s: (ag.where(s == "", "z", s), ag.concat([s, s], 0), ag.gather(s, [3]) + "!"),
}
