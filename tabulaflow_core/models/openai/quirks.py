"""What servers refuse, learnt from their refusals and remembered for each model."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

import openai

from tabulaflow_core.models.contracts import ModelFacts
from tabulaflow_core.models.profiles import EndpointProfile

_NEW_NAME_PROVIDERS = frozenset({"openai", "azure"})


@dataclass(frozen=True, slots=True)
class Quirks:
    """Which parameters a model takes, and how they are called there."""

    temperature: bool = True
    max_tokens: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    other_limit_refused: bool = False
    system_role: Literal["system", "developer", "user"] = "system"
    reasoning: bool = True
    reasoning_summary: bool = True
    encrypted_reasoning: bool = True
    stream_options: bool = True
    response_schema: bool = True
    tool_choice: bool = True
    cache_key: bool = True
    stop: bool = True


# The refused parameter, as its name or in the words of the message -> the field it belongs to. The first row that fits.
_REFUSALS: Final = (
    (re.compile(r"stream_options|include_usage", re.I), "stream_options"),
    (re.compile(r"max_completion_tokens|max_tokens|max_output_tokens", re.I), "max_tokens"),
    (re.compile(r"reasoning[._]summary|summar(y|ies)", re.I), "reasoning_summary"),
    (re.compile(r"encrypted_content|encrypted content|\binclude\b", re.I), "encrypted_reasoning"),
    (re.compile(r"reasoning|\bthink(ing)?\b", re.I), "reasoning"),
    (re.compile(r"temperature", re.I), "temperature"),
    (re.compile(r"response_format|json_schema|text\.format", re.I), "response_schema"),
    (re.compile(r"tool_choice", re.I), "tool_choice"),
    (re.compile(r"prompt_cache_key", re.I), "cache_key"),
    (re.compile(r"\bstop\b", re.I), "stop"),
    (re.compile(r"\b(developer|system)\b.{0,40}\brole\b|\brole\b.{0,60}\b(developer|system)\b", re.I), "system_role"),
)
_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|exceeds? the (available )?context",
    re.I,
)
_learnt: dict[tuple[str, str], Quirks] = {}


def first_guess(facts: ModelFacts) -> Quirks:
    """Return what the facts say before the server was asked."""
    new_name = facts.name.partition(":")[0] in _NEW_NAME_PROVIDERS
    return Quirks(
        temperature=facts.temperature,
        max_tokens="max_completion_tokens" if new_name else "max_tokens",
        cache_key=new_name,
    )


def remember_profile(facts: ModelFacts, base_url: str, profile: EndpointProfile) -> None:
    """Take over what the doctor found out, where this process has not learnt better by itself."""
    if (base_url, facts.name) in _learnt:
        return
    guess = first_guess(facts)
    remember(
        facts,
        base_url,
        dataclasses.replace(
            guess,
            temperature=guess.temperature and profile.temperature,
            max_tokens=profile.max_tokens,
            system_role=profile.system_role,
            stream_options=profile.stream_options,
            response_schema=profile.response_schema,
            tool_choice=profile.tool_choice,
        ),
    )


def known_quirks(facts: ModelFacts, base_url: str) -> Quirks:
    """Return what this process knows of the model at this address."""
    return _learnt.get((base_url, facts.name)) or first_guess(facts)


def remember(facts: ModelFacts, base_url: str, quirks: Quirks) -> None:
    """Keep what was learnt, for as long as the process lives."""
    if len(_learnt) >= 1000:  # names can come from people: keep the memory bounded
        _learnt.clear()
    _learnt[base_url, facts.name] = quirks


def is_too_long(error: openai.APIError) -> bool:
    """Say whether the request did not fit the model's window."""
    return error.code in ("context_length_exceeded", "exceed_context_size_error") or bool(
        _TOO_LONG.search(error.message)
    )


def adjusted(quirks: Quirks, error: openai.APIStatusError) -> Quirks | None:
    """Return what to try after a refusal, or None when it names no parameter that we could leave out."""
    if error.status_code not in (400, 422) or is_too_long(error):
        return None
    for said in (error.param or "", error.message):
        for pattern, field in _REFUSALS:
            if pattern.search(said) and (changed := _without(quirks, field, error.message)):
                return changed
    return None


def _without(quirks: Quirks, field: str, message: str) -> Quirks | None:
    match field:
        case "max_tokens":
            return _other_limit(quirks, message)
        case "system_role":
            roles: tuple[Literal["system", "developer", "user"], ...] = ("system", "developer", "user")
            place = roles.index(quirks.system_role) + 1
            return dataclasses.replace(quirks, system_role=roles[place]) if place < len(roles) else None
        case _:
            off: dict[str, Any] = {field: False}
            return dataclasses.replace(quirks, **off) if getattr(quirks, field) else None


def _other_limit(quirks: Quirks, message: str) -> Quirks | None:
    """Take the other name first, then none: a server may refuse both, each with a word for the other."""
    if quirks.max_tokens == "" or quirks.other_limit_refused:
        return dataclasses.replace(quirks, max_tokens="") if quirks.max_tokens else None
    if quirks.max_tokens == "max_tokens" and "max_completion_tokens" in message:
        return dataclasses.replace(quirks, max_tokens="max_completion_tokens", other_limit_refused=True)
    if quirks.max_tokens == "max_completion_tokens":
        return dataclasses.replace(quirks, max_tokens="max_tokens", other_limit_refused=True)
    return dataclasses.replace(quirks, max_tokens="")
