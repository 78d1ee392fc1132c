"""What happens before the first model call: look at the sources, tell what is new, add the question."""

from __future__ import annotations

from datetime import date

from tabulaflow_core.agents.compaction import NEWS
from tabulaflow_core.agents.conversation import Conversation
from tabulaflow_core.agents.prompt import Told, news_text, system_text, told_from
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.ports import SourceKnowledge
from tabulaflow_core.models.contracts import SystemMessage, UserMessage
from tabulaflow_core.principal import Principal


async def source_notes(knowledge: SourceKnowledge, principal: Principal, sources: tuple[Source, ...]) -> dict[str, str]:
    """Return what is known about each source, by alias; those without notes are left out."""
    notes = {s.alias: await knowledge.notes_async(principal, source=s.alias) for s in sources}
    return {alias: text for alias, text in notes.items() if text.strip()}


def tell_sources(
    conversation: Conversation,
    sources: tuple[Source, ...],
    question: str,
    *,
    notes: dict[str, str],
    instructions: str,
    today: date,
) -> None:
    """Put the system message first, or append what changed since; what was said before is never edited."""
    messages = conversation.messages
    if not any(isinstance(m, SystemMessage) for m in messages):
        conversation.told = Told()
        text = system_text(sources, question, conversation.told, notes=notes, instructions=instructions, today=today)
        messages.insert(0, SystemMessage(text))
        return
    if conversation.told is None:
        texts = [m.text for m in messages if isinstance(m, SystemMessage) or (isinstance(m, UserMessage) and m.host)]
        conversation.told = told_from(texts, sources)
    if news := news_text(sources, question, conversation.told, notes=notes):
        messages.append(UserMessage(f"{NEWS}\n{news}", host=True))
