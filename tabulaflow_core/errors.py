"""Every exception this package raises, in one tree.

    TabulaflowError
    ├── ConfigurationError (ValueError)       a setting has a value that cannot be used
    ├── SourceError                           something about the user's data
    │   ├── UnknownSource (LookupError)       no source has this alias
    │   ├── SourceUrlError (ValueError)       the database URL is malformed or not allowed
    │   ├── MissingDriver (ImportError)       the engine's driver is not installed
    │   ├── SourceUnavailable (ConnectionError)   the database does not answer
    │   ├── WriteNotAllowed (PermissionError) a write on a read-only source
    │   ├── FileUnreadable (ValueError)       the file cannot be read as a table
    │   └── FileReadingStopped                a person stopped the reading of a file
    ├── ModelError                            something about the language model
    │   ├── NoModelAvailable                  no key and no embedded model
    │   ├── UnknownModel (ValueError)         the name is not `provider:model`, or the provider is unknown
    │   ├── ModelUnavailable (ConnectionError) it does not answer, or answers 5xx, after retries
    │   ├── ModelRejected (ValueError)        it refused the request: key, quota, bad parameter
    │   │   └── RequestTooLong                the messages do not fit into its window
    │   ├── ModelProtocolError (ValueError)   it answered something that is not its protocol
    │   └── LocalModelError                   the embedded model cannot be fetched, verified or started
    ├── TurnError
    │   ├── TurnInProgress (RuntimeError)     a second turn, or a reset, while one runs
    │   ├── TurnLimitReached                  calls, seconds, tokens or money of a turn
    │   └── OutputInvalid (ValueError)        no answer fitted the requested output type
    ├── NotPermitted (PermissionError)        a port said no: a budget, a right
    └── StoreError
        ├── NotFound (LookupError)            no such row for this principal
        ├── StoreUnavailable (ConnectionError)
        └── SecretUnreadable                  the key that encrypted a secret is gone

Families also inherit the built-in that a caller would expect, so either can be caught. A query's own
fault is not here: it is data (`tabulaflow_core.data.QueryFailure`), because a model can repair it.
"""

from __future__ import annotations


class TabulaflowError(Exception):
    """The root.

    Args:
        user_message: One or two sentences for a person: what happened and what to do. Holds no secret.
        detail: What a log should keep besides, never shown on a page.
    """

    def __init__(self, user_message: str, *, detail: str | None = None) -> None:
        super().__init__(user_message)
        self.user_message = user_message
        self.detail = detail

    def __str__(self) -> str:  # LookupError would show the repr of its argument
        return self.user_message


class ConfigurationError(TabulaflowError, ValueError):
    """A setting has a value that cannot be used."""


class SourceError(TabulaflowError):
    """Something about the user's data.

    Attributes:
        about: What a person would change in the address: `host`, `port`, `database`, `user`, `password` or `ssl`;
            empty where that is not known.
    """

    about: str = ""


class UnknownSource(SourceError, LookupError):
    """No source has this alias."""


class SourceUrlError(SourceError, ValueError):
    """The database URL is malformed or not allowed."""


class MissingDriver(SourceError, ImportError):
    """The engine's driver is not installed; the message names the command that installs it."""


class SourceUnavailable(SourceError, ConnectionError):
    """The database does not answer, or its connection broke."""


class WriteNotAllowed(SourceError, PermissionError):
    """A write was asked of a read-only source."""


class FileUnreadable(SourceError, ValueError):
    """The file cannot be read as a table."""


class FileReadingStopped(SourceError):
    """A person stopped the reading of a file; nothing of it was kept."""

    def __init__(self, user_message: str = "The reading was stopped; nothing of the file was kept.") -> None:
        super().__init__(user_message)


class ModelError(TabulaflowError):
    """Something about the language model.

    Attributes:
        charged: Requests that the provider may charge for: those that it began to answer, or that were lost on the way.
            0 when it refused, or was never reached.
    """

    charged: int = 1


class NoModelAvailable(ModelError):
    """There is neither a key nor an embedded model."""


class UnknownModel(ModelError, ValueError):
    """The name is not `provider:model`, or the provider is unknown."""


class ModelUnavailable(ModelError, ConnectionError):
    """The model does not answer, or fails on its side, after the retries."""


class ModelRejected(ModelError, ValueError):
    """The model refused the request: key, quota, or a parameter."""


class RequestTooLong(ModelRejected):
    """What was sent does not fit into the model's window."""


class ModelProtocolError(ModelError, ValueError):
    """The model answered something that is not its protocol."""


class LocalModelError(ModelError):
    """The embedded model cannot be fetched, verified or started."""


class TurnError(TabulaflowError):
    """Something about one turn of a conversation."""


class TurnInProgress(TurnError, RuntimeError):
    """A second turn, or a reset, was asked for while one runs."""


class TurnLimitReached(TurnError):
    """The model calls, the seconds, the tokens or the money of a turn are used up."""


class OutputInvalid(TurnError, ValueError):
    """No answer fitted the requested output type."""


class NotPermitted(TabulaflowError, PermissionError):
    """A port said no: a budget or a right."""


class StoreError(TabulaflowError):
    """Something about what is kept."""


class NotFound(StoreError, LookupError):
    """This principal has no such row; also said of another's row."""


class StoreUnavailable(StoreError, ConnectionError):
    """The store's database does not answer."""


class SecretUnreadable(StoreError):
    """The key that encrypted a secret is gone; the password must be entered again."""
