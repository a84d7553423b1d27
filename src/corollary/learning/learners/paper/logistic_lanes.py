"""Arithmetic on rows of a few numbers abreast, as vector instructions, which numba does not find by itself.

All arrays are C-contiguous float64 with as many columns as `labels`, a tuple, has members. Indices are not checked.
"""

# ruff: noqa: ARG001 - numba calls the functions below with types and passes them on to `generate` as values
from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

DOUBLE = ir.DoubleType()


class _Rows:
    """Rows of arrays as vectors, within one function that is being compiled."""

    def __init__(self, context: Any, builder: Any, lanes: int):
        self.context = context
        self.builder = builder
        self.lanes = lanes
        self.vector = ir.VectorType(DOUBLE, lanes)

    def constant(self, number: float) -> Any:
        return ir.Constant(self.vector, [number] * self.lanes)

    def spread(self, scalar: Any) -> Any:
        vector = ir.Constant(self.vector, ir.Undefined)
        for lane in range(self.lanes):
            vector = self.builder.insert_element(vector, scalar, ir.Constant(ir.IntType(32), lane))
        return vector

    def at(self, kind: Any, array: Any, index: Any) -> Any:
        data = self.context.make_array(kind)(self.context, self.builder, array).data
        start = self.builder.mul(index, ir.Constant(index.type, self.lanes))
        return self.builder.bitcast(self.builder.gep(data, [start]), self.vector.as_pointer())

    def load(self, place: Any) -> Any:
        return self.builder.load(place, align=8)

    def store(self, row: Any, place: Any) -> None:
        self.builder.store(row, place, align=8)


def _add_row(
    typing: Any, target: Any, i: Any, source: Any, j: Any, factor: Any, labels: Any
) -> Any:
    """target[i] += factor * source[j]."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        to, to_row, of, of_row, times, _ = values
        rows = _Rows(context, builder, labels.count)
        place = rows.at(target, to, to_row)
        scaled = builder.fmul(rows.load(rows.at(source, of, of_row)), rows.spread(times))
        rows.store(builder.fadd(rows.load(place), scaled), place)
        return context.get_dummy_value()

    return types.void(target, types.uint64, source, types.uint64, types.float64, labels), generate


def _descend(
    typing: Any,
    state: Any,
    c: Any,
    gradient: Any,
    j: Any,
    rates: Any,
    moved: Any,
    noise: Any,
    labels: Any,
) -> Any:
    """An AdaGrad step: state has the weights in row 2c and the sums of squares in row 2c + 1; clears gradient[j].

    `rates` and `moved` have one row; the latter adds up the squares of the changes. Gradients up to `noise` are 0.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        states, column, gradients, row, rate, length, least, _ = values
        rows = _Rows(context, builder, labels.count)
        zero = ir.Constant(column.type, 0)
        one = ir.Constant(column.type, 1)
        weights = rows.at(state, states, builder.shl(column, one))
        squares = rows.at(state, states, builder.add(builder.shl(column, one), one))
        place = rows.at(gradient, gradients, row)
        rate = rows.at(rates, rate, zero)
        length = rows.at(moved, length, zero)
        g = rows.load(place)
        loud = builder.fcmp_ordered(">", _call(builder, "fabs", g), rows.spread(least))
        g = builder.select(loud, g, rows.constant(0.0))
        total = builder.fadd(rows.load(squares), builder.fmul(g, g))
        divisor = builder.select(
            builder.fcmp_ordered(">", total, rows.constant(0.0)), total, rows.constant(1.0)
        )
        change = builder.fdiv(builder.fmul(rows.load(rate), g), _call(builder, "sqrt", divisor))
        rows.store(rows.constant(0.0), place)
        rows.store(total, squares)
        rows.store(builder.fsub(rows.load(weights), change), weights)
        rows.store(builder.fadd(rows.load(length), builder.fmul(change, change)), length)
        return context.get_dummy_value()

    integer = types.uint64
    return types.void(
        state, integer, gradient, integer, rates, moved, types.float64, labels
    ), generate


def _call(builder: Any, name: str, vector: Any) -> Any:
    kind = ir.FunctionType(vector.type, [vector.type])
    full_name = f"llvm.{name}.v{vector.type.count}f64"
    function = get_or_insert_function(builder.module, kind, full_name)  # type: ignore[no-untyped-call]
    return builder.call(function, [vector])


# Any: mypy would ask for the first argument, which numba supplies.
add_row: Any = intrinsic(_add_row)
descend: Any = intrinsic(_descend)
