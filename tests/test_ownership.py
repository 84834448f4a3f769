"""State is changed where it is declared: only a class's own folder assigns its attributes."""

import ast
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    (
        path
        for package in ("protocol", "server", "client")
        for path in (ROOT / package).rglob("*.py")
        if "examples" not in path.parts
    ),
    key=lambda path: (path.parent, path),
)
OWN = {"self", "cls"}


def foreign_assignments(module: ast.Module, declared: Collection[str] = ()) -> Iterator[str]:
    """Yield `line: target` for each assignment to an attribute of an object that is not its own.

    An object that the same function has just made is its own: `made = Made()` or `cls.__new__`.
    So are public attributes that the classes of the folder have `declared`: a room in memory is
    changed by the parts that hold its lock, without a method for each field.
    """
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes = list(ast.walk(function))
            made = set(_made_here(nodes))
            for target in _targets(nodes):
                if not _is_own(target.value, made) and target.attr not in declared:
                    yield f"{target.lineno}: {ast.unparse(target)}"


def public_attributes(module: ast.Module) -> Iterator[str]:
    """Yield the public attributes that the classes of a module assign or annotate themselves."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            for child in ast.walk(node):
                match child:
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        found = name
                    case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                        found = name
                    case _:
                        continue
                if not found.startswith("_"):
                    yield found


def _targets(nodes: Iterable[ast.AST]) -> Iterator[ast.Attribute]:
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node


def _is_own(owner: ast.expr, made: set[str]) -> bool:
    return isinstance(owner, ast.Name) and owner.id in OWN | made


def _made_here(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that a function binds to the result of a call of a class."""
    for node in nodes:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
            node = ast.Assign([node.target], node.value)  # noqa: PLW2901 - the same, with a type
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name[:1].isupper() or name == "__new__":
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_no_object_assigns_attributes_of_another_folder() -> None:
    found = []
    for _, paths in groupby(MODULES, lambda path: path.parent):
        modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
        declared = {name for module in modules.values() for name in public_attributes(module)}
        found += [
            f"{path.relative_to(ROOT)}:{assignment}"
            for path, module in modules.items()
            for assignment in foreign_assignments(module, declared)
        ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(self): self.a = 1", []),
        ("def f(other): other.a = 1", ["1: other.a"]),
        ("def f(self): self.other.a = 1", ["1: self.other.a"]),
        ("def f(self): self.other.count += 1", ["1: self.other.count"]),
        ("def f(self): del self.other.a", ["1: self.other.a"]),
        ("def f(self, other): self.a, other.b = 1, 2", ["1: other.b"]),
        ("def f():\n    made = Made()\n    made.a = 1", []),
    ],
)
def test_what_the_check_finds(source: str, found: list[str]) -> None:
    assert list(foreign_assignments(ast.parse(source))) == found


def test_what_a_folder_declares_is_its_own() -> None:
    made = ast.parse("class Made:\n    a: int = 0\n    def f(self): self.b = self._c = 1")
    assert set(public_attributes(made)) == {"a", "b"}
    public, private = (ast.parse(f"def f(made): made.{name} = 1") for name in ("a", "_c"))
    assert not list(foreign_assignments(public, {"a", "b"}))
    assert list(foreign_assignments(private, {"a", "b"})) == ["1: made._c"]
