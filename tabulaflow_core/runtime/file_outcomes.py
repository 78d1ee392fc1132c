"""What pages are told of files."""

from __future__ import annotations

from dataclasses import replace

from tabulaflow_core.runtime import file_questions
from tabulaflow_core.runtime.file_details import KeptFile, WaitingFile, schemas
from tabulaflow_core.runtime.views import FileOutcome


def of_kept(kept: KeptFile) -> FileOutcome:
    """A file as the store has it."""
    return FileOutcome(
        name=kept.name,
        status=kept.status,
        message=kept.message,
        tables=schemas(kept.reading, several=kept.several),
        report=kept.reading.report,
        options=kept.options,
        version=kept.version,
        changes=kept.changes,
        files=tuple(member.name for member in kept.members) if kept.several else (),
        reports=kept.reading.reports,
    )


def of_waiting(waiting: WaitingFile) -> FileOutcome:
    """An upload that waits for an answer."""
    return FileOutcome(
        name=waiting.name,
        status="waiting",
        tables=schemas(waiting.reading),
        report=waiting.reading.report,
        question=file_questions.from_json(waiting.question),
        options=waiting.options,
        reports=waiting.reading.reports,
    )


def already_here(outcome: FileOutcome, name: str) -> FileOutcome:
    """A file came again under the same name and with the same bytes."""
    where = "" if outcome.name == name else f", as a part of {outcome.name}"
    what = "It waits for your answer." if outcome.status == "waiting" else "Nothing was changed."
    return replace(outcome, message=f"{name} is here already with the same content{where}. {what}", changes=())
