"""A de-identified document that is no trial comes in; cited chunks and the account of every character go out.

Sections come from the sectioner. Within them clinical text is cut by whole sentences to a number of tokens, protocols and their like by
paragraphs to a number of characters (decision 0012). The text is taken as it is: undoing escapes or entities after de-identification could
make an identifier readable that nobody has seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.domain.chunks import Chunk, ChunkedDocument, Drop, Span
from pipeline.domain.documents import FURNITURE_PART, DeidentifiedDocument, DeidentifiedPart
from pipeline.domain.ports import TokenCounter
from pipeline.domain.sections import Sectioner, SectionSpan
from pipeline.domain.vocabulary import PUBLIC_KINDS, DropReason, ParseOutcome, Section
from pipeline.stages.chunking.clauses import fragments
from pipeline.stages.chunking.clinical import ClinicalRules
from pipeline.stages.chunking.facts import Facts
from pipeline.stages.chunking.loss import Claim, account
from pipeline.stages.chunking.made import Draft, chunk_of, claims_of, fitted, headings_of, pieces_of
from pipeline.stages.chunking.pack import pack
from pipeline.stages.chunking.prefix import Prefixes
from pipeline.stages.chunking.protocol import ProtocolRules
from pipeline.stages.chunking.rules import Rules, Run
from pipeline.stages.chunking.shown import Shown, shown
from pipeline.stages.chunking.streams import Stream, streams_of
from pipeline.stages.chunking.units import Unit, UnitKind, units_of

# 1: first version: sections, clinical and protocol rules, tables and figures.
DOCUMENT_CHUNKER_VERSION: Final = "document-1"
# Title and headings before the embedded text, measured in decision 0012; never more than a fifth of a small window.
PREFIX_TOKENS: Final = 48
_PREFIX_SHARE: Final = 5
# No text of 254 word pieces is longer than this many characters a piece, unless it is made of words that the model does not know.
_CHARACTERS_A_TOKEN: Final = 8
_ROW_NAME_CHARACTERS: Final = 60  # of a row's first cell, where the rest of an over-long row says it again


@dataclass(slots=True)
class _Read:
    """What reading the parts gave so far."""

    drafts: list[Draft] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)


class DocumentChunker:
    """Cuts notes, reports, protocols and papers into citable chunks: pure and deterministic, the same document gives the same chunks.

    Args:
        tokens: Counts as the embedding model counts; no chunk's ``embed_text`` exceeds its window.
        sectioner: Finds the sections of a document's parts.
        prose_target_tokens: Tokens that chunks of clinical text are packed to.
        overlap_sentences: Whole sentences that such a chunk repeats of the one before it in its section.
        target_characters: Characters that chunks of protocols, plans, guidelines and papers are packed to.
        min_characters: Shorter ones are avoided.
        max_characters: Longer ones do not occur.
        overlap_characters: About so many characters, in whole sentences, are repeated of the chunk before.
    """

    def __init__(
        self,
        tokens: TokenCounter,
        sectioner: Sectioner,
        *,
        prose_target_tokens: int,
        overlap_sentences: int,
        target_characters: int,
        min_characters: int,
        max_characters: int,
        overlap_characters: int,
    ) -> None:
        self._tokens = tokens
        self._sectioner = sectioner
        self._special = tokens.count("")
        room = max(1, tokens.window - self._special)
        self._clinical = ClinicalRules(min(prose_target_tokens, room), room, tokens.window * _CHARACTERS_A_TOKEN, overlap_sentences)
        self._protocol = ProtocolRules(target_characters, min_characters, max_characters, overlap_characters)
        self._prefix_limit = min(PREFIX_TOKENS, tokens.window // _PREFIX_SHARE)

    @property
    def version(self) -> str:
        """Version and parameters, for the recipe."""
        clinical, protocol = self._clinical, self._protocol
        sizes = f"prose={clinical.target}+{clinical.overlap_sentences};characters={protocol.minimum}-{protocol.target}-{protocol.maximum}"
        return (
            f"{DOCUMENT_CHUNKER_VERSION};{self._sectioner.version};{sizes}+{protocol.overlap_characters}"
            f";prefix={self._prefix_limit};window={self._tokens.window}"
        )

    def chunk(self, document: DeidentifiedDocument) -> ChunkedDocument:
        """Return the chunks of ``document`` in reading order, and where every character went."""
        rules: Rules = self._protocol if document.kind in PUBLIC_KINDS else self._clinical
        sections: dict[str, list[SectionSpan]] = {}
        for section in self._sectioner.sections(document):
            sections.setdefault(section.part, []).append(section)
        headings = {heading for spans in sections.values() for section in spans for heading in section.path}
        prefixes = Prefixes(document.title, headings, self._tokens, limit=self._prefix_limit)
        read = _Read()
        for part in document.parts:
            if part.name == FURNITURE_PART:
                read.drops.append(Drop(part.name, Span(0, len(part.text)), DropReason.FURNITURE))
            else:
                self._read(part, sections.get(part.name, []), prefixes, rules, read)
        return self._finished(document.parts, read)

    def _read(self, part: DeidentifiedPart, sections: Sequence[SectionSpan], prefixes: Prefixes, rules: Rules, read: _Read) -> None:
        source, facts = shown(part), Facts(part)
        read.drops += source.drops()
        limits = [self._tokens.window - self._special - prefixes.of(section.path)[1] for section in sections]
        units = self._counted(source, units_of(source, sections, self._tokens))
        leads = self._lead_tokens(units)
        small: list[Unit] = []
        for unit in units:
            small += self._cut(unit, source, facts, rules, limits[unit.section], leads)
        leads = self._lead_tokens(small)
        for stream in streams_of(small, sections, rules.may_join):
            budget = min(limits[index] for index in {unit.section for unit in stream.units})
            for run in pack(stream.units, rules, budget=budget, lead_tokens=[leads[unit.lead] for unit in stream.units]):
                draft, drops = _draft(source, facts, stream, run, sections, prefixes)
                read.drafts.append(draft)
                read.drops += drops

    def _counted(self, source: Shown, units: Sequence[Unit]) -> list[Unit]:
        counts = self._tokens.count_many([source.text[unit.start : unit.end] for unit in units])
        return [replace(unit, tokens=count - self._special) for unit, count in zip(units, counts, strict=True)]

    def _lead_tokens(self, units: Sequence[Unit]) -> dict[tuple[str, ...], int]:
        leads = sorted({unit.lead for unit in units})
        counts = self._tokens.count_many(["".join(f"{one}: " for one in lead) for lead in leads])
        return {lead: count - self._special for lead, count in zip(leads, counts, strict=True)}

    def _cut(self, unit: Unit, source: Shown, facts: Facts, rules: Rules, limit: int, leads: dict[tuple[str, ...], int]) -> Sequence[Unit]:
        if unit.tokens + leads[unit.lead] <= limit and unit.end - unit.start < rules.longest:
            return (unit,)
        cells = facts.cells(unit.start, unit.end) if unit.kind is UnitKind.ROW else []
        ends = [cell.end for cell in cells]
        later = (source.stretch(unit.start, min(ends[0], unit.start + _ROW_NAME_CHARACTERS)),) if ends else ()
        return fragments(source, unit, self._tokens, limit=limit, characters=rules.longest - 1, cells=ends, later=later)

    def _finished(self, parts: Sequence[DeidentifiedPart], read: _Read) -> ChunkedDocument:
        chunks: list[Chunk] = []
        claims: list[Claim] = []
        ordinals: Counter[Section] = Counter()
        for draft, text, embed_text, count in fitted(read.drafts, self._tokens):
            ordinals[draft.section.section] += 1
            claims += claims_of(draft, len(chunks))
            chunks.append(chunk_of(draft, text, embed_text, count, ordinals[draft.section.section]))
        drops = tuple(sorted(read.drops, key=lambda drop: (drop.part, drop.span)))
        return ChunkedDocument(tuple(chunks), drops, account(parts, chunks, drops, claims), ParseOutcome.NOT_A_TRIAL)


def _draft(
    source: Shown, facts: Facts, stream: Stream, run: Run, sections: Sequence[SectionSpan], prefixes: Prefixes
) -> tuple[Draft, list[Drop]]:
    units, own = stream.units[run.first : run.end], stream.units[run.own : run.end]
    section, headings = headings_of(own, sections)
    says_its_heading = any(unit.kind is UnitKind.HEADING and sections[unit.section] is section for unit in units)
    path = headings[:-1] if says_its_heading and headings == section.path else headings
    pieces, labels, drops = pieces_of(units, source, facts)
    draft = Draft(source, facts, section, headings, pieces, units[0].lead, prefixes.of(path)[0], stream.element, stream.number, labels)
    return draft, drops
