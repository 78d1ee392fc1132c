"""The README's example runs, its lines are the ones CI calls, and the settings are all described."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
    env = {**os.environ, "TABULAFLOW_DATA_DIR": str(tmp_path)}
    told = "print(runtime.dashboard(LOCAL_USER, board.id).tiles[0].fault)"
    command = [sys.executable, "-W", "error", "-c", f"{example}\n{told}"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "'shop'" in done.stdout, "there is no such source here, which the tile says"


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
