"""Words for a citation: "NCT01234567, 3rd inclusion criterion", "discharge summary 0f3a91c2, p. 2, 1st passage of medications"."""

from __future__ import annotations

from datetime import date

from pipeline.domain.chunks import Chunk
from pipeline.domain.documents import Facets
from pipeline.domain.vocabulary import DocumentKind, Element, Section

_NOUNS = {
    Section.INCLUSION_CRITERION: "inclusion criterion",
    Section.EXCLUSION_CRITERION: "exclusion criterion",
    Section.ELIGIBILITY_UNPARSED: "passage of the eligibility text (polarity not stated)",
    Section.BRIEF_SUMMARY: "passage of the brief summary",
    Section.DETAILED_DESCRIPTION: "passage of the detailed description",
    Section.INTERVENTION: "intervention or arm",
    Section.OUTCOME: "outcome measure",
    Section.TITLE_CONDITIONS: "title and conditions",
}

_KEY_SHOWN = 8  # hex digits of a document's hashed key: enough to tell a screen of citations apart


def ordinal_word(number: int) -> str:
    """Return ``1st``, ``2nd``, ``3rd``, ``4th``, ``11th``, ``21st`` and so on."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def place(chunk: Chunk, *, kind: str = DocumentKind.TRIAL) -> str:
    """Return where in its document a chunk stands."""
    noun = _NOUNS.get(chunk.section) if kind == DocumentKind.TRIAL else None
    noun = noun or f"passage of {_words(chunk.section)}"
    words = noun if chunk.section is Section.TITLE_CONDITIONS else f"{ordinal_word(chunk.ordinal)} {noun}"
    if chunk.repeats:
        words += f" (again as {', '.join(ordinal_word(n) for n in chunk.repeats)})"
    if chunk.pieces > 1:
        words += f" (part {chunk.piece} of {chunk.pieces})"
    if chunk.element is not Element.TEXT:
        words += f" ({chunk.element.value} {chunk.element_number})"
    if chunk.scope:
        words += f" [{' / '.join(chunk.scope)}]"
    return f"{pages(chunk)}, {words}" if chunk.page else words


def _words(section: Section) -> str:
    return "the text" if section is Section.NOTE_TEXT else section.value.replace("_", " ").lower()


def pages(chunk: Chunk) -> str:
    """Return ``p. 3`` or ``pp. 3–4``."""
    return f"pp. {chunk.page}–{chunk.page_to}" if chunk.page_to and chunk.page_to != chunk.page else f"p. {chunk.page}"


def citation(source_key: str, chunk: Chunk, *, kind: str = DocumentKind.TRIAL, facets: Facets | None = None) -> str:
    """Return the citation of a chunk.

    A trial is known by its key; a public document by its own number where it has one; any other by its kind and the beginning of its
    hashed key.
    """
    if kind == DocumentKind.TRIAL:
        return f"{source_key}, {place(chunk)}"
    words = "document" if kind == DocumentKind.UNKNOWN else kind.replace("_", " ")
    return f"{words} {_number(facets) or source_key[:_KEY_SHOWN]}, {place(chunk, kind=kind)}"


def _number(facets: Facets | None) -> str | None:
    if facets is None:
        return None
    if facets.protocol_number and facets.amendment:
        return f"{facets.protocol_number} (amendment {facets.amendment})"
    return facets.protocol_number or facets.reference_number


def age_in_days(status_as_of: str | None, today: date) -> int | None:
    """Return how old a status is; a month or a year counts from its first day. ``None`` where no date is known."""
    if not status_as_of:
        return None
    parts = status_as_of.split("-")
    try:
        day = date(int(parts[0]), int(parts[1]) if len(parts) > 1 else 1, int(parts[2][:2]) if len(parts) > 2 else 1)
    except ValueError:
        return None
    return (today - day).days
