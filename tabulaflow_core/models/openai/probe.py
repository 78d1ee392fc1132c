"""The doctor's hands: short requests to a Chat Completions endpoint, each trying one thing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import openai

from tabulaflow_core.errors import ModelError, ModelRejected
from tabulaflow_core.models.call_json import parse_object
from tabulaflow_core.models.catalog import facts_for
from tabulaflow_core.models.contracts import CallPart, ToolSpec
from tabulaflow_core.models.doctor import DoctorReport, Finding
from tabulaflow_core.models.openai.call_deltas import CallDeltas
from tabulaflow_core.models.openai.client import make_client
from tabulaflow_core.models.openai.errors import as_model_error
from tabulaflow_core.models.openai.events import whole_number
from tabulaflow_core.models.profiles import EndpointProfile
from tabulaflow_core.models.text_calls import TextCallParser

_TOOL: Final = ToolSpec(
    "run_query",
    "Run one SQL query and return its rows.",
    {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]},
)
_SCHEMA: Final = {
    "type": "object",
    "properties": {"capital": {"type": "string"}},
    "required": ["capital"],
    "additionalProperties": False,
}
_COUNT: Final = [{"role": "user", "content": "Count from 1 to 5, separated by commas, and say nothing else."}]
_CALL_IT: Final = [{"role": "user", "content": "Call the tool run_query to count the rows of the table orders."}]
# Enough for a reasoning model to come to its answer.
_ENOUGH_TOKENS: Final = 512


@dataclass
class _Answer:
    """What came back for one request."""

    text: str = ""
    pieces: int = 0
    calls: CallDeltas = field(default_factory=CallDeltas)
    indexed: bool = True
    reasoned: bool = False
    usage: bool = False
    finish: str | None = None


class Probe:
    """One visit to one endpoint."""

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        api_key: str,
        silence_seconds: float,
        on_finding: Callable[[Finding], None] | None = None,
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._api_key = api_key
        self._client = make_client(base_url, api_key, silence_seconds=silence_seconds)
        self._findings: list[Finding] = []
        self._on_finding = on_finding
        self._limit: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
        self._profile = EndpointProfile()
        self._answers = False

    async def run(self) -> DoctorReport:
        """Try everything; what the endpoint cannot do is a finding, never an exception."""
        began = time.monotonic()
        models: tuple[str, ...] = ()
        try:
            models = await self._list()
            if self._model and await self._streams():
                for test in (self._limits, self._temperature, self._roles, self._tools, self._required, self._schema):
                    await test()
        except ModelError as error:
            self._found("stays up", False, error.user_message)
        finally:
            await self._client.close()
        return DoctorReport(
            base_url=self._base_url,
            model=self._model,
            models=models,
            findings=tuple(self._findings),
            advice=self._advice(),
            profile=self._profile if self._answers else None,
            seconds=time.monotonic() - began,
        )

    def _found(self, name: str, ok: bool | None, message: str) -> None:
        finding = Finding(name, ok, message)
        self._findings.append(finding)
        if self._on_finding is not None:
            self._on_finding(finding)

    def _learn(self, **traits: Any) -> None:
        self._profile = replace(self._profile, **traits)

    def _error(self, error: Exception) -> ModelError:
        facts = facts_for(f"compatible:{self._model or '?'}", base_url=self._base_url)
        return as_model_error(error, facts, base_url=self._base_url, api_key=self._api_key)

    def _advice(self) -> str:
        if any(f.name == "answers" and f.ok for f in self._findings):
            return f"Use it with TABULAFLOW_BASE_URL={self._base_url} and TABULAFLOW_MODEL=compatible:{self._model}."
        return "" if self._findings else "Name a model with --model."

    async def _list(self) -> tuple[str, ...]:
        try:
            page = await self._client.models.list()
            names = tuple(str(model.id) for model in page.data or ())
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            known = bool(self._model)
            what = self._error(error).user_message
            self._found("lists models", None if known else False, what if known else f"{what} Name a model yourself.")
            return ()
        if self._model and names and self._model not in names:
            self._found("lists models", False, f"{self._model!r} is not among the {len(names)} models it lists.")
        else:
            self._found("lists models", True, f"It lists {len(names)} model{'s' * (len(names) != 1)}.")
        self._model = self._model or next(iter(names), "")
        for model in page.data or ():
            if str(model.id) == self._model and (window := _window(model)):
                self._learn(context_tokens=window)
                self._found("window", True, f"It says that its window is {window:,} tokens.")
        return names

    async def _ask(self, messages: list[dict[str, str]], **more: Any) -> _Answer:
        body: dict[str, Any] = {"model": self._model, "messages": messages, "stream": True, **more}
        answer = _Answer()
        stream: Any = await self._client.chat.completions.create(**body)
        try:
            async for chunk in stream:
                answer.usage |= chunk.usage is not None
                for choice in (chunk.choices or [])[:1]:
                    answer.finish = choice.finish_reason or answer.finish
                    if choice.delta is not None:
                        _take(answer, choice.delta)
        finally:
            await stream.close()
        return answer

    async def _try(self, messages: list[dict[str, str]], **more: Any) -> _Answer | ModelRejected:
        """Ask; a refusal is returned, another fault is raised and ends the visit."""
        try:
            return await self._ask(messages, **more)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            mapped = self._error(error)
            if isinstance(mapped, ModelRejected):
                return mapped
            raise mapped from error

    async def _streams(self) -> bool:
        answer = await self._try(_COUNT, stream_options={"include_usage": True})
        if isinstance(answer, ModelRejected):
            plain = await self._try(_COUNT)
            if isinstance(plain, ModelRejected):
                self._found("answers", False, plain.user_message)
                return False
            answer = plain
            self._learn(stream_options=False)
            self._found("usage in the stream", False, "It refuses stream_options: tokens and cost will be unknown.")
        else:
            counted = "It counts tokens in the stream." if answer.usage else "It counts none: cost will be unknown."
            self._found("usage in the stream", answer.usage, counted)
        self._found("answers", bool(answer.text), "It answers." if answer.text else "It answered without any text.")
        whole = "It sent the answer in one piece." if answer.pieces <= 1 else f"It sent {answer.pieces} pieces."
        self._found("streams", True if answer.pieces > 1 else None, whole)
        ended = "It says why it stopped." if answer.finish else "It sends no finish_reason: a cut answer goes unseen."
        self._found("ends its answers", bool(answer.finish), ended)
        if answer.reasoned:
            self._found("reasoning", None, "It shows its reasoning; that is shown folded.")
        self._answers = bool(answer.text or answer.reasoned)
        return self._answers

    async def _limits(self) -> None:
        names: tuple[Literal["max_tokens", "max_completion_tokens"], ...] = ("max_tokens", "max_completion_tokens")
        for name in names:
            if not isinstance(await self._try(_COUNT, **{name: _ENOUGH_TOKENS}), ModelRejected):
                self._limit = name
                self._learn(max_tokens=name)
                self._found("length limit", True, f"It takes {name}.")
                return
        self._limit = ""
        self._learn(max_tokens="")
        self._found("length limit", None, "It takes a limit under neither name; none will be sent.")

    def _bounded(self) -> dict[str, Any]:
        return {self._limit: _ENOUGH_TOKENS} if self._limit else {}

    async def _temperature(self) -> None:
        answer = await self._try(_COUNT, temperature=0.0, **self._bounded())
        refused = isinstance(answer, ModelRejected)
        self._learn(temperature=not refused)
        self._found("temperature", None if refused else True, "It refuses it; left out." if refused else "It takes it.")

    async def _roles(self) -> None:
        for role in ("system", "developer"):
            messages = [{"role": role, "content": "Be brief."}, *_COUNT]
            if not isinstance(await self._try(messages, **self._bounded()), ModelRejected):
                self._learn(system_role=role)
                self._found("instructions", True, f"It takes instructions as the role {role!r}.")
                return
        self._learn(system_role="user")
        self._found("instructions", False, "It takes no instructions; they will be sent as the person's words.")

    async def _tools(self) -> None:
        answer = await self._try(_CALL_IT, tools=[_wire_tool()], **self._bounded())
        if isinstance(answer, ModelRejected):
            more = " (vLLM: start it with --enable-auto-tool-choice and --tool-call-parser)"
            self._found("tool calls", False, f"It refuses tools{more}. {answer.user_message}")
            return
        for call in answer.calls.finish():
            whole = call.arguments is not None and isinstance(call.arguments.get("sql"), str)
            note = "" if answer.indexed else " Its pieces have no index, which is understood."
            bad = f"Its arguments are not the JSON object asked for: {call.raw[:80]!r}."
            self._found("tool calls", whole, f"It calls tools.{note}" if whole else bad)
            return
        parser = TextCallParser([_TOOL])
        written = [part for part in (*parser.feed(answer.text), *parser.finish()) if isinstance(part, CallPart)]
        if written and written[0].call.arguments is not None:
            self._learn(tools="text")
            self._found("tool calls", True, "It writes its calls as text, which is understood.")
        else:
            self._found("tool calls", False, "It called no tool when told to. Choose a model trained for tool calls.")

    async def _required(self) -> None:
        answer = await self._try(_CALL_IT, tools=[_wire_tool()], tool_choice="required", **self._bounded())
        if isinstance(answer, ModelRejected):
            self._learn(tool_choice=False)
            self._found("forced tool calls", None, "It refuses to be forced; left out.")
        else:
            forced = bool(answer.calls)
            self._found("forced tool calls", True if forced else None, "It obeys." if forced else "It does not obey.")

    async def _schema(self) -> None:
        wanted = {"type": "json_schema", "json_schema": {"name": "answer", "schema": _SCHEMA, "strict": True}}
        question = [{"role": "user", "content": "What is the capital of France? Answer as JSON."}]
        answer = await self._try(question, response_format=wanted, **self._bounded())
        if isinstance(answer, ModelRejected):
            self._learn(response_schema=False)
            self._found("JSON schema", None, "It refuses a schema; answers are checked here instead.")
            return
        value = parse_object(answer.text.strip())
        held = value is not None and set(value) == {"capital"} and isinstance(value["capital"], str)
        self._found(
            "JSON schema", True if held else None, "It holds to a schema." if held else "It ignores the schema."
        )


def _window(model: Any) -> int:
    """Read the window of a listed model; servers have different names for it, and most say nothing."""
    extra = getattr(model, "model_extra", None) or {}
    for name in ("max_model_len", "context_length", "context_window", "max_context_length"):
        if (window := whole_number(extra, name)) is not None:
            return window
    return whole_number(extra, "meta", "n_ctx") or 0


def _take(answer: _Answer, delta: Any) -> None:
    answer.text += delta.content or ""
    answer.pieces += bool(delta.content)
    answer.reasoned |= any(getattr(delta, name, None) for name in ("reasoning_content", "reasoning"))
    for piece in delta.tool_calls or []:
        function = piece.function
        answer.indexed &= piece.index is not None
        answer.calls.add(
            index=piece.index,
            id=piece.id,
            name=function.name if function else None,
            arguments=function.arguments if function else None,
        )


def _wire_tool() -> dict[str, Any]:
    function = {"name": _TOOL.name, "description": _TOOL.description, "parameters": _TOOL.parameters}
    return {"type": "function", "function": function}
