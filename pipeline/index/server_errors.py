"""What a Qdrant server and its client raise, in our words. Their texts may quote payloads and URLs: only status codes are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from pipeline.domain.errors import (
    ClindexError,
    CollectionMissingError,
    ConfigurationError,
    PermanentError,
    StoreCorruptError,
    StoreUnavailableError,
)

_TRANSIENT = frozenset({408, 425, 429})


class AlreadyExistsError(PermanentError):
    """Somebody else made the collection first (never leaves this package)."""


@contextmanager
def server_errors(action: str, collection: str) -> Iterator[None]:
    """Turn what the client raises while it does ``action`` (a verb phrase for people) into one of our errors.

    Raises:
        CollectionMissingError: The server does not know the collection.
        StoreUnavailableError: No answer, an overload or a passing fault.
        ConfigurationError: The server does not accept our key.
        PermanentError: The server refuses the request for good.
    """
    try:
        yield
    except ClindexError:
        raise
    except UnexpectedResponse as error:
        raise _of_status(error.status_code or 0, action, collection) from None
    except (ApiException, QdrantException, httpx.HTTPError, OSError):
        raise StoreUnavailableError(f"cannot {action}: the Qdrant server does not answer", remedy="check CLINDEX_QDRANT_URL") from None
    except (ValueError, RuntimeError, AssertionError, TypeError, KeyError, IndexError) as error:
        raise _of_client(error, action, collection) from None


def _of_status(status: int, action: str, collection: str) -> ClindexError:
    if status == httpx.codes.NOT_FOUND:
        return CollectionMissingError(f"there is no collection {collection}", remedy="run clindex init")
    if status == httpx.codes.CONFLICT:
        return AlreadyExistsError(f"the collection {collection} exists already")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return ConfigurationError(f"cannot {action}: the Qdrant server refuses our key ({status})", remedy="check CLINDEX_QDRANT_API_KEY")
    if status >= httpx.codes.INTERNAL_SERVER_ERROR or status in _TRANSIENT:
        return StoreUnavailableError(f"cannot {action}: the Qdrant server answered {status}")
    return PermanentError(f"cannot {action}: the Qdrant server refused the request ({status})", remedy="see the server's log")


def _of_client(error: Exception, action: str, collection: str) -> Exception:
    """Local mode raises built-in classes; of their texts only fixed phrases are looked for."""
    text = str(error)
    if isinstance(error, ValueError) and text == f"Collection {collection} not found":
        return CollectionMissingError(f"there is no collection {collection}", remedy="run clindex init")
    if isinstance(error, ValueError) and text == f"Collection {collection} already exists":
        return AlreadyExistsError(f"the collection {collection} exists already")
    if isinstance(error, RuntimeError):
        return StoreUnavailableError(f"cannot {action}: the client is closed")
    if isinstance(error, ValueError | TypeError):
        return ValueError(f"cannot {action}: a value is of a type or size that the index does not take")
    return StoreCorruptError(f"cannot {action}: the client failed ({type(error).__name__})")
