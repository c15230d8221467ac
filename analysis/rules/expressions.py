"""The language of pattern conditions: names, numbers, texts, comparisons, and/or/not, + - *, `a if option else b`.

A condition is written over facts and options. For one preset its options are put in and folded away, so presets that
read a pattern the same way end up with the same text and share one column.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from ingest.errors import RulesError

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}
_ALLOWED = (
    ast.Expression,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.Not,
    ast.BinOp,
    *_ARITHMETIC,
    ast.Compare,
    ast.IfExp,
    ast.Name,
    ast.Load,
    ast.Constant,
    *_COMPARISONS,
)


def parse(text: str, where: str) -> ast.expr:
    """The syntax tree of a condition. Raises RulesError naming `where`."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise RulesError(f"{where}: '{text}' is not a condition: {error.msg}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise RulesError(f"{where}: '{text}' uses {type(node).__name__}, which conditions do not have")
        if isinstance(node, ast.Compare) and len(node.ops) != 1:
            raise RulesError(f"{where}: '{text}' compares more than two things at once; join them with 'and'")
    return tree.body


@lru_cache(maxsize=1024)
def names(tree: ast.expr) -> frozenset[str]:
    """Names used in a condition: facts and options."""
    return frozenset({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


def _constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


class _Fold(ast.NodeTransformer):
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self._options[node.id]) if node.id in self._options else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return ast.Constant(_COMPARISONS[type(node.ops[0])](left.value, right.value))
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.Constant(not node.operand.value) if isinstance(node.operand, ast.Constant) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.test, ast.Constant):
            raise RulesError(f"'{ast.unparse(node)}': only an option can stand after 'if'")
        return node.body if node.test.value else node.orelse

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return ast.Constant(_ARITHMETIC[type(node.op)](node.left.value, node.right.value))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        absorbing = isinstance(node.op, ast.Or)
        if any(isinstance(value, ast.Constant) and bool(value.value) is absorbing for value in node.values):
            return ast.Constant(absorbing)
        left = [value for value in node.values if not _constant(value)]
        if not left:
            return ast.Constant(not absorbing)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def fold(tree: ast.expr, options: Mapping[str, Any]) -> ast.expr:
    """The condition with the options put in; names left in it are facts."""
    copy = ast.parse(ast.unparse(tree), mode="eval").body
    folded: ast.expr = _Fold(options).visit(copy)
    return folded


class _Vectorise(ast.NodeTransformer):
    """and/or/not on whole columns."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        operator: ast.operator = ast.BitOr() if isinstance(node.op, ast.Or) else ast.BitAnd()
        result = node.values[0]
        for value in node.values[1:]:
            result = ast.BinOp(result, operator, value)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.UnaryOp(ast.Invert(), node.operand)


def compile_columns(tree: ast.expr) -> CodeType:
    """Code that computes a folded condition on whole columns; evaluate it with a mapping of facts as locals."""
    text = ast.unparse(tree)
    vectorised = _Vectorise().visit(ast.parse(text, mode="eval"))
    return compile(ast.fix_missing_locations(vectorised), text, "eval")
