"""From the SDK's exceptions to ours, in sentences that a person can act on and that hold no key."""

from __future__ import annotations

import re

import openai

from tabulaflow_core.errors import ModelError, ModelProtocolError, ModelRejected, ModelUnavailable, RequestTooLong
from tabulaflow_core.models.catalog import PROVIDERS
from tabulaflow_core.models.contracts import ModelFacts
from tabulaflow_core.models.openai.client import is_quota, retry_after
from tabulaflow_core.models.openai.quirks import is_too_long

_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|key|Bearer)[-_ ][\w*.\-]{6,}")
_URL_SECRETS = re.compile(r"//[^/\s@]+@")
_LONGEST_QUOTE = 300
_BUSY_CODES = frozenset({"rate_limit_exceeded", "server_error", "overloaded", "overloaded_error", "internal_error"})


def masked(text: str, secret: str) -> str:
    """Return `text` without `secret` and without anything that looks like a key."""
    if len(secret) >= 4:
        text = text.replace(secret, "…")
    return _URL_SECRETS.sub("//…@", _KEY_LIKE.sub("…", text))


def as_model_error(error: Exception, facts: ModelFacts, *, base_url: str, api_key: str) -> ModelError:
    """Return ours for `error`, which comes from the SDK or from reading what it delivered."""
    said = masked(" ".join(str(error).split()), api_key)
    detail = f"{type(error).__name__}: {said}"
    where = masked(base_url, api_key)
    label = _label(facts)
    match error:
        case openai.APITimeoutError():
            return ModelUnavailable(
                f"{label} did not answer in time. Ask again, or choose another model.", detail=detail
            )
        case openai.APIConnectionError():
            return ModelUnavailable(f"{label} does not answer at {where}. {_hint(facts)}", detail=detail)
        case openai.APIStatusError():
            return _status_error(error, facts, where=where, said=_quote(error, api_key), detail=detail)
        case openai.APIError():
            return _stream_error(error, facts, said=_quote(error, api_key), detail=detail)
        case _:
            return ModelProtocolError(
                f"{label} sent an answer that cannot be read. Is {where} a chat model's address? "
                f"`tabulaflow model doctor` checks it.",
                detail=detail,
            )


def broke_off(facts: ModelFacts, *, detail: str) -> ModelUnavailable:
    """Return the error of an answer that ended before its end."""
    return ModelUnavailable(f"{_label(facts)} broke its answer off. Ask again.", detail=detail)


def _status_error(error: openai.APIStatusError, facts: ModelFacts, *, where: str, said: str, detail: str) -> ModelError:
    label, model, status = _label(facts), facts.name.partition(":")[2], error.status_code
    key = facts.api_key_env or "the key"
    if is_quota(error) or status == 402:
        return ModelRejected(
            f"The account at {_inside(label)} has no credit left or its limit is reached. Check its billing page.",
            detail=detail,
        )
    if status == 429:
        wait = retry_after(error)
        when = f"in {wait:.0f} seconds" if wait else "in a moment"
        return ModelUnavailable(
            f"{label} is busy or this key's rate limit is reached. Ask again {when}.", detail=detail
        )
    if status == 401:
        return ModelRejected(f"{label} does not accept the key. Check {key}.", detail=detail)
    if status == 403:
        return ModelRejected(f"{label} does not allow this key to use {model!r}. {said}".strip(), detail=detail)
    if status in (404, 405):
        return _not_found(error, facts, where=where, said=said, detail=detail)
    if status >= 500 or status in (408, 409, 425):
        return ModelUnavailable(f"{label} has a fault on its side ({status}). Ask again in a moment.", detail=detail)
    if status == 413 or is_too_long(error):
        return _too_long(facts, detail)
    return ModelRejected(f"{label} refused the request ({status}). {said}".strip(), detail=detail)


def _not_found(error: openai.APIStatusError, facts: ModelFacts, *, where: str, said: str, detail: str) -> ModelRejected:
    label, model = _label(facts), facts.name.partition(":")[2]
    about_model = error.code == "model_not_found" or re.search(r"\bmodel\b", error.message, re.IGNORECASE)
    if about_model:
        more = f" Fetch it with `ollama pull {model}`." if facts.name.startswith("ollama:") else ""
        return ModelRejected(f"{label} has no model {model!r} for you. Check its name.{more}", detail=detail)
    if facts.wire == "responses" and "api.openai.com" not in where:
        return ModelRejected(
            f"{where} does not speak OpenAI's Responses wire. Name the model `compatible:{model}` instead, and check "
            f"that the address ends in /v1.",
            detail=detail,
        )
    return ModelRejected(
        f"There is no chat model's address at {where} ({error.status_code}). The address usually ends in /v1.",
        detail=detail,
    )


def _stream_error(error: openai.APIError, facts: ModelFacts, *, said: str, detail: str) -> ModelError:
    """Map a fault that the server reported inside a stream."""
    label = _label(facts)
    if is_quota(error):
        return ModelRejected(
            f"The account at {_inside(label)} has no credit left. Check its billing page.", detail=detail
        )
    if is_too_long(error):
        return _too_long(facts, detail)
    kind = error.code or error.type or ""
    if kind.startswith("invalid") or kind.endswith("policy") or "policy_violation" in kind:
        return ModelRejected(f"{label} refused the request. {said}".strip(), detail=detail)
    busy = " Ask again in a moment." if kind in _BUSY_CODES or not said else f" {said}"
    return ModelUnavailable(f"{label} broke its answer off with a fault of its own.{busy}", detail=detail)


def _too_long(facts: ModelFacts, detail: str) -> RequestTooLong:
    return RequestTooLong(
        f"The conversation is too long for {facts.name}. Start a new one, or choose a model with a larger window.",
        detail=detail,
    )


def _quote(error: openai.APIError, api_key: str) -> str:
    """Return the server's own sentence, shortened and masked."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error") if isinstance(body.get("error"), dict) else body
    message = inner.get("message") if isinstance(inner, dict) else None
    if not isinstance(message, str):
        message = error.message if not isinstance(error, openai.APIStatusError) else ""
    text = masked(" ".join(message.split()), api_key)
    if not text or text.startswith("<"):
        return ""
    return f"It says: {text[:_LONGEST_QUOTE]}{'…' if len(text) > _LONGEST_QUOTE else ''}"


def _label(facts: ModelFacts) -> str:
    provider = PROVIDERS.get(facts.name.partition(":")[0])
    return provider.label if provider else facts.name


def _inside(label: str) -> str:
    """Return `label` as it stands inside a sentence: `the endpoint`, but `OpenAI`."""
    return label[0].lower() + label[1:] if label.startswith("The ") else label


def _hint(facts: ModelFacts) -> str:
    provider = PROVIDERS.get(facts.name.partition(":")[0])
    return provider.hint if provider else "Check the address."
