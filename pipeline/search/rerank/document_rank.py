"""Documents that are no trials and were found, scored: in go groups in the order of fused scores, out go groups with signals and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.search.passages import Group, Passage
from pipeline.search.rerank.document_query import question, stems
from pipeline.search.rerank.document_signals import document_signals, field_of, passage_signals
from pipeline.search.rerank.linear import FamilyModels, probability
from pipeline.search.understand.model import Understood


@dataclass(frozen=True, slots=True)
class Seen:
    """The signals of one document, and of its passages in their order."""

    document: Mapping[str, float]
    passages: tuple[Mapping[str, float], ...]


def rank_documents(understood: Understood, groups: Sequence[Group], models: FamilyModels) -> list[Group]:
    """Return the groups with their passages best first and their scores (probabilities of relevance), in any order."""
    _, seen = see(understood, groups)
    return [_scored(group, one, models) for group, one in zip(groups, seen, strict=True)]


def see(understood: Understood, groups: Sequence[Group]) -> tuple[bool, list[Seen]]:
    """Return whether a dose is asked for, and the signals of each group."""
    asked = question(understood)
    titles = [stems(group.document.title) for group in groups]
    held = [[title | _stems_of(passage) for passage in group.passages] for title, group in zip(titles, groups, strict=True)]
    field = field_of(asked, groups, [one for its in held for one in its])
    seen = []
    for group, title, its in zip(groups, titles, held, strict=True):
        passages = tuple(passage_signals(asked, group, passage, one, field) for passage, one in zip(group.passages, its, strict=True))
        seen.append(Seen(document_signals(asked, group, title, field), passages))
    return asked.wants_dose, seen


def _stems_of(passage: Passage) -> set[int]:
    chunk = passage.row.chunk
    return stems(" ".join((*chunk.headings, chunk.text)))


def _scored(group: Group, seen: Seen, models: FamilyModels) -> Group:
    odds = [models.passage.log_odds(signals) for signals in seen.passages]
    order = sorted(range(len(odds)), key=lambda number: -odds[number])  # stable: ties stay in the order of fused scores
    passages = tuple(replace(group.passages[number], score=probability(odds[number])) for number in order)
    signals = {**seen.document, "best_passage": odds[order[0]]}
    score = probability(models.document.log_odds(signals))
    shown = signals | {f"passage_{name}": value for name, value in seen.passages[order[0]].items()}
    return replace(group, passages=passages, score=score, signals=shown)
