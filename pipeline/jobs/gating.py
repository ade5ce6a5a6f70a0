"""Lets the gate read everything of a document that goes into the index, and says where it found what. Never a value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.domain.chunks import Chunk, ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument, Facets
from pipeline.domain.phi import IdentifierClass
from pipeline.stages.assemble import table_rows
from pipeline.stages.deidentify import Policy, ReplaceBy
from pipeline.stages.deidentify.coded import coded_in
from pipeline.stages.deidentify.gate import suspects

Known = Mapping[IdentifierClass, Collection[str]]

TITLE: Final = "title"
PAYLOAD: Final = "payload"
TABLE: Final = "table"


@dataclass(frozen=True, slots=True)
class GateFinding:
    """One class of identifiers in one text of a document.

    Attributes:
        where: A chunk's part, ``title``, ``payload`` or ``table``.
        start: Where the first one begins, in characters of the text that the gate read (the chunk's ``embed_text``).
        characters: How many characters all of them cover.
    """

    where: str
    section: str | None
    ordinal: int | None
    category: str
    count: int
    start: int
    characters: int


def judge(document: DeidentifiedDocument, chunked: ChunkedDocument, policy: Policy, known: Known) -> list[GateFinding]:
    """Return what still identifies somebody in a document's chunks, title, tables and payload texts; empty: it may be embedded."""
    classes = policy.classes
    written = written_values(document)
    found: list[GateFinding] = []
    for chunk in chunked.chunks:
        found += read_text(chunk.embed_text, classes, known, written, where=chunk.part, chunk=chunk)
    for where, text in _beside(document, chunked.chunks):
        # What stands for identifiers in a title is not kept: where it reads like one, only what is known of the patient can be told.
        of_text = frozenset(known) if where == TITLE and _is_keyed(policy) else classes
        found += read_text(text, of_text, known, written, where=where)
    return found


def _is_keyed(policy: Policy) -> bool:
    """Whether what stands for identifiers reads like identifiers."""
    return policy.names is not ReplaceBy.PLACEHOLDER or policy.dates is not ReplaceBy.PLACEHOLDER


def written_values(document: DeidentifiedDocument) -> frozenset[str]:
    """Return what de-identification has put in the place of identifiers, placeholders left out, and amounts that are none."""
    values = {part.text[one.start : one.end] for part in document.parts for one in part.redactions}
    coded = coded_in(document.parts)
    return frozenset(value for value in values if not value.startswith("[")) | (coded.measures if coded else frozenset())


def _beside(document: DeidentifiedDocument, chunks: Iterable[Chunk]) -> Iterator[tuple[str, str]]:
    """Yield what is stored or shown beside the texts that are embedded, each once.

    A heading is embedded cut. A row of a table is in a chunk with its labels, and in truth also as it stands here.
    """
    yield TITLE, document.title
    texts = {text for chunk in chunks for text in (*chunk.scope, *chunk.headings)}
    texts.update(facet_texts(document.facets))
    for text in sorted(texts):
        yield PAYLOAD, text
    for text in sorted({row_text(row.cells) for row in table_rows(document)}):
        yield TABLE, text


def row_text(cells: Iterable[str]) -> str:
    """Return a row of a table as one text; its cells stay apart."""
    return " | ".join(cell for cell in cells if cell)


def facet_texts(facets: Facets) -> list[str]:
    """Return facets that come as free text; the others are codes of the source."""
    return [*facets.conditions, *([facets.agency] if facets.agency else [])]


def read_text(
    text: str,
    classes: frozenset[IdentifierClass],
    known: Known,
    written: Iterable[str],
    *,
    where: str,
    chunk: Chunk | None = None,
) -> list[GateFinding]:
    """Return the gate's findings in one text, one a class."""
    found = suspects(text, classes, known=known, written=written)
    if not found:
        return []
    section, ordinal = (chunk.section.value, chunk.ordinal) if chunk else (None, None)
    by_class: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        by_class.setdefault(one.category.value, []).append((one.start, one.end))
    return [
        GateFinding(where, section, ordinal, name, len(spans), spans[0][0], sum(end - start for start, end in spans))
        for name, spans in sorted(by_class.items())
    ]
