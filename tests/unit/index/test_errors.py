"""Foreign errors in our words, without their text."""

from __future__ import annotations

import socket

import httpx
import pytest
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from pipeline.domain.errors import (
    ClindexError,
    CollectionMissingError,
    ConfigurationError,
    ForeignModelError,
    PermanentError,
    StoreBusyError,
    StoreCorruptError,
    StoreUnavailableError,
    TransientError,
    WriteVerificationError,
)
from pipeline.domain.points import PointFilter
from pipeline.index.edge_errors import edge_errors
from pipeline.index.server import ServerIndex
from pipeline.index.server_catalog import open_server_catalog
from pipeline.index.server_errors import AlreadyExistsError, server_errors
from pipeline.testing.points import make_point, make_spec, unit_vector


class PanicException(BaseException):
    """What a Rust panic looks like from Python."""


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (Exception("Service runtime error: Can't init WAL: Kind(WouldBlock) SECRET"), StoreBusyError),
        (Exception("IO Error: No space left on device SECRET"), StoreUnavailableError),
        (Exception("IO Error: Permission denied (os error 13) SECRET"), StoreUnavailableError),
        (Exception("Vector dimension error: SECRET"), ValueError),
        (TypeError("failed to extract SECRET"), ValueError),
        (Exception("No point with id SECRET"), WriteVerificationError),
        (Exception("anything SECRET"), StoreCorruptError),
        (PanicException("index out of bounds SECRET"), StoreCorruptError),
    ],
)
def test_edge_errors_are_translated_without_their_text(raised: BaseException, expected: type[Exception]) -> None:
    with pytest.raises(expected) as caught, edge_errors("write points"):
        raise raised
    assert "SECRET" not in str(caught.value)
    assert "write points" in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("raised", [StoreBusyError("ours"), KeyboardInterrupt(), SystemExit(1), MemoryError()])
def test_ours_and_the_interpreter_s_pass_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)) as caught, edge_errors("write points"):
        raise raised
    assert caught.value is raised


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (404, CollectionMissingError),
        (409, AlreadyExistsError),
        (401, ConfigurationError),
        (403, ConfigurationError),
        (400, PermanentError),
        (422, PermanentError),
        (408, StoreUnavailableError),
        (429, StoreUnavailableError),
        (500, StoreUnavailableError),
        (503, StoreUnavailableError),
    ],
)
def test_a_server_s_status_decides_the_error(status: int, expected: type[ClindexError]) -> None:
    with pytest.raises(expected) as caught, server_errors("write points", "c"):
        raise UnexpectedResponse(status, "SECRET", b"SECRET", httpx.Headers())
    assert "SECRET" not in f"{caught.value} {caught.value.remedy}"
    assert isinstance(caught.value, TransientError) == (expected is StoreUnavailableError)


@pytest.mark.parametrize(
    "raised", [ResponseHandlingException(httpx.ReadTimeout("SECRET")), httpx.ConnectError("SECRET"), OSError("SECRET")]
)
def test_no_answer_may_be_tried_again(raised: Exception) -> None:
    with pytest.raises(StoreUnavailableError) as caught, server_errors("write points", "c"):
        raise raised
    assert "SECRET" not in str(caught.value)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    index = open_server_catalog(f"http://127.0.0.1:{port}", api_key=None, timeout_seconds=2, batch_bytes=1 << 20).open("c")
    for use in (index.describe, index.count, lambda: index.create(make_spec("c"))):
        with pytest.raises(StoreUnavailableError):
            use()


def test_a_server_s_collection_that_is_not_ours_is_left_alone() -> None:
    client = QdrantClient(":memory:")
    client.create_collection("c", vectors_config={"dense": models.VectorParams(size=8, distance=models.Distance.COSINE)})
    index = ServerIndex(client, "c", batch_bytes=1 << 20)
    info = index.describe()
    assert info is not None
    assert info.spec is None
    for use in (
        lambda: index.create(make_spec("c")),
        lambda: index.upsert([make_point(1, 1)]),
        index.count,
        lambda: list(index.scan()),
        lambda: index.query(dense=unit_vector(1), sparse=None, where=PointFilter(), limit=1, candidates=1, rrf_k=60),
    ):
        with pytest.raises(ForeignModelError):
            use()
    assert client.count("c").count == 0
