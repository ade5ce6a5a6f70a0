"""What can be asked, and what comes back."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline.domain.dates import day_number
from pipeline.domain.errors import UsageError
from pipeline.domain.points import PointFilter
from pipeline.domain.registry_enums import RECRUITING
from pipeline.domain.vocabulary import CRITERION_SECTIONS, ContentType, Element, Section
from pipeline.search.reading import QueryReading


class Mode(StrEnum):
    """How much of the search is used. All but ``FULL`` are there to be compared with it."""

    FULL = "full"
    FUSED = "fused"  # dense and BM25 of the words as they are, by reciprocal ranks alone
    DENSE = "dense"
    SPARSE = "sparse"  # BM25


class SearchRequest(BaseModel):
    """One search. Filters must all hold; the values of one filter are alternatives."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    query: str = Field(min_length=1, max_length=4000, pattern=r"\S")
    limit: int = Field(10, ge=1, le=1000, description="hits, one a study")
    recruiting_only: bool = False
    criteria_only: bool = False
    exclude_exclusion_criteria: bool = False
    sections: tuple[Section, ...] = ()
    kinds: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    nct_ids: tuple[str, ...] = ()
    overall_status: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    study_types: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    patients: tuple[str, ...] = Field((), description="pseudonyms")
    access: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    states: tuple[str, ...] = Field((), description="US postal codes")
    protocol_numbers: tuple[str, ...] = ()
    reference_numbers: tuple[str, ...] = ()
    icd_codes: tuple[str, ...] = Field((), description="ICD-10-CM, with the dot")
    loinc_codes: tuple[str, ...] = Field((), description="of FHIR resources")
    snomed_codes: tuple[str, ...] = Field((), description="SNOMED CT, of FHIR resources")
    rxnorm_codes: tuple[str, ...] = Field((), description="of FHIR resources")
    encounters: tuple[str, ...] = Field((), description="pseudonyms")
    resource_status: tuple[str, ...] = Field((), description="of FHIR resources, as final or active")
    content_types: tuple[ContentType, ...] = ()
    elements: tuple[Element, ...] = ()
    scopes: tuple[str, ...] = Field((), description="cohorts, arms or parts, as the source words them")
    dated_from: date | None = Field(None, description="documents that may be of this day or later; of a trial its status' date")
    dated_to: date | None = Field(None, description="documents that may be of this day or earlier")
    threshold: float = Field(0.0, ge=0, description="hits with a lower score are left out; 0 shows everything")
    mode: Mode = Field(Mode.FULL, description="full, or a part of it to compare with: fused, dense, sparse")

    @model_validator(mode="after")
    def _refuse_what_no_document_can_have(self) -> Self:
        """Refuse half of a character pair in a filter (no store takes it), and a range of days that ends before it begins."""
        listed = (value for values in self.__dict__.values() if isinstance(values, tuple) for value in values)
        if any("\ud800" <= sign <= "\udfff" for value in listed for sign in value):
            raise ValueError("a filter holds half of a character")
        if self.dated_from and self.dated_to and self.dated_from > self.dated_to:
            raise ValueError("dated_from is after dated_to")
        return self

    def where(self) -> PointFilter:
        """Return the filter that both branches of the query apply."""
        sections = (
            tuple(s for s in (self.sections or CRITERION_SECTIONS) if s in CRITERION_SECTIONS) if self.criteria_only else self.sections
        )
        return PointFilter(
            sections=sections,
            exclude_exclusion_criteria=self.exclude_exclusion_criteria,
            overall_status=(RECRUITING,) if self.recruiting_only else self.overall_status,
            kinds=self.kinds,
            sources=self.sources,
            nct_ids=self.nct_ids,
            phases=self.phases,
            study_types=self.study_types,
            conditions=self.conditions,
            patients=self.patients,
            access=self.access,
            departments=self.departments,
            agencies=self.agencies,
            states=self.states,
            protocol_numbers=self.protocol_numbers,
            reference_numbers=self.reference_numbers,
            icd_codes=self.icd_codes,
            loinc_codes=self.loinc_codes,
            snomed_codes=self.snomed_codes,
            rxnorm_codes=self.rxnorm_codes,
            encounters=self.encounters,
            resource_status=self.resource_status,
            content_types=self.content_types,
            elements=self.elements,
            scopes=self.scopes,
            dated_from=None if self.dated_from is None else day_number(self.dated_from),
            dated_to=None if self.dated_to is None else day_number(self.dated_to),
        )


class Scores(BaseModel):
    """What a hit's score was made of."""

    dense: float | None = Field(None, description="best cosine similarity of its passage to a wording of the query; null: not found by it")
    sparse: float | None = Field(None, description="best BM25 score of its passage; null: not found by it")
    fused: float = Field(description="sum over rankings of weight / (k + rank)")
    signals: dict[str, float] = Field({}, description="what re-ranking looked at, by name")


class Span(BaseModel):
    """Half-open range of characters in the named part of the source document."""

    part: str
    start: int
    end: int


class Withheld(StrEnum):
    """Why a picture is not shown."""

    REDACTED_PAGE = "redacted_page"  # its publisher blacked out parts of its page
    CLINICAL = "clinical"  # a picture cannot be de-identified
    LOST = "lost"


class Figure(BaseModel):
    """The picture that a passage tells of."""

    position: int = Field(description="among the document's pictures, from 1: what a picture is asked for by")
    number: int = Field(description="among its figures, as passages name it")
    page: int
    kind: str
    width: int | None = Field(description="pixels; null: it is withheld")
    height: int | None
    captioned_by: str = Field(description="printed, ocr, vision; empty: by nothing")
    withheld: Withheld | None = Field(description="why the picture cannot be had; null: it can")


class MatchedTerm(BaseModel):
    """A word of a hit's own text that agrees with a wording of the query."""

    text: str = Field(repr=False)
    exact: bool = Field(description="it stands so in a wording; else their stems, or numbers and units, agree")
    wording: str = Field(description="original, corrected, expanded, synonym, focus: the first wording that has it")
    places: list[tuple[int, int]] = Field(description="half-open ranges of characters of the hit's text")


class Matched(BaseModel):
    """Why a hit is among the hits; its scores stand beside."""

    terms: list[MatchedTerm]
    found_by: list[str] = Field(description="dense, sparse")
    wordings: list[str] = Field(description="kinds of wordings that found it")
    route: str
    filters: dict[str, list[str]] = Field(description="conditions that the query, its route included, set, by name")


class JoinedPassage(BaseModel):
    """A passage with its neighbours in the section that were found, too: what they share stands in it once. The passage is what is cited."""

    text: str = Field(repr=False)
    span: Span
    page: int | None = None
    page_to: int | None = None
    passages: int = Field(description="how many were joined")


class RelatedHit(BaseModel):
    """Another chunk of the same study that matched, too."""

    section: str
    ordinal: int
    score: float
    text: str = Field(repr=False)
    citation: str
    token: str = Field("", description="citation token: `clindex cite TOKEN`")
    text_hash: str = Field("", description="SHA-256 of text")
    span: Span | None = None
    page: int | None = None
    figure: Figure | None = None
    joined: JoinedPassage | None = Field(None, description="the passage with its neighbours that were found, too; null: none was")


class Hit(BaseModel):
    """One hit, hydrated from truth."""

    document_id: str
    source: str
    kind: str
    nct_id: str | None
    title: str = Field(repr=False)
    status: str | None
    status_as_of: str | None
    status_age_days: int | None
    section: str
    ordinal: int
    is_exclusion: bool | None
    scope: list[str]
    text: str = Field(repr=False)
    span: Span
    page: int | None
    score: float
    scores: Scores
    citation: str
    token: str = Field("", description="citation token: `clindex cite TOKEN` says what became of the passage")
    text_hash: str = Field("", description="SHA-256 of text")
    version: str | None = Field(None, description="of the document's text; changes when, and only when, the de-identified text does")
    generation: int = Field(0, description="of the document's points, in which the passage was found")
    why: Matched | None = None
    figure: Figure | None = Field(None, description="where the passage is a figure")
    related: list[RelatedHit]
    patient: str | None = Field(None, description="pseudonym, of clinical documents")
    access: str | None = Field(None, description="the site's access label")
    department: str | None = None
    page_to: int | None = Field(None, description="page that it ends on; page is the one it begins on")
    headings: list[str] = Field([], repr=False, description="of the sections around it, outermost first, its own last")
    content_type: str | None = None
    element: str = Element.TEXT.value
    element_number: int | None = Field(None, description="of the table or figure in its document")
    confidence: float = Field(1.0, description="0..1, of text that OCR read")
    ocr_suspect: bool = Field(False, description="a number or unit in it is not sure: look at the page")
    suspects: list[Span] = Field([], description="where")
    document_date: str | None = None
    author_role: str | None = None
    agency: str | None = None
    state: str | None = None
    protocol_number: str | None = None
    amendment: str | None = None
    reference_number: str | None = None
    nct_ids: list[str] = []
    icd_codes: list[str] = []
    loinc_codes: list[str] = Field([], description="this and what follows: of a FHIR resource")
    snomed_codes: list[str] = []
    rxnorm_codes: list[str] = []
    encounter: str | None = Field(None, description="pseudonym")
    resource_status: str | None = None
    status_confirmed_at: str | None = Field(None, description="when its source last said so, ISO 8601; null: it has no status")
    status_age_hours: float | None = Field(None, description="hours since then; status_age_days counts from the source's own date")
    status_stale: bool = Field(
        False, description="older than CLINDEX_STATUS_MAX_AGE_HOURS, or its source lists a newer version not taken yet"
    )
    joined: JoinedPassage | None = Field(None, description="the passage with its neighbours that were found, too; null: none was")


class SearchResult(BaseModel):
    """All hits of one search, best first."""

    query: str = Field(repr=False)
    route: str
    refused: bool
    hits: list[Hit]
    dropped: dict[str, int] = Field(
        description="points that matched but were not shown, by reason (not_in_truth, changed_since, below_threshold)"
    )
    seconds: float
    reading: QueryReading = Field(QueryReading(), description="how the query was read: spelling, further wordings, identifiers")
    search_id: str | None = Field(None, description="of the service's log: feedback names it; null: not asked over HTTP")


def make_request(**values: object) -> SearchRequest:
    """Build a request from a caller's values.

    Raises:
        UsageError: A value is out of bounds; the message names fields, never their content.
    """
    try:
        return SearchRequest.model_validate(values)
    except ValidationError as error:
        fields = ", ".join(
            sorted({".".join(str(part) for part in one["loc"][:1]) or one["msg"] for one in error.errors(include_input=False)})
        )
        raise UsageError(f"not a valid search: {fields}", remedy=f"Sections are {', '.join(Section)}.") from None
