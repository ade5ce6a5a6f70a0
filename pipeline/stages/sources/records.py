"""One parsed JSON value in, the record that is landed out. Looks no further than id and last update."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import is_nct_id
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.vocabulary import FailureCategory
from pipeline.json_bytes import canonical_bytes

_ISO_DATE: Final = re.compile(r"\d{4}(-\d{2}){0,2}", re.ASCII)


def failed(category: str, origin: str, *, data: bytes = b"", source_key: str | None = None) -> FetchedRecord:
    """Return a record that cannot be taken."""
    return FetchedRecord(source_key=source_key, data=data, origin=origin, failure=str(category))


def record_of(study: Any, *, origin: str, asked_as: str | None = None) -> FetchedRecord:
    """Return the record of one study object (API v2); what is no study becomes a failure.

    Args:
        study: A parsed JSON value.
        origin: Where it came from, for people.
        asked_as: The id that was asked for; kept where the study's own id is another one.
    """
    try:
        data = canonical_bytes(study)
    except RecordError as error:
        return failed(error.category, origin)
    protocol = study.get("protocolSection") if isinstance(study, dict) else None
    if not isinstance(protocol, dict):
        return failed(FailureCategory.NOT_A_STUDY, origin, data=data)
    nct_id = _member(_member(protocol, "identificationModule"), "nctId")
    if not isinstance(nct_id, str) or not is_nct_id(nct_id):
        return failed(FailureCategory.INVALID_NCT_ID, origin, data=data)
    updated = _member(_member(_member(protocol, "statusModule"), "lastUpdatePostDateStruct"), "date")
    known = isinstance(updated, str) and _ISO_DATE.fullmatch(updated) is not None
    return FetchedRecord(
        source_key=nct_id,
        data=data,
        origin=origin,
        updated=updated if known else None,
        asked_as=asked_as if asked_as != nct_id else None,
    )


def records_of(value: Any, *, origin: str) -> Iterator[FetchedRecord]:
    """Yield the records of a value that holds one study, a list of them, or a page of the API."""
    if isinstance(value, dict) and "protocolSection" not in value and isinstance(value.get("studies"), list):
        value = value["studies"]
    if not isinstance(value, list):
        yield record_of(value, origin=origin)
        return
    for number, study in enumerate(value, start=1):
        yield record_of(study, origin=f"{origin} study {number}")


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
