"""Drivers whose servers are not at hand: what is missing, who does not answer, and one exchange by protocol."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

from tabulaflow_core.data import QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.engines.generic import profiles
from tabulaflow_core.data.engines.generic.profiles import PROFILES
from tabulaflow_core.errors import MissingDriver, SourceUnavailable

URLS = {
    "mssql": "mssql+pymssql://u:plantedsecret@{}/d",
    "oracle": "oracle://u:plantedsecret@{}/?service_name=x",
    "databricks": "databricks://token:plantedsecret@{}?http_path=/x",
    "trino": "trino://u@{}/c",
    "clickhouse": "clickhouse://u:plantedsecret@{}/d",
    "redshift": "redshift://u:plantedsecret@{}/d",
}
OTHERS = {"snowflake": "snowflake://u:p@account/db/schema?warehouse=w", "bigquery": "bigquery://project/dataset"}


@pytest.mark.parametrize("key", sorted({**URLS, **OTHERS}))
async def test_a_missing_driver_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(profiles, "find_spec", lambda name: None)
    url = {**URLS, **OTHERS}[key].format("127.0.0.1:1")
    with pytest.raises(MissingDriver) as caught:
        await SQLConnector.from_url_async(url)
    assert f"pip install 'tabulaflow-core[{key}]'" in caught.value.user_message


@pytest.mark.parametrize("key", sorted(URLS))
@pytest.mark.filterwarnings("ignore")  # of drivers, about themselves
async def test_nobody_listens(key: str) -> None:
    driver = URLS[key].partition("://")[0]
    wanted = next((d for d in PROFILES[key].drivers if d.name == driver), PROFILES[key].drivers[0])
    if not wanted.installed:
        pytest.skip(f"{wanted.package} is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceUnavailable) as caught:
        await SQLConnector.from_url_async(URLS[key].format(f"127.0.0.1:{port}"))
    assert f"Nobody listens at 127.0.0.1:{port}" in caught.value.user_message
    assert "plantedsecret" not in f"{caught.value!r}{caught.value.detail}"


@contextmanager
def http_server(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def body(self) -> str:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()

    def answer(self, data: bytes, **headers: str) -> None:
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.mark.filterwarnings("ignore")
async def test_trino_by_its_protocol() -> None:
    pytest.importorskip("trino")
    asked: list[str] = []

    class Trino(_Quiet):
        def do_POST(self) -> None:
            asked.append(self.body())
            host = self.headers["Host"]
            page = {"id": "q1", "infoUri": "http://x", "nextUri": f"http://{host}/v1/statement/q1/1"}
            self.answer(json.dumps({**page, "stats": {"state": "QUEUED"}}).encode(), Content_Type="application/json")

        def do_GET(self) -> None:
            page: dict[str, object] = {"id": "q1", "infoUri": "http://x", "stats": {"state": "FINISHED"}}
            if "nothing" in asked[-1]:
                page["error"] = {
                    "message": "line 1:8: Column 'nothing' cannot be resolved",
                    "errorCode": 47,
                    "errorName": "COLUMN_NOT_FOUND",
                    "errorType": "USER_ERROR",
                }
            else:
                page["columns"] = [
                    {"name": name, "type": kind, "typeSignature": {"rawType": raw, "arguments": arguments}}
                    for name, kind, raw, arguments in (
                        ("n", "bigint", "bigint", []),
                        ("n", "varchar", "varchar", [{"kind": "LONG", "value": 9}]),
                        (
                            "d",
                            "decimal(20,2)",
                            "decimal",
                            [{"kind": "LONG", "value": 20}, {"kind": "LONG", "value": 2}],
                        ),
                    )
                ]
                page["data"] = [[9223372036854775807, "see :abc 100%", "12345678901234567.89"], [None, "", None]]
            self.answer(json.dumps(page).encode(), Content_Type="application/json")

        def do_DELETE(self) -> None:
            self.answer(b"")

    with http_server(Trino) as port:
        async with await SQLConnector.from_url_async(f"trino://u@127.0.0.1:{port}/c/s") as connector:
            assert connector.dialect == "trino"
            asked.clear()
            result = await connector.run_query_async("SELECT n, 'see :abc 100%' AS n, d FROM t")
            assert isinstance(result, QueryResult), result
            assert asked[-1] == "SELECT n, 'see :abc 100%' AS n, d FROM t"
            assert result.table.column_names == ["n", "n", "d"]
            assert [c.to_pylist() for c in result.table.columns][:2] == [
                [9223372036854775807, None],
                ["see :abc 100%", ""],
            ]
            assert str(result.table.column(2)[0].as_py()) == "12345678901234567.89"
            failure = await connector.run_query_async("SELECT nothing FROM t")
            assert isinstance(failure, QueryFailure)
            assert (failure.kind.value, "nothing" in failure.message) == ("invalid", True)
            refused = await connector.run_query_async("SELECT * FROM TABLE(system.query(query => 'DROP TABLE t'))")
            assert isinstance(refused, QueryFailure)
            assert refused.kind.value == "refused"


def _native(columns: list[tuple[str, str, bytes]], rows: int) -> bytes:
    """A block of ClickHouse's native format, of fewer than 128 rows."""

    def text(value: str) -> bytes:
        return bytes([len(value)]) + value.encode()

    return bytes([len(columns), rows]) + b"".join(text(name) + text(kind) + data for name, kind, data in columns)


@pytest.mark.filterwarnings("ignore")
async def test_clickhouse_is_asked_read_only() -> None:
    pytest.importorskip("clickhouse_connect")
    seen: list[tuple[str, dict[str, str]]] = []

    class ClickHouse(_Quiet):
        def do_POST(self) -> None:
            query = dict(parse_qsl(urlsplit(self.path).query))
            body = self.body()
            sql = query.get("query") or body
            seen.append((sql, query))
            if "version()" in sql:
                self.answer(b"25.8.1.1\tUTC\n", Content_Type="text/tab-separated-values")
            elif "system.settings" in sql:
                empty = [("name", "String", b""), ("value", "String", b""), ("readonly", "UInt8", b"")]
                self.answer(_native(empty, 0))
            elif "n FROM t" in sql:
                self.answer(_native([("n", "UInt64", struct.pack("<Q", 2**64 - 1)), ("s", "String", b"\x04100%")], 1))
            elif "currentDatabase()" in sql:
                self.answer(_native([("currentDatabase()", "String", b"\x01d")], 1))
            elif "AS check" in sql:  # whether a newer form of the protocol is spoken: no
                self.answer(b"")
            else:
                self.answer(_native([("name", "String", b"")], 0))

        do_GET = do_POST

    with http_server(ClickHouse) as port:
        connector = await SQLConnector.from_url_async(f"clickhouse://u:plantedsecret@127.0.0.1:{port}/d")
        async with connector:
            result = await connector.run_query_async("SELECT n, '100%' AS s, n FROM t")
            assert isinstance(result, QueryResult), result
            assert [column.to_pylist() for column in result.table.columns] == [[2**64 - 1], ["100%"]]
    sql, options = next((sql, options) for sql, options in seen if "n FROM t" in sql)
    assert sql.startswith("SELECT n, '100%' AS s, n FROM t")
    assert options["readonly"] == "1"
    assert options["result_overflow_mode"] == "break"
    assert float(options["max_execution_time"]) > 0
    assert options["query_id"]
