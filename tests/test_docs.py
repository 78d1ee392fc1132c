"""The README's example runs, its lines are the ones CI calls, and the settings are all described."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_library_example_runs_as_written() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    env = {**os.environ, "TABULAFLOW_MODEL": "scripted"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], env=env, capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "HDMI cable" in done.stdout
    assert "8" in done.stdout
    assert "7" in done.stdout


def test_the_example_of_dashboards_runs_as_written(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "dashboards.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE inventory (product TEXT, on_hand INTEGER, reorder_point INTEGER)")
        rows = [("HDMI cable", 1, 5), ("USB-C dock", 2, 9), ("Mouse", 9, 2)]
        connection.executemany("INSERT INTO inventory VALUES (?, ?, ?)", rows)
        connection.commit()
    env = {
        **os.environ,
        "TABULAFLOW_DATA_DIR": str(tmp_path / "data"),
        "TABULAFLOW_FILE_ROOTS": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    told = "print(shown.result.table.to_pylist(), runtime.dashboard(LOCAL_USER, board.id).next_refresh_at)"
    command = [sys.executable, "-W", "error", "-c", f"{example}\n{told}"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[{'product': 'HDMI cable'}]" in done.stdout
    assert "None" not in done.stdout


def test_every_setting_is_described_and_every_description_is_a_setting() -> None:
    variable = re.compile(r"\b(?:TABULAFLOW_[A-Z_]+[A-Z]|[A-Z]+(?:_OPENAI)?_(?:API_KEY|BASE_URL|ENDPOINT))\b")
    described = set(variable.findall((ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")))
    read = set()
    for path in (ROOT / "tabulaflow_core").rglob("*.py"):
        read |= set(variable.findall(path.read_text(encoding="utf-8")))
    assert described == read


def test_every_file_that_the_readme_points_to_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_the_two_lines_stand_in_the_readme_once_and_ci_finds_the_second() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert len(lines) == 2
    assert lines[0].endswith("streamlit run app.py")
    assert re.fullmatch(r"python3 -m venv .*\[test\].*pytest", lines[1])
