"""What an answer is: results by id, tables, charts and numbers made from their rows, and where they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.output.cells import (
        cell_text as cell_text,
    )
    from tabulaflow_core.output.cells import (
        column_values as column_values,
    )
    from tabulaflow_core.output.cells import (
        json_value as json_value,
    )
    from tabulaflow_core.output.cells import (
        number_text as number_text,
    )
    from tabulaflow_core.output.charts import choose_chart as choose_chart
    from tabulaflow_core.output.document import DocumentTurn as DocumentTurn
    from tabulaflow_core.output.document import document_html as document_html
    from tabulaflow_core.output.export import csv_bytes as csv_bytes
    from tabulaflow_core.output.figures import unsupported_figures as unsupported_figures
    from tabulaflow_core.output.followups import follow_ups as follow_ups
    from tabulaflow_core.output.origin import Provenance as Provenance
    from tabulaflow_core.output.origin import provenance as provenance
    from tabulaflow_core.output.results import (
        MemoryResultStore as MemoryResultStore,
    )
    from tabulaflow_core.output.results import (
        ResultStore as ResultStore,
    )
    from tabulaflow_core.output.results import (
        StoredResult as StoredResult,
    )
    from tabulaflow_core.output.script import ScriptQuery as ScriptQuery
    from tabulaflow_core.output.script import ScriptSource as ScriptSource
    from tabulaflow_core.output.script import notebook_text as notebook_text
    from tabulaflow_core.output.script import script_text as script_text
    from tabulaflow_core.output.sentences import describe as describe
    from tabulaflow_core.output.sentences import question_language as question_language
    from tabulaflow_core.output.specs import (
        ArtifactSpec as ArtifactSpec,
    )
    from tabulaflow_core.output.specs import (
        ChartOrder as ChartOrder,
    )
    from tabulaflow_core.output.specs import (
        ChartSpec as ChartSpec,
    )
    from tabulaflow_core.output.specs import (
        ChartType as ChartType,
    )
    from tabulaflow_core.output.specs import (
        MetricSpec as MetricSpec,
    )
    from tabulaflow_core.output.specs import (
        TableSpec as TableSpec,
    )
    from tabulaflow_core.output.tables import (
        preview_text as preview_text,
    )
    from tabulaflow_core.output.tables import (
        rows_json as rows_json,
    )
    from tabulaflow_core.output.tables import (
        table_json as table_json,
    )
    from tabulaflow_core.output.words import chart_wish as chart_wish
    from tabulaflow_core.output.workbook import xlsx_bytes as xlsx_bytes

_HOMES = {
    "ArtifactSpec": ".specs",
    "ChartOrder": ".specs",
    "ChartSpec": ".specs",
    "ChartType": ".specs",
    "DocumentTurn": ".document",
    "MemoryResultStore": ".results",
    "MetricSpec": ".specs",
    "Provenance": ".origin",
    "ResultStore": ".results",
    "ScriptQuery": ".script",
    "ScriptSource": ".script",
    "StoredResult": ".results",
    "TableSpec": ".specs",
    "cell_text": ".cells",
    "chart_wish": ".words",
    "choose_chart": ".charts",
    "column_values": ".cells",
    "csv_bytes": ".export",
    "describe": ".sentences",
    "document_html": ".document",
    "follow_ups": ".followups",
    "json_value": ".cells",
    "notebook_text": ".script",
    "number_text": ".cells",
    "preview_text": ".tables",
    "provenance": ".origin",
    "question_language": ".sentences",
    "rows_json": ".tables",
    "script_text": ".script",
    "table_json": ".tables",
    "unsupported_figures": ".figures",
    "xlsx_bytes": ".workbook",
}

__all__ = [
    "ArtifactSpec",
    "ChartOrder",
    "ChartSpec",
    "ChartType",
    "DocumentTurn",
    "MemoryResultStore",
    "MetricSpec",
    "Provenance",
    "ResultStore",
    "ScriptQuery",
    "ScriptSource",
    "StoredResult",
    "TableSpec",
    "cell_text",
    "chart_wish",
    "choose_chart",
    "column_values",
    "csv_bytes",
    "describe",
    "document_html",
    "follow_ups",
    "json_value",
    "notebook_text",
    "number_text",
    "preview_text",
    "provenance",
    "question_language",
    "rows_json",
    "script_text",
    "table_json",
    "unsupported_figures",
    "xlsx_bytes",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
