"""FHIR resources in truth: what became of each, what refers to what, and whose numbers are whose. Hashes, codes and enum values; no text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, func, or_, select, update

from pipeline.domain.identifiers import fingerprint
from pipeline.domain.vocabulary import ResourceOutcome, Source
from pipeline.storage.fhir_erasure import every_alias
from pipeline.storage.fhir_tables import fhir_patients, fhir_references, fhir_resources
from pipeline.storage.tables import documents as documents_table
from pipeline.storage.upsert import insert_or_ignore, insert_or_update

_IN_BATCH: Final = 500
#: Outcomes with which a version may be used. One that was quarantined leaves the good version before it in its place.
_USED: Final = (
    ResourceOutcome.DOCUMENT.value,
    ResourceOutcome.SUPPORTING.value,
    ResourceOutcome.QUARANTINED.value,
)
#: Outcomes of what a source has taken back, or never gave.
_GONE: Final = (ResourceOutcome.REMOVED.value, ResourceOutcome.SUPPRESSED.value)
_IS_USED: Final = (fhir_resources.c.payload_sha256.is_not(None), fhir_resources.c.outcome.in_(_USED))
#: In the place of an element's name: before that of a reference by identifier, and for an identifier of the resource itself.
_ASKED: Final = "?"
_IDENTIFIED: Final = "="
_RELATIVE: Final = "RelatedPerson"
_PERSON: Final = "Person"


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """One resource. ``payload_sha256``: of its newest valid version in landing; ``order_key``: of its newest version."""

    resource_key: str
    resource_type: str
    outcome: str
    payload_sha256: str | None = None
    patient: str | None = None
    order_key: str = ""
    path: str | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class References:
    """What one resource refers to, by keys.

    Attributes:
        targets: Element and key of each resource.
        by_identifier: Element and ``identifier_key`` of each one that is named by an identifier.
        identifiers: Its own, by ``identifier_key``: others may refer to it by these.
    """

    targets: Sequence[tuple[str, str]] = ()
    by_identifier: Sequence[tuple[str, str]] = ()
    identifiers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A reference between two resources of which the second is there."""

    resource_key: str
    element: str
    target: ResourceRow


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of the site, as truth has it."""

    payload_sha256: str
    kind: str
    content_hash: str
    root: str | None


def known(tx: Connection, keys: Collection[str]) -> dict[str, ResourceRow]:
    """Return those of the resources that truth knows."""
    found: dict[str, ResourceRow] = {}
    for batch in _batches(sorted(set(keys))):
        rows = tx.execute(select(*_COLUMNS).where(fhir_resources.c.resource_key.in_(batch)))
        found.update({row.resource_key: _row(row) for row in rows})
    return found


def is_named(tx: Connection, payload_sha256: str) -> bool:
    """Whether a resource is what landing holds by this hash. Reads every row: for what landing lost."""
    query = select(fhir_resources.c.resource_key).where(fhir_resources.c.payload_sha256 == payload_sha256)
    return tx.execute(query.limit(1)).one_or_none() is not None


def put(tx: Connection, rows: Sequence[ResourceRow], *, load_id: UUID, scope: str, now: datetime) -> None:
    """Write resources with what became of them; those that are there are replaced."""
    common = {"load_id": load_id, "scope": scope, "seen_at": now, "updated_at": now}
    insert_or_update(tx, fhir_resources, [{**asdict(row), **common} for row in rows], keys=["resource_key"], update=_UPDATED)


def touch(tx: Connection, keys: Collection[str], *, load_id: UUID, scope: str, now: datetime) -> None:
    """Say that a load named resources that it did not change."""
    for batch in _batches(sorted(set(keys))):
        named = update(fhir_resources).where(fhir_resources.c.resource_key.in_(batch))
        tx.execute(named.values(load_id=load_id, scope=scope, seen_at=now))


def put_references(tx: Connection, references: Mapping[str, References]) -> None:
    """Replace what resources refer to, and the identifiers by which they are referred to."""
    for batch in _batches(sorted(references)):
        tx.execute(delete(fhir_references).where(fhir_references.c.resource_key.in_(batch)))
    rows = [
        {"resource_key": key, "element": element, "target_key": target}
        for key, its in references.items()
        for element, target in dict.fromkeys(
            (
                *its.targets,
                *((_ASKED + element, target) for element, target in its.by_identifier),
                *((_IDENTIFIED, _owner(one)) for one in its.identifiers),
            )
        )
    ]
    insert_or_ignore(tx, fhir_references, rows, keys=["resource_key", "target_key", "element"])


def _owner(key: str) -> str:
    """Return under what key the owners of an identifier are found: not under its own, for thousands may refer to one clinician by that."""
    return fingerprint([_IDENTIFIED, key])


def put_patients(tx: Connection, aliases: Mapping[str, tuple[str, Iterable[str]]]) -> None:
    """Replace the numbers of patients: ``(pseudonym, aliases)`` by the key of a Patient resource."""
    for batch in _batches(sorted(aliases)):
        tx.execute(delete(fhir_patients).where(fhir_patients.c.resource_key.in_(batch)))
    rows = [
        {"resource_key": key, "patient": patient, "alias": alias}
        for key, (patient, numbers) in aliases.items()
        for alias in dict.fromkeys(numbers)
    ]
    insert_or_update(tx, fhir_patients, rows, keys=["alias", "patient"], update=["resource_key"])


def unnamed(tx: Connection, *, scope: str, load_id: UUID) -> list[str]:
    """Return the resources of a scope that were there and that a load did not name."""
    there = fhir_resources.c.scope == scope, fhir_resources.c.load_id != load_id, fhir_resources.c.outcome.not_in(_GONE)
    return list(tx.execute(select(fhir_resources.c.resource_key).where(*there).order_by(fhir_resources.c.resource_key)).scalars())


def count_of(tx: Connection, scope: str) -> int:
    """Return how many resources of a scope are there."""
    query = select(func.count()).select_from(fhir_resources)
    number: int = tx.execute(query.where(fhir_resources.c.scope == scope, fhir_resources.c.outcome.not_in(_GONE))).scalar_one()
    return number


def mark_removed(tx: Connection, keys: Collection[str], now: datetime) -> None:
    """Say that sources do not have these any more."""
    for batch in _batches(sorted(set(keys))):
        gone = update(fhir_resources).where(fhir_resources.c.resource_key.in_(batch))
        tx.execute(gone.values(outcome=ResourceOutcome.REMOVED.value, payload_sha256=None, path=None, rule=None, updated_at=now))
        tx.execute(delete(fhir_patients).where(fhir_patients.c.resource_key.in_(batch)))


def by_type(tx: Connection) -> list[tuple[str, str, int]]:
    """Return ``(type, outcome, resources)``."""
    kind, outcome = fhir_resources.c.resource_type, fhir_resources.c.outcome
    query = select(kind, outcome, func.count()).group_by(kind, outcome).order_by(kind, outcome)
    return [(row[0], row[1], int(row[2])) for row in tx.execute(query)]


def quarantined(tx: Connection, *, limit: int, examples: int) -> list[tuple[str, str | None, str | None, int, int, list[str]]]:
    """Return ``(type, path, rule, resources, of these with a good version before, keys of the first)``, the most frequent first."""
    own = fhir_resources.c
    place = (own.resource_type, own.path, own.rule)
    there = own.outcome == ResourceOutcome.QUARANTINED.value
    count = func.count()
    query = select(*place, count, func.count(own.payload_sha256)).where(there).group_by(*place).order_by(count.desc(), *place).limit(limit)
    found = []
    for kind, path, rule, resources, kept in tx.execute(query).all():
        same = (own.resource_type == kind, own.path.is_not_distinct_from(path), own.rule.is_not_distinct_from(rule))
        keys = tx.execute(select(own.resource_key).where(there, *same).order_by(own.resource_key).limit(examples)).scalars()
        found.append((kind, path, rule, int(resources), int(kept), list(keys)))
    return found


def documents(tx: Connection, types: Collection[str], *, batch: int) -> Iterator[list[ResourceRow]]:
    """Yield the resources that are documents, in order of their keys, in batches."""
    after = ""
    usable = (*_IS_USED, fhir_resources.c.resource_type.in_(sorted(types)))
    while True:
        query = select(*_COLUMNS).where(*usable, fhir_resources.c.resource_key > after).order_by(fhir_resources.c.resource_key).limit(batch)
        rows = [_row(row) for row in tx.execute(query)]
        if not rows:
            return
        yield rows
        after = rows[-1].resource_key


def links(tx: Connection, keys: Collection[str]) -> list[Link]:
    """Return what resources refer to, by id or by identifier, of what is there to be used, in order."""
    found: set[Link] = set()
    for batch in _batches(sorted(set(keys))):
        query = (
            select(fhir_references.c.resource_key.label("of"), fhir_references.c.element, *_COLUMNS)
            .join(fhir_resources, fhir_resources.c.resource_key == fhir_references.c.target_key)
            .where(fhir_references.c.resource_key.in_(batch), *_IS_USED)
        )
        found |= {Link(row.of, row.element, _row(row)) for row in tx.execute(query)}
        found |= set(_links_by_identifier(tx, batch))
    return sorted(found, key=lambda link: (link.resource_key, link.element, link.target.resource_key))


def _links_by_identifier(tx: Connection, keys: Sequence[str]) -> Iterator[Link]:
    own = fhir_references.c
    asked = tx.execute(
        select(own.resource_key, own.element, own.target_key).where(own.resource_key.in_(keys), own.element.startswith(_ASKED))
    )
    by_owner: dict[str, list[tuple[str, str]]] = {}
    for row in asked:
        by_owner.setdefault(_owner(row.target_key), []).append((row.resource_key, row.element.removeprefix(_ASKED)))
    for batch in _batches(sorted(by_owner)):
        query = select(own.target_key, *_COLUMNS).join(fhir_resources, fhir_resources.c.resource_key == own.resource_key)
        for row in tx.execute(query.where(own.target_key.in_(batch), own.element == _IDENTIFIED, *_IS_USED)):
            yield from (Link(key, element, _row(row)) for key, element in by_owner[row.target_key])


def same_patients(tx: Connection, pseudonyms: Collection[str]) -> dict[str, frozenset[str]]:
    """Return, by pseudonym, every pseudonym under which the same patient is known, itself included; see ``every_alias``."""
    groups = {one: {one} for one in every_alias(tx, pseudonyms)}
    for batch in _batches(sorted(groups)):
        named = select(fhir_patients.c.alias, fhir_patients.c.patient).where(fhir_patients.c.patient.in_(batch))
        for row in tx.execute(named):
            one, other = groups[row.alias], groups[row.patient]
            if one is not other:
                one |= other
                groups.update(dict.fromkeys(other, one))
    return {one: frozenset(groups[one]) for one in pseudonyms}


def identities_of(tx: Connection, pseudonyms: Collection[str]) -> dict[str, list[ResourceRow]]:
    """Return what says who patients are, by pseudonym: every Patient resource of the same person, their RelatedPersons and Persons."""
    same = same_patients(tx, pseudonyms)
    every = sorted(set().union(*same.values()))
    found: dict[str, dict[str, ResourceRow]] = {}
    for batch in _batches(every):
        patients = fhir_resources.join(fhir_patients, fhir_resources.c.resource_key == fhir_patients.c.resource_key)
        stand_for = select(fhir_patients.c.patient.label("of"), *_COLUMNS).select_from(patients)
        relatives = select(fhir_resources.c.patient.label("of"), *_COLUMNS).where(fhir_resources.c.resource_type == _RELATIVE)
        for query in (stand_for.where(fhir_patients.c.patient.in_(batch)), relatives.where(fhir_resources.c.patient.in_(batch))):
            for row in tx.execute(query.where(*_IS_USED)):
                found.setdefault(row.of, {})[row.resource_key] = _row(row)
    of_key = {key: of for of, rows in found.items() for key in rows}
    for batch in _batches(sorted(of_key)):
        persons = fhir_references.join(fhir_resources, fhir_resources.c.resource_key == fhir_references.c.resource_key)
        query = select(fhir_references.c.target_key, *_COLUMNS).select_from(persons).where(fhir_references.c.target_key.in_(batch))
        for row in tx.execute(query.where(fhir_resources.c.resource_type == _PERSON, *_IS_USED)):
            found[of_key[row.target_key]][row.resource_key] = _row(row)
    rows_of = {one: {key: row for each in names for key, row in found.get(each, {}).items()} for one, names in same.items()}
    return {one: [rows[key] for key in sorted(rows)] for one, rows in rows_of.items() if rows}


def files_of_patients(tx: Connection) -> list[FileRow]:
    """Return the site's living files of patients of whom a Patient or a RelatedPerson resource is loaded, by any of their numbers."""
    own = documents_table.c
    patient = own.facets["patient"].as_string()
    named = select(fhir_patients.c.alias).scalar_subquery()
    relatives = select(fhir_resources.c.patient).where(fhir_resources.c.resource_type == _RELATIVE, fhir_resources.c.patient.is_not(None))
    query = select(own.payload_sha256, own.kind, own.content_hash, own.root).where(
        own.source == Source.DOCUMENTS.value,
        own.tombstoned_at.is_(None),
        or_(patient.in_(named), patient.in_(relatives.scalar_subquery())),
    )
    return [FileRow(*row) for row in tx.execute(query.order_by(own.document_id))]


_NAMES: Final = tuple(ResourceRow.__dataclass_fields__)
_COLUMNS: Final = tuple(fhir_resources.c[name] for name in _NAMES)
_UPDATED: Final = (*(name for name in _NAMES if name != "resource_key"), "load_id", "scope", "seen_at", "updated_at")


def _row(row: Any) -> ResourceRow:
    return ResourceRow(**{name: row._mapping[name] for name in _NAMES})


def _batches(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[start : start + _IN_BATCH] for start in range(0, len(keys), _IN_BATCH)]
