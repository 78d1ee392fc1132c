"""The house keeps its shape: arrows downward, vendors behind one door, small modules that say what they are for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "tabulaflow_core"
MAX_LINES = 400

#: package -> what it may import, besides itself and the foundation.
ALLOWED: dict[str, set[str]] = {
    "data": set(),
    "models": set(),
    "samples": set(),
    "output": {"data"},
    "agents": {"output", "data", "models"},
    "store": {"agents", "output", "data", "models"},
    "runtime": {"store", "agents", "output", "data", "models", "samples"},
    "cli": {"runtime", "store", "agents", "output", "data", "models", "samples"},
}
FOUNDATION = {"errors", "config", "principal", "counting", "lazy", "__version__"}

#: vendor -> the only folders or files that may import it.
VENDORS: dict[str, tuple[str, ...]] = {
    "streamlit": (),
    "openai": ("models/openai",),
    "httpx2": ("models/openai",),
    "xllamacpp": ("models/local",),
    "genai_prices": ("models/prices.py",),
    "sqlalchemy": ("data", "store"),
    "duckdb": ("data",),
    "sqlglot": ("data", "agents"),
    "asyncpg": ("data",),
    "pymysql": ("data",),
    "plotly": (),
    "cryptography": ("store",),
}
#: Where threads and event loops may be made.
LOOP_CALLS = {"new_event_loop", "run_forever", "run_until_complete", "Thread"}
LOOP_HOMES = ("runtime", "cli")

#: What would run text as a program, as a name that is called and as a module; the folders that may start a program.
RUNNERS = {"exec", "eval", "compile", "__import__"}
RUNNING_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "runpy", "code", "subprocess"}
PROGRAM_HOMES = ("models/local",)

MODULES = sorted(CORE.rglob("*.py"))
SCRIPTS = [p for p in (ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))) if p.exists()]


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of each import of the module at `path`."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    return imports_in(path.read_text(encoding="utf-8"), package=package)


def imports_in(source: str, *, package: list[str]) -> Iterator[tuple[int, str]]:
    """The same of a source text: relative imports resolved, function-level and typing ones included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, module
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def relative(path: Path) -> str:
    return path.relative_to(CORE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_imports_point_downward(path: Path) -> None:
    part = relative(path).split("/")[0].removesuffix(".py")
    if part == "__init__":
        return
    allowed = ALLOWED.get(part, set()) | {part} | FOUNDATION
    for line, name in imports_of(path):
        pieces = name.split(".")
        if pieces[0] == "tabulaflow_core" and len(pieces) > 1:
            assert pieces[1] in allowed, f"{relative(path)}:{line} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_vendors_stay_behind_their_door(path: Path) -> None:
    place = relative(path)
    for line, name in imports_of(path):
        doors = VENDORS.get(name.split(".")[0])
        if doors is not None:
            inside = any(place == door or place.startswith(f"{door}/") for door in doors)
            assert inside, f"{place}:{line} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_loops_and_threads_live_in_the_runtime(path: Path) -> None:
    if relative(path).split("/")[0] in LOOP_HOMES:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert name not in LOOP_CALLS, f"{relative(path)}:{node.lineno} calls {name}"


@pytest.mark.parametrize("path", [*MODULES, *SCRIPTS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_no_text_of_a_model_or_of_data_can_become_a_program(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in RUNNERS, f"{path.name}:{node.lineno} runs text"
    if path in MODULES and relative(path).startswith(PROGRAM_HOMES):
        return
    for line, name in imports_of(path):
        assert name.split(".")[0] not in RUNNING_MODULES, f"{path.name}:{line} imports {name}"


@pytest.mark.parametrize("path", [*MODULES, *SCRIPTS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_modules_are_small_and_introduced(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert ast.get_docstring(ast.parse(text)), "a module says what it is for"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_pages_reach_data_only_through_the_runtime(path: Path) -> None:
    below = {"store", "models", "data", "agents", "output"}
    types_only = {"agents.events", "data.schema", "data.contracts", "output.results", "output.specs", "output"}
    for line, name in imports_of(path):
        pieces = name.split(".")
        if pieces[0] == "tabulaflow_core" and len(pieces) > 1 and pieces[1] in below:
            module = ".".join(pieces[1:])
            assert any(module == t or module.startswith(f"{t}.") for t in types_only), f"{path.name}:{line} {name}"


def test_every_package_is_in_the_table() -> None:
    packages = {p.name for p in CORE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert packages == set(ALLOWED)


def test_a_planted_upward_import_is_seen() -> None:
    """A test of the test: relative, nested and dotted imports are all read."""
    source = "def f():\n    from ..store import x\n    import streamlit.testing\n"
    names = {name for _, name in imports_in(source, package=["tabulaflow_core", "data"])}
    assert names == {"tabulaflow_core.store", "tabulaflow_core.store.x", "streamlit.testing"}
