"""Documents of loaded FHIR resources, as a ``RecordSource``: one record a resource that has a document, its bytes a manifest of what it is made of.

So all that holds for other sources holds for these: what changed is found by hash, what vanished is tombstoned under the guard, a listing is
compared with truth and the index. A manifest changes when the resource does, its patient or a relative, whom it refers to, a result that it shows, or what renders it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection

from pipeline.domain.ports import FetchedPage, FetchedRecord, SourceVersion
from pipeline.domain.vocabulary import Source
from pipeline.jobs.fhir.envelope import Manifest
from pipeline.stages.assemble.fhir import RENDERED_TYPES, RENDERER_VERSION
from pipeline.stages.deidentify.fhir_fields import allow_list
from pipeline.stages.deidentify.known.fhir import PEOPLE, PLACES
from pipeline.storage import fhir_resources
from pipeline.storage.fhir_resources import Link, ResourceRow
from pipeline.wiring import Services

_PAGE: Final = 500
#: Through what people are looked for whom a document refers to: who is known to a Group or a Patient is not known to the document.
_ON_THE_WAY: Final = RENDERED_TYPES | {"PractitionerRole", "CareTeam", "EpisodeOfCare"}
#: A report, its result, the role of who measured it, the person.
_STEPS: Final = 3
#: What is shown of resources that a resource refers to: a panel's members, the place of an encounter, a role's person.
_FURTHER: Final = {"Observation": ("hasMember",), "Encounter": ("location",), "Composition": ("entry", "section")}


class FhirDocuments:
    """Every loaded resource that has a document.

    Args:
        services: The home.
        access: Access label of all of them.
    """

    def __init__(self, services: Services, *, access: str | None = None) -> None:
        self._services, self._access = services, access
        self.name = Source.FHIR.value
        self.scope = self.base_scope = "all"
        self.can_prove_absence = True
        self.roots: tuple[str, ...] | None = None

    def version(self) -> SourceVersion:
        """Truth does not say how fresh its feeds are; their loads do."""
        return SourceVersion()

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages in order of keys. A listing begins anew each time."""
        del resume_from
        with self._services.db.read() as tx:
            for rows in fhir_resources.documents(tx, RENDERED_TYPES, batch=_PAGE):
                yield FetchedPage(tuple(self._records(tx, rows)))

    def _records(self, tx: Connection, rows: Sequence[ResourceRow]) -> Iterator[FetchedRecord]:
        keys = [row.resource_key for row in rows]
        related, people = _related(tx, keys), _people(tx, keys)
        patients = fhir_resources.identities_of(tx, [row.patient for row in rows if row.patient])
        for row in rows:
            whose = _payloads(patients.get(row.patient or "", ()))
            manifest = Manifest(
                resource_key=row.resource_key,
                renderer=RENDERER_VERSION,
                resource=row.payload_sha256 or "",
                patient=tuple(sorted(whose)),
                related=tuple(sorted(related.get(row.resource_key, ()))),
                people=tuple(sorted(people.get(row.resource_key, set()) - whose)),
                access=self._access,
            )
            yield FetchedRecord(row.resource_key, manifest.to_bytes(), origin=row.resource_type)


def _payloads(rows: Iterable[ResourceRow]) -> set[str]:
    return {row.payload_sha256 for row in rows if row.payload_sha256}


def _related(tx: Connection, keys: Sequence[str]) -> dict[str, set[str]]:
    """Return the envelopes of what documents show beside themselves: what they refer to, and what that is made of."""
    direct = [link for link in fhir_resources.links(tx, keys) if _is_shown(link)]
    further: dict[str, list[Link]] = {}
    for link in fhir_resources.links(tx, {link.target.resource_key for link in direct if link.target.resource_type in _FURTHER}):
        if _is_shown(link):
            further.setdefault(link.resource_key, []).append(link)
    found: dict[str, set[str]] = {}
    for link in direct:
        below = (one for one in further.get(link.target.resource_key, ()) if one.element in _FURTHER.get(link.target.resource_type, ()))
        found.setdefault(link.resource_key, set()).update(_payloads((link.target, *(one.target for one in below))))
    return found


def _is_shown(link: Link) -> bool:
    """Whether the allow-list lets anything of the target be seen, or an attachment lies in it; a patient never is."""
    kind = link.target.resource_type
    return kind == "Binary" or (kind in allow_list() and kind != "Patient")


def _people(tx: Connection, keys: Sequence[str]) -> dict[str, set[str]]:
    """Return the envelopes of the people and places that documents refer to, by way of a role, an encounter or a result too."""
    found: dict[str, set[str]] = {}
    ways: dict[str, set[str]] = {key: {key} for key in keys}  # of a resource on the way, the documents that it is on the way from
    for _ in range(_STEPS):
        onward: dict[str, set[str]] = {}
        for link in fhir_resources.links(tx, ways):
            target = link.target
            if target.resource_type in PEOPLE | PLACES:
                for key in ways[link.resource_key]:
                    found.setdefault(key, set()).update(_payloads([target]))
            if target.resource_type in _ON_THE_WAY:
                onward.setdefault(target.resource_key, set()).update(ways[link.resource_key])
        ways = onward
    return found
