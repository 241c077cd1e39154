"""The engine with other values of its constants, as if they stood in its source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import TypeAlias

from ustory.core import registry
from ustory.core.evidence import load_evidence

Value: TypeAlias = int | float
Changes: TypeAlias = Mapping[tuple[str, str], Value]
"""New values by module, without the package, and name."""

PACKAGE = "ustory.links"
_READ_ANEW = (PACKAGE, "ustory.engine")
"""Packages that may hold a constant, or what was made of it."""


def value_of(module: str, name: str) -> Value:
    """Return what a constant is."""
    found: Value = getattr(import_module(f"{PACKAGE}.{module}"), name)
    return found


@contextmanager
def altered(changes: Changes) -> Iterator[ModuleType]:
    """Yield `ustory.engine.online`, read anew with other values of some constants.

    All that is made of a constant follows it: what other modules imported, defaults
    of arguments, and compiled loops. What is imported inside is of the same reading;
    afterwards everything is as it was.
    """
    before = {name: mod for name, mod in sys.modules.items() if _is_read_anew(name)}
    finder = _Finder(changes)
    _forget(before)
    sys.meta_path.insert(0, finder)
    try:
        yield import_module("ustory.engine.online")
    finally:
        sys.meta_path.remove(finder)
        _forget([name for name in sys.modules if _is_read_anew(name)])
        sys.modules.update(before)
        for name, module in before.items():
            parent, _, own = name.rpartition(".")
            setattr(sys.modules[parent], own, module)


def _forget(modules: Mapping[str, ModuleType] | Sequence[str]) -> None:
    for name in modules:
        del sys.modules[name]
    registry.find.cache_clear()
    load_evidence.cache_clear()


def _is_read_anew(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in _READ_ANEW)


class _Finder(MetaPathFinder):
    """Finds the modules whose constants are changed, before all others do."""

    def __init__(self, changes: Changes) -> None:
        self._changes: dict[str, dict[str, Value]] = {}
        for (module, name), value in changes.items():
            self._changes.setdefault(f"{PACKAGE}.{module}", {})[name] = value

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the module with its changes; None if it has none."""
        if fullname not in self._changes:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin, self._changes[fullname])
        return spec


class _Loader(SourceFileLoader):
    """Loads a module from its source, with other values of constants."""

    def __init__(self, name: str, path: str, values: Mapping[str, Value]) -> None:
        super().__init__(name, path)
        self._values = values

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the changed source; nothing is kept of it."""
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        for name, value in self._values.items():
            _put(tree, name, value)
        # loops that were compiled with the constant must not be taken for these
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "cache":
                node.value = ast.copy_location(ast.Constant(value=False), node.value)
        return compile(ast.fix_missing_locations(tree), path, "exec")


def _put(tree: ast.Module, name: str, value: Value) -> None:
    """Put a value where a constant is set: by itself, or beside others."""
    new = ast.Constant(value)
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, old = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and target.id == name:
            statement.value = ast.copy_location(new, old)
            return
        if isinstance(target, ast.Tuple) and isinstance(old, ast.Tuple):
            names = [getattr(each, "id", "") for each in target.elts]
            if name in names:
                place = names.index(name)
                old.elts[place] = ast.copy_location(new, old.elts[place])
                return
    raise LookupError(f"no constant {name} is set in the source")
