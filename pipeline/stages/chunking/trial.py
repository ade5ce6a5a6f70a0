"""A de-identified trial comes in; its chunks and the account of every character go out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import ParseOutcome, Section
from pipeline.stages.chunking.context import abbreviate
from pipeline.stages.chunking.draft import Draft, Drafts
from pipeline.stages.chunking.eligibility import Eligibility, read_eligibility
from pipeline.stages.chunking.finish import finish, markup_drops
from pipeline.stages.chunking.markup import Folded, fold
from pipeline.stages.chunking.passage import passage
from pipeline.stages.chunking.prose import read_prose_part

# Part of every fingerprint: a change re-indexes every document (from the embedding cache where its texts stay equal).
# 1: first version.
CHUNKER_VERSION: Final = "trial-1"

_ELIGIBILITY: Final = "eligibility_criteria"
_PROSE: Final = {
    "brief_summary": Section.BRIEF_SUMMARY,
    "detailed_description": Section.DETAILED_DESCRIPTION,
    "study_population": Section.ELIGIBILITY_UNPARSED,
}
# One unit each, named with or without an index: interventions[2].
_UNITS: Final = {
    "title_conditions": Section.TITLE_CONDITIONS,
    "interventions": Section.INTERVENTION,
    "arm_groups": Section.INTERVENTION,
    "primary_outcomes": Section.OUTCOME,
    "secondary_outcomes": Section.OUTCOME,
    "other_outcomes": Section.OUTCOME,
}
_PARENT_SHARE: Final = 3


@dataclass(slots=True)
class _Result:
    drafts: Drafts
    outcome: ParseOutcome = ParseOutcome.NO_CRITERIA
    formats: tuple[str, ...] = ()
    language: str | None = None


class Chunker:
    """Cuts trials into citable chunks: pure and deterministic, the same document gives the same chunks.

    Args:
        tokens: Counts as the embedding model counts; no chunk's ``embed_text`` exceeds its window.
        parent_context_characters: Most characters of a parent that a nested criterion is prefixed with.
        prose_target_tokens: Prose is packed to at most this many tokens.
    """

    def __init__(self, tokens: TokenCounter, *, parent_context_characters: int, prose_target_tokens: int) -> None:
        self._tokens = tokens
        self._parent_characters = parent_context_characters
        self._target = prose_target_tokens

    @property
    def version(self) -> str:
        """Version and parameters, for the recipe."""
        return f"{CHUNKER_VERSION};parent={self._parent_characters};prose={self._target};window={self._tokens.window}"

    def chunk(self, document: DeidentifiedDocument) -> ChunkedDocument:
        """Return the chunks of ``document`` in order of section and ordinal, and where every character went."""
        result = _Result(Drafts())
        ordinals: Counter[Section] = Counter()
        for part in document.parts:
            self._read(part, result, ordinals)
        chunks, drops, loss = finish(document.parts, result.drafts, self._tokens)
        return ChunkedDocument(chunks, drops, loss, result.outcome, result.formats, result.language)

    def _read(self, part: DeidentifiedPart, result: _Result, ordinals: Counter[Section]) -> None:
        folded = fold(part.text)
        result.drafts.drops += markup_drops(part.name, folded)
        kind = part.name.partition("[")[0]
        if kind == _ELIGIBILITY:
            read = read_eligibility(part.name, folded, self._tokens, parent_context_characters=self._parent_characters)
            _adopt(result, read)
            drafts = read.drafts
        elif kind in _PROSE:
            section = _PROSE[kind]
            drafts = read_prose_part(part.name, folded, self._tokens, section=section, first_ordinal=1, target_tokens=self._target)
        else:
            drafts = self._unit(part.name, folded, _UNITS.get(kind, Section.DETAILED_DESCRIPTION))
        highest = ordinals.copy()
        for draft in drafts.drafts:  # ordinals of a part count from 1; of the document, they go on
            highest[draft.section] = max(highest[draft.section], ordinals[draft.section] + max([draft.ordinal, *draft.repeats]))
            draft.repeats = [ordinals[draft.section] + ordinal for ordinal in draft.repeats]
            draft.ordinal += ordinals[draft.section]
        ordinals.update({section: highest[section] - ordinals[section] for section in highest})
        result.drafts.drafts += drafts.drafts
        result.drafts.drops += drafts.drops
        result.drafts.carried += drafts.carried

    def _unit(self, name: str, folded: Folded, section: Section) -> Drafts:
        """A part that is one unit: its lines stay lines, and pieces after the first carry its first line."""
        words = passage(folded, [(0, len(folded.text))], lines=True)
        if not words.words:
            return Drafts()
        first_line = words.text.partition("\n")[0]
        head = abbreviate(first_line, self._tokens, characters=self._parent_characters, max_tokens=self._tokens.window // _PARENT_SHARE)
        return Drafts([Draft(section, 1, None, name, words, later_context=(head.text,))])


def _adopt(result: _Result, read: Eligibility) -> None:
    result.outcome, result.formats, result.language = read.outcome, read.formats, read.language
