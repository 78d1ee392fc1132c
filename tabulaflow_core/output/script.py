"""A conversation's queries as a program that runs them again: a Python script or a notebook, without any secret."""

from __future__ import annotations

import json
import pprint
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

_TOGETHER: Final = " + "
_FOLDER: Final = "TABULAFLOW_FILES"


@dataclass(frozen=True, slots=True)
class ScriptSource:
    """One source of the queries.

    Attributes:
        files: For files: the file of each table by the table's name; empty for a database.
        options: The choices of a person on how a file is read, by the table's name.
    """

    alias: str
    files: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScriptQuery:
    """One query with the question it answers; `source` is an alias, or several with ` + ` between them."""

    question: str
    source: str
    sql: str


def url_variable(alias: str) -> str:
    """The environment variable from which the program takes a database's URL."""
    return f"TABULAFLOW_URL_{re.sub(r'[^A-Z0-9]+', '_', alias.upper())}"


def script_text(title: str, sources: Sequence[ScriptSource], queries: Sequence[ScriptQuery]) -> str:
    """The program as text; `python FILE` prints the rows of every query."""
    calls = []
    for number, query in enumerate(queries, 1):
        calls.append(f"        print({f'{number}. {_line(query.question)}'!r})")
        calls.append(f"        print(await ask(sources, {query.source!r}, QUERY_{number}))")
    blocks = [
        _introduction(title, sources),
        _IMPORTS,
        _opening(sources),
        *(f"QUERY_{number} = {_literal(query.sql)}\n" for number, query in enumerate(queries, 1)),
        _MAIN.format(calls="\n".join(calls) or "        pass"),
    ]
    return "\n".join(blocks)


def notebook_text(title: str, sources: Sequence[ScriptSource], queries: Sequence[ScriptQuery]) -> str:
    """The same as a notebook (nbformat 4.5), one cell a query."""
    cells = [
        _cell(f"{_introduction(title, sources)}\n{_IMPORTS}\n{_opening(sources)}", 0),
        _cell("registry = DataConnectorRegistry()\nsources = await open_sources(registry)", 1),
    ]
    for number, query in enumerate(queries, 1):
        asked = "\n".join(f"# {line}" for line in query.question.splitlines())
        code = f"{asked}\nquery = {_literal(query.sql)}\nawait ask(sources, {query.source!r}, query)"
        cells.append(_cell(code, number + 1))
    cells.append(_cell("await registry.close_async()", len(queries) + 2))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _cell(code: str, number: int) -> dict[str, JsonValue]:
    lines: list[JsonValue] = list(code.rstrip("\n").splitlines(keepends=True))
    return {
        "cell_type": "code",
        "id": f"cell-{number}",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": lines,
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _literal(sql: str) -> str:
    """The query as Python text, over several lines where nothing in it would end or change the text."""
    plain = sql.strip("\n")
    harmless = '"""' not in plain and "\\" not in plain and all(line.isprintable() for line in plain.split("\n"))
    if "\n" in plain and harmless:
        return f'"""\\\n{plain}\n"""'
    return repr(sql)


def _introduction(title: str, sources: Sequence[ScriptSource]) -> str:
    lines = ["# The queries of a conversation, run again without a language model.", f"# {_line(title)}", "#"]
    lines.append("# pip install tabulaflow-core, then:")
    for source in sources:
        alias = _line(source.alias)  # a line's end would end the remark
        if source.files:
            names = ", ".join(sorted(set(map(_line, source.files.values()))))
            lines.append(f"#   {_FOLDER}: the folder with {names}; the current one by default")
        else:
            lines.append(f"#   {url_variable(source.alias)}: the database URL of {alias}, with its password")
    return "\n".join(lines) + "\n"


_IMPORTS: Final = """\
import asyncio
import os
from pathlib import Path

import pandas as pd

from tabulaflow_core.data import DataConnector, DataConnectorRegistry, FilesConnector, QueryFailure, SQLConnector
from tabulaflow_core.data.workspace import AcrossConnector
from tabulaflow_core.runtime.read_choices import parse
"""

_MAIN: Final = """
async def main() -> None:
    async with DataConnectorRegistry() as registry:
        sources = await open_sources(registry)
{calls}


if __name__ == "__main__":
    asyncio.run(main())
"""

_ASK: Final = '''
async def ask(sources: dict[str, DataConnector], alias: str, sql: str) -> pd.DataFrame:
    """The rows of one query; read-only, as in the conversation."""
    parts = {part: sources[part] for part in alias.split(" + ")}
    source = next(iter(parts.values())) if len(parts) == 1 else AcrossConnector(parts)
    outcome = await source.run_query_async(sql)
    if isinstance(outcome, QueryFailure):
        raise SystemExit(f"{outcome.message} {outcome.hint}")
    return outcome.table.to_pandas()

'''


def _opening(sources: Sequence[ScriptSource]) -> str:
    lines = ["async def open_sources(registry: DataConnectorRegistry) -> dict[str, DataConnector]:"]
    lines.append('    """Open every source; what is missing is said."""')
    for source in sources:
        lines += _open_files(source) if source.files else _open_database(source.alias)
    lines.append("    return {alias: registry.get(alias) for alias in registry.aliases}")
    return "\n".join(lines) + "\n\n" + _ASK


def _open_database(alias: str) -> list[str]:
    variable = url_variable(alias)
    return [
        f"    if not os.environ.get({variable!r}):",
        f"        raise SystemExit({f'Set {variable} to the URL of the database.'!r})",
        f"    registry.register({alias!r}, await SQLConnector.from_url_async(os.environ[{variable!r}]))",
    ]


def _open_files(source: ScriptSource) -> list[str]:
    options = {table: dict(chosen) for table, chosen in source.options.items() if chosen}
    made = "{" + ", ".join(f"{table!r}: parse({_value(chosen)})" for table, chosen in options.items()) + "}"
    return [
        f"    folder = Path(os.environ.get({_FOLDER!r}, '.'))",
        f"    files = {_value(dict(source.files))}",
        "    paths = {table: folder / name for table, name in files.items()}",
        f"    chosen = {made}",
        f"    registry.register({source.alias!r}, await FilesConnector.from_files_async(paths, options=chosen))",
    ]


def _value(value: Mapping[str, JsonValue]) -> str:
    return pprint.pformat(value, width=10_000, sort_dicts=False)
