"""What the filters offer: values of live documents that who asks may see, and of no others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from sqlalchemy import Connection, and_, select

from pipeline.domain.documents import Facets
from pipeline.domain.visibility import Visibility
from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.held import Held
from pipeline.storage.documents import facets_of
from pipeline.storage.tables import documents, index_state
from pipeline.wiring import Services

_LISTED: Final = ("phases", "conditions", "icd_codes", "loinc_codes", "snomed_codes", "rxnorm_codes")
_SINGLE: Final = {
    "study_types": "study_type",
    "agencies": "agency",
    "states": "state",
    "departments": "department",
    "access": "access",
    "resource_status": "resource_status",
}
_MOST: Final = 300  # values of one filter, the most frequent: a page with more is slow to read and to load
_KEPT: Final = 64  # readers' visibilities


@dataclass(frozen=True, slots=True)
class Choices:
    """Values by filter, in alphabetical order."""

    kinds: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    study_types: tuple[str, ...] = ()
    conditions: tuple[str, ...] = field(default=(), repr=False)
    agencies: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    access: tuple[str, ...] = ()
    icd_codes: tuple[str, ...] = ()
    loinc_codes: tuple[str, ...] = ()
    snomed_codes: tuple[str, ...] = ()
    rxnorm_codes: tuple[str, ...] = ()
    resource_status: tuple[str, ...] = ()

    @property
    def has_resources(self) -> bool:
        """Whether there are FHIR resources."""
        return DocumentKind.FHIR_RESOURCE.value in self.kinds


def choices(services: Services, visible: Visibility | None) -> Choices:
    """Return what may be offered to who asks. One look into truth after each change of it; nothing is read otherwise."""
    with services.db.read() as tx:
        return _HELD.get(tx, services.collection, lambda: _read(tx, services.collection)).seen_by(visible)


#: What decides whether a document is seen: kind, label, department, patient.
_Side = tuple[str, str | None, str | None, str | None]


class _Values:
    """Counts of values by what decides who sees them."""

    def __init__(self) -> None:
        self._counts: dict[_Side, dict[str, Counter[str]]] = {}
        self._seen: dict[Visibility | None, Choices] = {}
        self._lock = Lock()

    def add(self, kind: str, facets: Facets) -> None:
        counts = self._counts.setdefault((kind, facets.access, facets.department, facets.patient), {})
        counts.setdefault("kinds", Counter())[kind] += 1
        for name in _LISTED:
            counts.setdefault(name, Counter()).update(getattr(facets, name))
        for name, facet in _SINGLE.items():
            if value := getattr(facets, facet):
                counts.setdefault(name, Counter())[value] += 1

    def seen_by(self, visible: Visibility | None) -> Choices:
        with self._lock:
            if visible not in self._seen:
                if len(self._seen) >= _KEPT:
                    self._seen.clear()
                self._seen[visible] = self._choices(visible)
            return self._seen[visible]

    def _choices(self, visible: Visibility | None) -> Choices:
        total: dict[str, Counter[str]] = {}
        for (kind, access, department, patient), counts in self._counts.items():
            if visible is None or visible.sees(kind, Facets(access=access, department=department, patient=patient)):
                for name, counted in counts.items():
                    total.setdefault(name, Counter()).update(counted)
        return Choices(
            **{name: tuple(sorted((value for value, _ in counted.most_common(_MOST)), key=str.casefold)) for name, counted in total.items()}
        )


_HELD: Final[Held[_Values]] = Held()


def _read(tx: Connection, collection: str) -> _Values:
    state = index_state.c
    live = and_(state.document_id == documents.c.document_id, state.collection == collection, state.live_generation.is_not(None))
    rows = select(documents.c.kind, documents.c.facets).join(index_state, live).where(documents.c.tombstoned_at.is_(None))
    values = _Values()
    for kind, stored in tx.execute(rows):
        values.add(kind, facets_of(stored))
    return values
