"""The tables of the store, as of `migrations.LATEST`. Every row has an owner: the id of a `Principal`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

# Moments are seconds since 1970 UTC, by the database's clock where processes compare them: SQLite keeps no
# time zone, and replicas need not agree on the time.


def _owner() -> Column[str]:
    return Column("owner", String(255), nullable=False)


def _id() -> Column[str]:
    return Column("id", String(64), primary_key=True)


schema_version = Table(
    "schema_version",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", Integer, nullable=False),
)

conversations = Table(
    "conversations",
    metadata,
    _id(),
    _owner(),
    Column("title", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    # Grows whenever the history changes: a session kept warm in memory is right while it has the same version.
    Column("version", Integer, nullable=False),
    Index("ix_conversations_owner", "owner", "updated_at"),
)

messages = Table(
    "messages",
    metadata,
    Column("conversation_id", ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True),
    _owner(),
    # The number of the last turn that `body`, the model's history as JSON, knows of.
    Column("through_turn", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

turns = Table(
    "turns",
    metadata,
    _id(),
    _owner(),
    Column("conversation_id", ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double),
    # Who runs it, and when it last said so.
    Column("runner", String(128), nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("conversation_id", "number"),
    # One running turn a conversation, whatever the number of processes.
    Index(
        "ux_turns_running",
        "conversation_id",
        unique=True,
        sqlite_where=text("state = 'running'"),
        postgresql_where=text("state = 'running'"),
    ),
)

events = Table(
    "events",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    _owner(),
    Column("body", Text, nullable=False),
)

results = Table(
    "results",
    metadata,
    _id(),
    Column("owner", String(255), primary_key=True),
    Column("source", Text, nullable=False),
    Column("dialect", String(32), nullable=False),
    Column("sql", Text, nullable=False),
    Column("truncated", Boolean, nullable=False),
    Column("cut_by", String(8)),
    Column("seconds", Double, nullable=False),
    Column("notes", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("size", BigInteger, nullable=False),
    # The rows as a compressed Arrow stream; NULL when they are a file in the data folder.
    Column("body", LargeBinary),
    Index("ix_results_owner", "owner", "created_at"),
)

files = Table(
    "files",
    metadata,
    _id(),
    _owner(),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("status", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("details", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("owner", "name"),
)

# Uploads that were read and whose question is not answered: nothing else has changed for them yet.
waiting_files = Table(
    "waiting_files",
    metadata,
    _id(),
    _owner(),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("details", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("owner", "name"),
)

databases = Table(
    "databases",
    metadata,
    _id(),
    _owner(),
    Column("alias", Text, nullable=False),
    Column("dialect", String(32), nullable=False),
    Column("url_masked", Text, nullable=False),
    Column("url_secret", Text, nullable=False),
    # What is known of an uploaded database file as JSON; empty for one that a URL names.
    Column("upload", Text, nullable=False, server_default=text("''")),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("owner", "alias"),
)

# No foreign keys: what was spent stays spent when its conversation is deleted.
model_calls = Table(
    "model_calls",
    metadata,
    _id(),
    _owner(),
    Column("conversation_id", String(64), nullable=False),
    Column("turn_id", String(64), nullable=False),
    Column("model", Text, nullable=False),
    Column("settled", Boolean, nullable=False),
    Column("api_requests", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("cached_input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("reasoning_tokens", Integer, nullable=False),
    Column("api_cost_usd", Double),
    Column("price_source", String(16), nullable=False),
    Column("seconds", Double, nullable=False),
    Column("created_at", Double, nullable=False),
    Index("ix_model_calls_owner", "owner", "created_at"),
    Index("ix_model_calls_turn", "turn_id"),
)
