"""Every error Clindex raises on purpose.

Messages carry ids, counts, file names and enum values, never a document's text. ``remedy`` says what to do.
The runner (Airflow or the command line) decides by type: ``TransientError`` is retried, ``PermanentError`` is not.
"""

from __future__ import annotations


class ClindexError(Exception):
    """Base of all our errors.

    Attributes:
        remedy: One sentence on what to do about it, or ``None``.
        exit_code: What the command line exits with (0 done, 1 incomplete, 2 usage, 3 refused by a guard).
    """

    exit_code = 1

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """Message and remedy: an Airflow task's log shows this and nothing else."""
        return f"{self.message}. {self.remedy}" if self.remedy else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.remedy, self.__dict__.copy()))


def _rebuild(cls: type[ClindexError], message: str, remedy: str | None, state: dict[str, object]) -> ClindexError:
    """Unpickle an error without calling a subclass's own constructor (tasks cross processes)."""
    error = cls.__new__(cls)
    ClindexError.__init__(error, message, remedy=remedy)
    error.__dict__.update(state)
    return error


class PermanentError(ClindexError):
    """Trying again cannot help."""


class TransientError(ClindexError):
    """Trying again may help."""


class UsageError(PermanentError):
    """The command or its arguments are wrong."""

    exit_code = 2


class GuardRefusedError(PermanentError):
    """A guard refused: nothing was changed."""

    exit_code = 3


class UnauthenticatedError(PermanentError):
    """Who asks has no key, or one that opens nothing: unknown, revoked and expired ones are not told apart."""


class ForbiddenError(PermanentError):
    """The key's role does not reach this far."""


class NotFoundError(PermanentError):
    """There is no such thing, or not for the one who asks: the two are answered alike."""


class RequestTooLargeError(PermanentError):
    """A request has more bytes than are read."""


class TooManyRequestsError(TransientError):
    """The key's requests of this minute are used up.

    Attributes:
        retry_after_seconds: When it may ask again.
    """

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__("too many requests in this minute", remedy=f"Ask again in {retry_after_seconds} s.")
        self.retry_after_seconds = retry_after_seconds


class ConfigurationError(PermanentError):
    """A setting is missing or contradicts another."""


class HomeNotInitialisedError(PermanentError):
    """The home has no database or collection yet, or its schema is behind the code."""


class SecretMismatchError(GuardRefusedError):
    """The site secret is not the one this home was made with."""


class IncompleteRunError(PermanentError):
    """The run ended, its report is written, and something in it failed or is missing."""


class SourceUnavailableError(TransientError):
    """A source did not answer, or answered with a passing fault."""


class SourceRefusedError(PermanentError):
    """A source refused the request for good (HTTP 4xx other than 408, 425 and 429)."""


class SourceProtocolError(TransientError):
    """A source answered with something that is not its protocol (truncated body, malformed JSON)."""


class SourceWentBackError(GuardRefusedError):
    """A source's data timestamp is older than the one already recorded."""


class RecordError(PermanentError):
    """One record cannot be taken; the run goes on without it.

    Attributes:
        category: A value of ``FailureCategory``.
    """

    def __init__(self, category: str, message: str) -> None:
        super().__init__(message)
        self.category = category


class SuppressedError(PermanentError):
    """A document was deleted for good, or is a patient's whose documents were: it is not taken."""


class StoreBusyError(TransientError):
    """Another process holds the embedded index; the message says which."""


class StoreUnavailableError(TransientError):
    """The vector store or the database did not answer."""


class StoreRejectedError(PermanentError):
    """The database refused a statement: a constraint or a type. The message names it, and no value."""


class StoreCorruptError(PermanentError):
    """The vector store cannot be opened or read."""


class CollectionMissingError(PermanentError):
    """The collection does not exist; only ``clindex init`` creates it."""


class ForeignModelError(GuardRefusedError):
    """The collection was made with another model, dimension or distance."""


class WriteVerificationError(TransientError):
    """What was read back from the index is not what was written."""


class InterruptedRunError(TransientError):
    """A person interrupted the run; what was committed stays."""


class InternalError(PermanentError):
    """A defect of Clindex itself. The message names a class and places in the code, never a value."""


class ModelError(PermanentError):
    """An embedding model is missing, fails its checksum, or is not the one asked for."""
