"""The places of a module where one thing can be made wrong, and the source with one of them changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

#: Comparisons and operations, and what is put in their place.
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutation:
    """One change: what stands there, and what is put in its place, by their positions in the source."""

    line: int
    begins: int
    ends: int
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.line}: {self.was} -> {self.now}"

    def apply(self, source: str) -> str:
        """The source with this one change; positions are in bytes, as those of `ast`."""
        text = source.encode()
        return (text[: self.begins] + self.now.encode() + text[self.ends :]).decode()


def mutations(source: str) -> list[Mutation]:
    """Every place outside of annotations, texts, and what only raises an error."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in _used(ast.parse(source)):
        if (changed := _changed(node)) is None:
            continue
        begins = starts[node.lineno - 1] + node.col_offset
        ends = starts[node.end_lineno - 1] + node.end_col_offset
        now = ast.unparse(changed)
        if ast.unparse(node) != now:
            found.append(
                Mutation(
                    node.lineno, begins, ends, source.encode()[begins:ends].decode(), f"({now})"
                )
            )
    return found


def _used(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions that do something: no annotations, no arguments of decorators, nothing under `raise` or `assert`."""
    if isinstance(node, ast.Raise | ast.Assert):
        return
    if isinstance(node, ast.expr):
        yield node
    if isinstance(node, ast.JoinedStr | ast.Constant):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _used(child)


def _changed(node: ast.expr) -> ast.expr | None:
    """The expression with one thing wrong; None where there is nothing to change."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        return ast.Compare(node.left, [SWAPS[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(SWAPS[type(node.op)](), node.values)
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _are_types(node):
        return ast.BinOp(node.left, SWAPS[type(node.op)](), node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        return node.operand
    if isinstance(node, ast.IfExp):
        return ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ast.Constant(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return ast.Constant(node.value + 1)
    return None


def _are_types(node: ast.expr) -> bool:
    """Whether it is a type, or a union of types, as in isinstance(x, A | B)."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and _are_types(node.left) and _are_types(node.right)
    if isinstance(node, ast.Subscript):
        return _are_types(node.value)
    if isinstance(node, ast.Name):
        return node.id[:1].isupper() or node.id in ("int", "str", "float", "tuple")
    return isinstance(node, ast.Constant) and node.value is None
