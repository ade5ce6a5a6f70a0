"""What truth has of a resource after a version of it came: its newest valid version lands, exactly as it was printed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.domain.errors import StoreCorruptError
from pipeline.domain.fhir import Stamp
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.vocabulary import ResourceOutcome
from pipeline.jobs.fhir.envelope import Envelope
from pipeline.jobs.fhir.versions import LANDED, Read, Removal, is_before
from pipeline.stages.normalize.fhir import order_key, urls_within
from pipeline.storage.fhir_resources import ResourceRow
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Taken:
    """A row, the version that it is of where that is one that just came, and whether what came is the newest version."""

    row: ResourceRow
    used: Read | None = None
    is_newest: bool = True


def is_older(one: Read, old: ResourceRow) -> bool:
    """Whether a version is older than the newest that is known; what is gone may come back with the version that it had."""
    if old.outcome == ResourceOutcome.REMOVED:
        return is_before(one.checked.order_key, old.order_key)
    return one.checked.order_key < (old.order_key or "")


def row_of(services: Services, authority: str, one: Read, old: ResourceRow | None) -> Taken:
    """Land a version that is the newest, and return its row; one that is invalid leaves the good one before it in its place."""
    if not one.is_invalid:
        return Taken(_row(services, authority, one, old), one)
    good, checked = _better(services, one.good, old), one.checked
    there = _row(services, authority, good, old) if good else old or _row(services, authority, one, old)
    return Taken(replace(there, outcome=checked.outcome.value, order_key=checked.order_key, path=checked.path, rule=checked.rule), good)


def row_of_older(services: Services, authority: str, one: Read, old: ResourceRow) -> Taken:
    """Return the row of a resource of which an older version came: it changes where the newest is invalid and this is the newest good one."""
    if old.outcome != ResourceOutcome.QUARANTINED or one.is_invalid or (good := _better(services, one, old)) is None:
        return Taken(old, is_newest=False)
    row = _row(services, authority, good, old)
    return Taken(replace(old, payload_sha256=row.payload_sha256, patient=row.patient), good, is_newest=False)


def removed_row(removal: Removal, old: ResourceRow | None) -> ResourceRow:
    """Return the row of a resource that is gone: older versions of it, which come later, are told by its order key."""
    there = old or ResourceRow(removal.key, removal.resource_type, "", patient=removal.pseudonym)
    newest = max(removal.order_key, there.order_key or "")
    return replace(there, outcome=ResourceOutcome.REMOVED.value, payload_sha256=None, order_key=newest, path=None, rule=None)


def _better(services: Services, good: Read | None, old: ResourceRow | None) -> Read | None:
    """Return a good version that came unless the one that is there is newer."""
    if good is None or old is None:
        return good
    return None if is_before(good.checked.order_key, _order_of(services, old)) else good


def _order_of(services: Services, old: ResourceRow) -> str:
    """Return the order key of the version that a row's bytes are of."""
    if old.outcome != ResourceOutcome.QUARANTINED:
        return old.order_key
    try:
        return order_key(Envelope.of(services.landing.get(old.payload_sha256 or "")).resource, Stamp())
    except (KeyError, ValueError, StoreCorruptError):
        return ""


def _row(services: Services, authority: str, one: Read, old: ResourceRow | None) -> ResourceRow:
    checked = one.checked
    sha256 = _land(services, authority, one, old) if checked.outcome in LANDED else None
    return ResourceRow(
        one.key, checked.resource_type, checked.outcome.value, sha256, one.pseudonym, checked.order_key, checked.path, checked.rule
    )


def _land(services: Services, authority: str, one: Read, old: ResourceRow | None) -> str:
    checked = one.checked
    urls = urls_within(one.raw.value, one.raw.urls)
    data = Envelope(authority, checked.version, checked.resource_type, checked.logical_id, one.raw.value, urls).to_bytes()
    sha256 = sha256_hex(data)
    if old is None or old.payload_sha256 != sha256 or not services.landing.contains(sha256):
        services.landing.put(data)
    return sha256
