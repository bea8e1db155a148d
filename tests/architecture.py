"""Map of the product: its rooms, the imports between them, and names used across modules.

``python -m tests.architecture`` prints the map; ``tests/test_architecture.py`` holds the product to
the rules. A room is a sub-package, or a module that lies directly in a package.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("sfmcore", "sfmbio", "sfmvision")
# Compiled modules have a leading underscore in their names, so that nobody takes them for the
# public interface; they hold functions of arrays and nothing that is private to one module.
KERNELS = "kernels"


@dataclass
class Module:
    """What one source file imports, defines and uses."""

    name: str
    imports: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    """Private names of other modules, imported or used as attributes."""
    defined: set[str] = field(default_factory=set)
    """Private names that the module itself defines."""
    bases: dict[str, set[str]] = field(default_factory=dict)
    """Modules that a class's bases come from, by the class's private methods."""

    @property
    def room(self) -> str:
        """Sub-package or loose module that the file belongs to."""
        return ".".join(self.name.split(".")[:2])


def is_private(name: str) -> bool:
    """Say whether a name is private: one leading underscore, and more than that.

    The standard library's documentation has `os._exit`.
    """
    return name.startswith("_") and not name.startswith("__") and name not in ("_", "_exit")


def modules() -> dict[str, Module]:
    """Every Python module of the product by its dotted name."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    names = {path: _dotted(path) for path in paths}
    known = set(names.values())
    return {name: _read(path, name, known) for path, name in names.items()}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(path: Path, name: str, known: set[str]) -> Module:
    tree = ast.parse(path.read_text())
    module = Module(name)
    origin: dict[str, str] = {}  # where an imported name comes from
    kernels: set[str] = set()
    for node in ast.walk(tree):
        for target, source in _imported(node, known):
            if target.split(".")[0] in PACKAGES and target != name:
                module.imports.add(target)
            for alias, private in source.items():
                origin[alias] = target
                of_kernels = KERNELS in target.split(".")
                if of_kernels:
                    kernels.add(alias)
                elif is_private(private):
                    module.foreign.add(f"{target}.{private}")
    for node in ast.walk(tree):
        module.defined |= {n for n in _defines(node) if is_private(n)}
        if isinstance(node, ast.ClassDef):
            own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            above = {
                origin[base.id]
                for base in node.bases
                if isinstance(base, ast.Name)
                if base.id in origin
            }
            module.bases[node.name] = above
            module.bases[f"{node.name}()"] = {n for n in own if is_private(n)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if isinstance(node.value, ast.Name) and node.value.id in kernels:
                continue
            if node.attr not in module.defined:
                module.foreign.add(f".{node.attr}")
    return module


def _imported(node: ast.AST, known: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Modules that a statement imports, with the names it takes from each."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, {}
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            target = inner if inner in known else node.module
            yield target, {alias.asname or alias.name: alias.name}


def _defines(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        # What is set from outside is no definition.
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "own"):
            yield node.attr
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def arrows(every: dict[str, Module], package: str) -> dict[str, set[str]]:
    """Rooms that each room of a package imports from, within the package."""
    result: dict[str, set[str]] = {}
    for module in every.values():
        if module.name.split(".")[0] != package:
            continue
        own = result.setdefault(module.room, set())
        for target in module.imports:
            room = ".".join(target.split(".")[:2])
            # The package itself is what its `__init__` exports, on top of all rooms.
            if room != module.room and target.split(".")[0] == package:
                own.add(room)
    return result


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Rooms that import each other in a circle; empty if there are none."""
    done: set[str] = set()

    def visit(room: str, path: list[str]) -> list[str]:
        if room in path:
            return [*path[path.index(room) :], room]
        if room in done:
            return []
        for below in sorted(graph.get(room, ())):
            if found := visit(below, [*path, room]):
                return found
        done.add(room)
        return []

    return next((found for room in sorted(graph) if (found := visit(room, []))), [])


def floors(graph: dict[str, set[str]]) -> dict[str, int]:
    """Floor of each room: one above the highest room it imports from, 0 for none."""
    result: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in result:
            result[room] = 1 + max((floor(below) for below in graph.get(room, ())), default=-1)
        return result[room]

    for room in graph:
        floor(room)
    return result


def hidden_protocols(every: dict[str, Module]) -> list[str]:
    """Private methods that a class takes over from a base in another module."""
    found = []
    for module in every.values():
        for name, above in module.bases.items():
            if name.endswith("()"):
                continue
            own = module.bases[f"{name}()"]
            for target in above & every.keys():
                found += [
                    f"{module.name}.{name}.{n}: also in {target}"
                    for n in sorted(own & every[target].defined)
                ]
    return found


def foreign_names(every: dict[str, Module]) -> list[str]:
    """Private names that a module uses and does not define."""
    found = [f"{m.name}: {n.removeprefix('.')}" for m in every.values() for n in sorted(m.foreign)]
    return found + hidden_protocols(every)


def main() -> None:
    """Print the map."""
    every = modules()
    for package in PACKAGES:
        graph = arrows(every, package)
        ring = circle(graph)
        n_arrows = sum(map(len, graph.values()))
        print(f"{package}: {len(graph)} rooms, {n_arrows} arrows", end="")
        if ring:
            print(f", a circle: {' -> '.join(ring)}")
            continue
        height = floors(graph)
        print(f", {1 + max(height.values())} floors, no arrow up, no circle")
        for room in sorted(graph, key=lambda r: (-height[r], r)):
            below = ", ".join(sorted(n.removeprefix(f"{package}.") for n in graph[room]))
            print(f"  {height[room]:2}  {room.removeprefix(package + '.'):<14} -> {below}")
    foreign = foreign_names(every)
    print(f"private names across modules: {len(foreign)}")
    for line in foreign:
        print(f"  {line}")


if __name__ == "__main__":
    main()
