"""Ids and numbers of what a feed brings become keyed hashes, before anything of it is compared or written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import RawResource, RemovedResource, identifier_key, patient_pseudonym, resource_key
from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome
from pipeline.fhir.models import shown_type
from pipeline.fhir.references import identifiers_of
from pipeline.jobs.fhir.hidden import numbers_of
from pipeline.jobs.fhir.versions import Read, Removal
from pipeline.stages.deidentify.known.fhir import values_of
from pipeline.stages.normalize.fhir import check, order_key_of
from pipeline.storage.fhir_resources import References


@dataclass(frozen=True, slots=True)
class Keys:
    """Makes the keys of one authority's resources with the site's secret."""

    secret: bytes = field(repr=False)
    authority: str

    def read(self, raw: RawResource, *, default: FhirVersion) -> Read:
        """Return a resource, checked, by its keys."""
        checked = check(raw, default=default)
        key = self._of(checked.resource_type, checked.logical_id)
        checked = replace(checked, resource_type=shown_type(checked.resource_type))
        pseudonym = patient_pseudonym(self.secret, checked.patient) if checked.patient else None
        aliases: tuple[str, ...] = ()
        if checked.outcome is ResourceOutcome.SUPPORTING:
            if checked.resource_type == "Patient" and pseudonym:
                aliases = (pseudonym, *(patient_pseudonym(self.secret, number) for number in numbers_of(raw.value)))
            try:
                list(values_of(raw.value))  # they feed the scrubbing of documents: they must be readable
            except RecordError:
                checked = replace(checked, outcome=ResourceOutcome.QUARANTINED, path="?", rule="identifying_fields")
        return Read(key, raw, checked, aliases, pseudonym)

    def removal(self, entry: RemovedResource) -> Removal:
        """Return a deletion by its keys."""
        kind = entry.resource_type
        pseudonym = patient_pseudonym(self.secret, entry.logical_id) if kind == "Patient" else None
        return Removal(self._of(kind, entry.logical_id), shown_type(kind), order_key_of(entry.stamp), pseudonym=pseudonym)

    def references(self, one: Read) -> References:
        """Return what a resource refers to, by id and by identifier, and its own identifiers."""
        named = one.checked.references
        return References(
            [(ref.element, self._of(ref.resource_type, ref.logical_id)) for ref in named if not ref.identifier],
            [(ref.element, self._by(ref.identifier)) for ref in named if ref.identifier],
            [self._by(identifier) for identifier in identifiers_of(one.raw.value)],
        )

    def _of(self, kind: str, logical_id: str) -> str:
        return resource_key(self.secret, self.authority, kind, logical_id)

    def _by(self, identifier: str) -> str:
        return identifier_key(self.secret, self.authority, identifier)
