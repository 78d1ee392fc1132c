"""The program of a conversation really runs, over other copies of the sources, and holds no secret."""

from __future__ import annotations

import ast
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from tabulaflow_core.output import ScriptQuery, ScriptSource, notebook_text, script_text
from tabulaflow_core.output.script import url_variable

HOSTILE = 'What is "this"?\n\'\'\' """ \\ {x}\n# and that?'
SOURCES = [
    ScriptSource("shop-1"),
    ScriptSource("files", {"prices": "prices.csv"}, {"prices": {"types": {"code": "text"}}}),
]
QUERIES = [
    ScriptQuery(HOSTILE, "shop-1", 'SELECT sum(amount) AS total,\n  \'a\\b """ {x}\' AS t\nFROM orders'),
    ScriptQuery("Dearest?", "files", "SELECT code, price\nFROM prices\nORDER BY price DESC"),
    ScriptQuery("Both?", "shop-1 + files", 'SELECT count(*) AS n FROM "shop-1".orders, files.prices'),
]


def surroundings(tmp_path: Path) -> dict[str, str]:
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.execute("CREATE TABLE orders (id INTEGER, amount INTEGER)")
    connection.executemany("INSERT INTO orders VALUES (?, ?)", [(1, 10), (2, 32)])
    connection.commit()
    connection.close()
    (tmp_path / "prices.csv").write_text("code,price\n007,1.5\n008,2.5\n")
    return {
        **os.environ,
        "TABULAFLOW_URL_SHOP_1": f"sqlite:///{tmp_path / 'shop.db'}",
        "TABULAFLOW_FILES": str(tmp_path),
    }


def run(code: str, tmp_path: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "queries.py"
    path.write_text(code)
    command = [sys.executable, "-X", "faulthandler", str(path)]
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_script_runs(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    done = run(script_text(HOSTILE, SOURCES, QUERIES), tmp_path, env)
    assert done.returncode == 0, done.stderr
    assert "42" in done.stdout
    assert done.stdout.index("008") < done.stdout.index("007")
    assert "4" in done.stdout.splitlines()[-1]
    del env["TABULAFLOW_URL_SHOP_1"]
    done = run(script_text("x", SOURCES, QUERIES), tmp_path, env)
    assert done.returncode == 1
    assert "Set TABULAFLOW_URL_SHOP_1" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_notebook_runs_cell_by_cell(tmp_path: Path) -> None:
    book = json.loads(notebook_text(HOSTILE, SOURCES, QUERIES))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    cells = ["".join(cell["source"]) for cell in book["cells"]]
    assert all(cell["cell_type"] == "code" for cell in book["cells"])
    runner = (
        "import ast, asyncio, inspect\nspace = {'__name__': 'book'}\n"
        f"cells = {cells!r}\n"
        "async def play():\n"
        "    for cell in cells:\n"
        "        code = compile(cell, 'cell', 'exec', flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\n"
        "        made = eval(code, space)\n"
        "        if inspect.iscoroutine(made): await made\n"
        "    print('played', len(cells))\n"
        "asyncio.run(play())\n"
    )
    done = run(runner, tmp_path, surroundings(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"played {len(cells)}" in done.stdout


def test_the_variable_of_a_database() -> None:
    assert url_variable("shop-1") == "TABULAFLOW_URL_SHOP_1"


def test_no_name_and_no_question_becomes_code() -> None:
    """Aliases, files, tables, options, questions and queries that would end the text that they stand in."""
    for end in ('"', "'", '"""', "'''", "\\", "\n", "\r", "\u2028", "}", "{x}", "__import__('os')"):
        hostile = f"x{end}\npwned()\n#{end}); pwned(); ('"
        sources = [
            ScriptSource(hostile),
            ScriptSource(f"f{hostile}", {hostile: hostile}, {hostile: {hostile: hostile}}),
        ]
        queries = [ScriptQuery(hostile, hostile, hostile), ScriptQuery(hostile, f"{hostile} + f{hostile}", hostile)]
        codes = [script_text(hostile, sources, queries)]
        cells = json.loads(notebook_text(hostile, sources, queries))["cells"]
        codes += ["".join(cell["source"]) for cell in cells]
        for code in codes:
            tree = compile(code, "made", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert "pwned" not in called, end
