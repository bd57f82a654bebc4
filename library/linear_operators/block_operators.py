"""Operators made of blocks: on the diagonal, in a lower triangle, and Kronecker products."""

from __future__ import annotations

import functools

from ... import concat, convert_to_tensor, linalg, reshape, shape, zeros
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import LinearOperator, broadcast_dims
from .triangular import LinearOperatorFullMatrix


def _product(numbers):
    return functools.reduce(lambda x, y: x * y, numbers)


def _sum(tensors):
    return functools.reduce(lambda x, y: x + y, tensors)


def _joined(parts, axis: int):
    """Parts one after another, with the batch shape that they have together."""
    if any(part.dims[:-2] != parts[0].dims[:-2] or None in part.dims[:-2] for part in parts):
        batch = functools.reduce(ops.broadcast_dynamic_shape, [shape(one)[:-2] for one in parts])
        parts = [ops.broadcast_to(one, concat([batch, shape(one)[-2:]], 0)) for one in parts]
    return concat(parts, axis)


def _divided(x, sizes, axis: int) -> list:
    """The parts of these sizes along one of the last two axes."""
    parts, start = [], 0
    for size in sizes:
        key = slice(start, start + size)
        parts.append(x[..., key, :] if axis == -2 else x[..., key])
        start = start + size
    return parts


def _size(operator, of_domain: bool):
    if of_domain:
        known = operator.domain_dimension
        return operator.domain_dimension_tensor() if known is None else known
    known = operator.range_dimension
    return operator.range_dimension_tensor() if known is None else known


class Blocks(LinearOperator):
    """What operators of several others share."""

    def __init__(self, operators, hints: tuple, name):
        self.operators = list(operators)
        if not self.operators:
            raise ValueError(f"{type(self).__name__} takes at least one operator")
        given = dict(zip(
            ("is_non_singular", "is_self_adjoint", "is_positive_definite"), hints, strict=False
        ))  # fmt: skip
        for hint, value in given.items():
            if value is None and all(getattr(operator, hint) for operator in self.operators):
                given[hint] = True
        super().__init__(self.operators[0].dtype, None, **given, is_square=hints[3], name=name)

    def _batch_tensor(self, operators):
        return functools.reduce(
            ops.broadcast_dynamic_shape, [operator.batch_shape_tensor() for operator in operators]
        )

    def _shape_by(self, total):
        """The shape of which each size is the `total` of those of the operators."""
        batch = broadcast_dims(*(operator.batch_shape.as_list() for operator in self.operators))
        totals = []
        for axis in (-2, -1):
            sizes = [operator.shape.as_list()[axis] for operator in self.operators]
            totals.append(None if None in sizes else total(sizes))
        return (*batch, *totals)

    def _shape_tensor_by(self, total):
        sizes = [operator.shape_tensor()[-2:] for operator in self.operators]
        return concat([self._batch_tensor(self.operators), total(sizes)], 0)


class LinearOperatorBlockDiag(Blocks):
    """Operators on the diagonal of a matrix that is zero elsewhere.

    `matmul` and `solve` also take a list of parts, and give one.

    >>> operator = ag.linalg.LinearOperatorBlockDiag([
    ...     ag.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]),
    ...     ag.linalg.LinearOperatorDiag([5.0])])
    >>> operator.to_dense().numpy().tolist()
    [[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 5.0]]
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name=None):  # fmt: skip
        super().__init__(operators, (is_non_singular, is_self_adjoint, is_positive_definite,
                                     is_square), name)  # fmt: skip

    def _shape(self):
        return self._shape_by(_sum)

    def _shape_tensor(self):
        return self._shape_tensor_by(_sum)

    def matmul(self, x, adjoint=False, adjoint_arg=False, name=None):
        if isinstance(x, (list, tuple)) and len(x) == len(self.operators) > 1:
            return [operator.matmul(part, adjoint, adjoint_arg)
                    for operator, part in zip(self.operators, x, strict=True)]  # fmt: skip
        return super().matmul(x, adjoint, adjoint_arg)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name=None):
        if isinstance(rhs, (list, tuple)) and len(rhs) == len(self.operators) > 1:
            return [operator.solve(part, adjoint, adjoint_arg)
                    for operator, part in zip(self.operators, rhs, strict=True)]  # fmt: skip
        return super().solve(rhs, adjoint, adjoint_arg)

    def _parts(self, x, adjoint: bool, adjoint_arg: bool) -> list:
        x = linalg.adjoint(x) if adjoint_arg else x
        return _divided(x, [_size(operator, not adjoint) for operator in self.operators], -2)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        parts = self._parts(x, adjoint, adjoint_arg)
        pairs = zip(self.operators, parts, strict=True)
        return _joined([one.matmul(part, adjoint=adjoint) for one, part in pairs], -2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        parts = self._parts(rhs, not adjoint, adjoint_arg)
        pairs = zip(self.operators, parts, strict=True)
        return _joined([one.solve(part, adjoint=adjoint) for one, part in pairs], -2)

    def _to_dense(self):
        columns = [_size(operator, True) for operator in self.operators]
        rows = []
        for index, operator in enumerate(self.operators):
            dense = operator.to_dense()
            sizes = shape(dense)[:-1]
            before = [zeros(concat([sizes, convert_to_tensor(size)[None]], 0), self.dtype)
                      for size in columns[:index]]  # fmt: skip
            after = [zeros(concat([sizes, convert_to_tensor(size)[None]], 0), self.dtype)
                     for size in columns[index + 1 :]]  # fmt: skip
            rows.append(concat([*before, dense, *after], -1))
        return _joined(rows, -2)

    def _diag_part(self):
        if not all(operator.is_square for operator in self.operators):
            return super()._diag_part()
        columns = [operator.diag_part()[..., None] for operator in self.operators]
        return _joined(columns, -2)[..., 0]

    def _determinant(self):
        return _product([operator.determinant() for operator in self.operators])

    def _log_abs_determinant(self):
        return _sum([operator.log_abs_determinant() for operator in self.operators])

    def _like(self, operators):
        return LinearOperatorBlockDiag(operators, is_square=self.is_square)

    def _adjoint(self):
        return self._like([operator.adjoint() for operator in self.operators])

    def _inverse(self):
        return self._like([operator.inverse() for operator in self.operators])

    def _cholesky(self):
        return self._like([operator.cholesky() for operator in self.operators])


class LinearOperatorBlockLowerTriangular(Blocks):
    """Operators in the lower triangle of a matrix of blocks: row i is a list of i + 1 operators.

    >>> diag = ag.linalg.LinearOperatorDiag
    >>> operator = ag.linalg.LinearOperatorBlockLowerTriangular([
    ...     [diag([2.0])], [diag([1.0]), diag([4.0])]])
    >>> operator.solvevec([2.0, 9.0]).numpy(), operator.determinant().numpy()
    (array([1., 2.], dtype=float32), np.float32(8.0))

    Raises ValueError for rows of another length.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        rows = [list(row) for row in operators]
        for index, row in enumerate(rows):
            if len(row) != index + 1:
                raise ValueError(f"row {index} has {len(row)} operators, not {index + 1}")
        self._diagonal_blocks = [row[-1] for row in rows]
        diagonal = all(block.is_non_singular for block in self._diagonal_blocks)
        LinearOperator.__init__(self, rows[0][0].dtype, None, is_non_singular or diagonal or None,
                                is_self_adjoint, is_positive_definite,
                                True if is_square is None else is_square, name)  # fmt: skip
        self.operators = rows

    def _shape(self):
        every = [one for row in self.operators for one in row]
        batch = broadcast_dims(*(one.batch_shape.as_list() for one in every))
        sizes = [one.domain_dimension for one in self._diagonal_blocks]
        total = None if None in sizes else sum(sizes)
        return (*batch, total, total)

    def _shape_tensor(self):
        every = [one for row in self.operators for one in row]
        sizes = _sum([one.shape_tensor()[-2:] for one in self._diagonal_blocks])
        return concat([self._batch_tensor(every), sizes], 0)

    def _parts(self, x, adjoint_arg: bool) -> list:
        x = linalg.adjoint(x) if adjoint_arg else x
        return _divided(x, [_size(block, True) for block in self._diagonal_blocks], -2)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        parts, rows = self._parts(x, adjoint_arg), self.operators
        results = []
        for index in range(len(rows)):
            if adjoint:
                terms = [rows[other][index].matmul(parts[other], adjoint=True)
                         for other in range(index, len(rows))]  # fmt: skip
            else:
                terms = [rows[index][other].matmul(parts[other]) for other in range(index + 1)]
            results.append(_sum(terms))
        return _joined(results, -2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        parts, rows = self._parts(rhs, adjoint_arg), self.operators
        solved: dict = {}
        for index in reversed(range(len(rows))) if adjoint else range(len(rows)):
            part = parts[index]
            for other, known in solved.items():
                block = rows[other][index] if adjoint else rows[index][other]
                part = part - block.matmul(known, adjoint=adjoint)
            solved[index] = rows[index][index].solve(part, adjoint=adjoint)
        return _joined([solved[index] for index in range(len(rows))], -2)

    def _diag_part(self):
        columns = [block.diag_part()[..., None] for block in self._diagonal_blocks]
        return _joined(columns, -2)[..., 0]

    def _determinant(self):
        return _product([block.determinant() for block in self._diagonal_blocks])

    def _log_abs_determinant(self):
        return _sum([block.log_abs_determinant() for block in self._diagonal_blocks])


class LinearOperatorKronecker(Blocks):
    """The Kronecker product of operators.

    >>> operator = ag.linalg.LinearOperatorKronecker([
    ...     ag.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]),
    ...     ag.linalg.LinearOperatorDiag([1.0, 10.0])])
    >>> operator.matvec([1.0, 1.0, 0.0, 0.0]).numpy()
    array([ 1., 10.,  3., 30.], dtype=float32)
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        super().__init__(operators, (is_non_singular, is_self_adjoint, is_positive_definite,
                                     is_square), name)  # fmt: skip

    def _shape(self):
        return self._shape_by(_product)

    def _shape_tensor(self):
        return self._shape_tensor_by(_product)

    def _factor_by_factor(self, x, apply, of_domain: bool):
        """Each operator applied to its own axis of x, whose rows are those of all factors."""
        batch, columns = shape(x)[:-2], shape(x)[-1:]
        done = convert_to_tensor(1)
        rest = _product([_size(operator, of_domain) for operator in self.operators])
        for operator in self.operators:
            size = _size(operator, of_domain)
            rest = rest // size
            inner = ops.stack(done, convert_to_tensor(size), rest * columns[0], axis=0)
            x = reshape(x, concat([batch, inner], 0))
            x = apply(_inserted(operator), x)
            batch = shape(x)[:-3]
            done = done * _size(operator, not of_domain)
        return reshape(x, concat([batch, ops.stack(done, columns[0], axis=0)], 0))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._factor_by_factor(x, lambda one, y: one.matmul(y, adjoint=adjoint), not adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return self._factor_by_factor(rhs, lambda one, y: one.solve(y, adjoint=adjoint), adjoint)

    def _to_dense(self):
        return functools.reduce(_kronecker, [operator.to_dense() for operator in self.operators])

    def _determinant(self):
        total = _product([_size(operator, True) for operator in self.operators])
        return _product([
            operator.determinant() ** ops.cast(total // _size(operator, True), dtype=self.dtype)
            for operator in self.operators
        ])  # fmt: skip

    def _log_abs_determinant(self):
        total = _product([_size(operator, True) for operator in self.operators])
        return _sum([
            operator.log_abs_determinant()
            * ops.cast(total // _size(operator, True), dtype=self.dtype)
            for operator in self.operators
        ])  # fmt: skip

    def _adjoint(self):
        return LinearOperatorKronecker([operator.adjoint() for operator in self.operators])

    def _inverse(self):
        return LinearOperatorKronecker([operator.inverse() for operator in self.operators])

    def _cholesky(self):
        return LinearOperatorKronecker([operator.cholesky() for operator in self.operators])


def _inserted(operator):
    """An operator as it is; a batch of them with an axis of size 1 before the last two."""
    if operator.batch_shape.rank == 0:
        return operator
    return LinearOperatorFullMatrix(operator.to_dense()[..., None, :, :])


def _kronecker(a, b):
    """The Kronecker product of two matrices, or of each two of batches."""
    blocks = a[..., :, None, :, None] * b[..., None, :, None, :]
    sizes = shape(blocks)
    return reshape(
        blocks,
        concat([sizes[:-4], ops.stack(sizes[-4] * sizes[-3], sizes[-2] * sizes[-1], axis=0)], 0),
    )


for _class in (
    LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular,
    LinearOperatorKronecker,
):
    expose(_class, f"linalg.{_class.__name__}")
