"""A rendered resource in, what search filters on out: years instead of dates, departments of the site's list alone, pseudonyms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pipeline.domain.dates import days_of
from pipeline.domain.documents import Facets
from pipeline.stages.assemble.fhir.model import Rendered

_YEAR: Final = 4  # digits


def facets_of_resource(
    rendered: Rendered, *, patient: str | None, encounter: str | None, access: str | None, departments: Collection[str]
) -> Facets:
    """Return a resource's facets, as those of a clinical file are: of its date the year alone.

    Args:
        rendered: The resource.
        patient: Pseudonym of its patient.
        encounter: Pseudonym of its encounter; ``rendered.encounter`` is the logical id that it is made of.
        access: The site's label.
        departments: The site's list, in lower case.
    """
    names = (" ".join(name.casefold().split()) for name in rendered.departments)
    return Facets(
        patient=patient,
        encounter=encounter,
        access=access,
        department=next((name for name in names if name in departments), None),
        document_date=_year(rendered.date),
        author_role=rendered.author_role.value if rendered.author_role else None,
        nct_ids=rendered.nct_ids,
        icd_codes=rendered.icd_codes,
        loinc_codes=rendered.loinc_codes,
        snomed_codes=rendered.snomed_codes,
        rxnorm_codes=rendered.rxnorm_codes,
        resource_status=_code(rendered.status),
    )


def _year(date: str | None) -> str | None:
    year = (date or "")[:_YEAR]
    return year if days_of(year) is not None else None


def _code(status: str | None) -> str | None:
    """Return a status that is a code of FHIR: letters and hyphens. Words that stand in its place are shown in the text alone."""
    return status if status and status.isascii() and status.replace("-", "").isalpha() and status.islower() else None
