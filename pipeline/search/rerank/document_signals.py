"""What is seen of a document and of a passage beside a query: named signals, each between -1 and 1."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.passages import Group, Passage
from pipeline.search.rerank import dosing
from pipeline.search.rerank.document_query import Question
from pipeline.search.rerank.population import Population, agreement, of_chunk, of_document
from pipeline.search.rerank.sections import section_fit
from pipeline.search.understand.model import Intent

#: Characters of a passage below which it is mostly a heading or a form's label; the penalty falls linearly to 0 there.
SHORT: Final = 80
#: Rank at which a reciprocal rank is a half: what differs among the first few matters most.
HALF_RANK: Final = 10

# Documents that name everything and say nothing of it.
_LISTING: Final = re.compile(
    r"\b(?:table of contents|index of|list of|contents|directory|roster|data dictionary|glossary|abbreviations)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Field:
    """What a passage is compared with: all passages of the search.

    Attributes:
        rarity: Weight of each stem of the question by how few passages hold it.
        best_sparse: The highest BM25 score (of its own scale in every search); 0 where there is none.
        best_fused: The highest fused score.
    """

    rarity: Mapping[int, float]
    best_sparse: float
    best_fused: float


def field_of(asked: Question, groups: Sequence[Group], held: Sequence[set[int]]) -> Field:
    """Return the field of a search.

    Args:
        asked: The question.
        groups: All documents that were found.
        held: Stems of every passage.
    """
    wanted = frozenset().union(*asked.wordings)
    counts = {stem: sum(stem in one for one in held) for stem in wanted}
    candidates = [passage.candidate for group in groups for passage in group.passages]
    return Field(
        rarity={stem: math.log(1 + (len(held) + 1) / (count + 0.5)) for stem, count in counts.items()},
        best_sparse=max((one.sparse or 0.0 for one in candidates), default=0.0),
        best_fused=max((one.fused for one in candidates), default=0.0),
    )


def coverage(asked: Question, held: set[int], field: Field) -> float:
    """Return the share of what is asked that is held (0..1), rare words counting more; of the wording that fares best."""
    best = 0.0
    for wording in asked.wordings:
        total = sum(field.rarity[stem] for stem in wording)
        if total:
            best = max(best, sum(field.rarity[stem] for stem in wording & held) / total)
    return best


def focus(asked: Question, held: set[int]) -> float:
    """Return the share of a title that the question names (0..1); of the wording that fares best."""
    return max((len(wording & held) / len(held) for wording in asked.wordings), default=0.0) if held else 0.0


def is_about(asked: Question, title: str) -> bool:
    """Whether a document's title names a drug that is asked about."""
    return any(drug.search(title) for drug in asked.drugs)


def document_signals(asked: Question, group: Group, title: set[int], field: Field) -> dict[str, float]:
    """Return what is seen of the document as a whole."""
    about = group.document
    return {
        "title_coverage": coverage(asked, title, field),
        "title_focus": focus(asked, title),
        "drug_in_title": float(is_about(asked, about.title)),
        "document_population": agreement(asked.population, of_document(about)),
        "trial": float(about.kind == DocumentKind.TRIAL) if Intent.TRIAL_SEARCH in asked.intents else 0.0,
        "listing": float(_LISTING.search(about.title) is not None),
    }


def passage_signals(asked: Question, group: Group, passage: Passage, held: set[int], field: Field) -> dict[str, float]:
    """Return what is seen of one passage.

    Args:
        asked: The question.
        group: Its document.
        passage: It.
        held: Its stems, with those of its headings and of the document's title.
        field: Of the search.
    """
    candidate, chunk = passage.candidate, passage.row.chunk
    about = is_about(asked, group.document.title)
    dose = dosing.beside(chunk.text, asked.drugs, about=about) if asked.wants_dose else 0.0
    return {
        "cosine": candidate.dense or 0.0,
        "bm25": (candidate.sparse or 0.0) / field.best_sparse if field.best_sparse else 0.0,
        "fused": candidate.fused / field.best_fused if field.best_fused else 0.0,
        "dense_rank": _by_rank(candidate.dense_rank),
        "sparse_rank": _by_rank(candidate.sparse_rank),
        "coverage": coverage(asked, held, field),
        "section": section_fit(chunk.section, asked.intents),
        "dose": dose,
        "dose_by_weight": float(bool(dose) and asked.population is Population.CHILD and dosing.by_weight(chunk.text)),
        "population": agreement(asked.population, of_chunk(chunk)),
        "short": max(0.0, 1.0 - len(chunk.text) / SHORT),
    }


def _by_rank(rank: int | None) -> float:
    return 0.0 if rank is None else HALF_RANK / (HALF_RANK + rank - 1)
