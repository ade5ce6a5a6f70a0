"""Which documents a reader may see. Nothing is visible that is not said to be: a clinical document without the label that a limit asks for is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pipeline.domain.documents import Facets
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind

#: Kinds that everybody may see, unless their label says otherwise.
OPEN_KINDS: Final = (DocumentKind.TRIAL.value, *(kind.value for kind in PUBLIC_KINDS))
#: The label that opens nothing and closes nothing: with any other one, a document of an open kind is no longer open.
OPEN_LABEL: Final = "public"


@dataclass(frozen=True, slots=True)
class Limits:
    """What documents beyond the open ones must all have; ``None`` does not limit. A document without the field is not seen."""

    labels: tuple[str, ...] | None = None
    departments: tuple[str, ...] | None = None
    patients: tuple[str, ...] | None = None  # pseudonyms

    def allow(self, facets: Facets) -> bool:
        """Whether a document keeps within them."""
        asked = ((self.labels, facets.access), (self.departments, facets.department), (self.patients, facets.patient))
        return all(allowed is None or value in allowed for allowed, value in asked)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Documents of open kinds whose label is open or absent, and those that ``limits`` allow (``None``: no others).

    Of somebody who may see everything there is no ``Visibility``: where one is asked for, that is ``None``.
    """

    limits: Limits | None = None

    def sees(self, kind: str, facets: Facets) -> bool:
        """Whether a document of this kind and with these facets is visible."""
        is_open = kind in OPEN_KINDS and facets.access in (None, OPEN_LABEL)
        return is_open or (self.limits is not None and self.limits.allow(facets))


OPEN_ONLY: Final = Visibility()
