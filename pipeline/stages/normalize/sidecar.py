"""Bytes of a sidecar in, what a site says of one document out. Errors quote nothing: a misspelt key may be a name."""

from __future__ import annotations

from pipeline.domain.errors import RecordError
from pipeline.domain.sidecars import sidecar_of_values
from pipeline.domain.site_files import Sidecar
from pipeline.domain.vocabulary import FailureCategory
from pipeline.json_bytes import read_json


def read_sidecar(data: bytes) -> Sidecar:
    """Return what a sidecar says.

    Raises:
        RecordError: ``bad_sidecar``: no JSON object, a key that is unknown, or a value that cannot be used.
    """
    try:
        values = read_json(data.removeprefix(b"\xef\xbb\xbf"))
    except RecordError:
        raise RecordError(FailureCategory.BAD_SIDECAR, "the sidecar cannot be used") from None
    return sidecar_of_values(values)
