"""Documents that are no trials and were found, scored: in go groups in the order of fused scores, out go groups with signals and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.search.passages import Group, Passage
from pipeline.search.rerank.document_query import Question, question, stems
from pipeline.search.rerank.document_signals import Field, document_signals, field_of, passage_signals
from pipeline.search.rerank.linear import FamilyModels, probability
from pipeline.search.understand.model import Understood


def rank_documents(understood: Understood, groups: Sequence[Group], models: FamilyModels) -> list[Group]:
    """Return the groups with their passages best first and their scores (probabilities of relevance), in any order."""
    asked = question(understood)
    titles = [stems(group.document.title) for group in groups]
    held = [[title | _stems_of(passage) for passage in group.passages] for title, group in zip(titles, groups, strict=True)]
    field = field_of(asked, groups, [stems_ for one in held for stems_ in one])
    return [_scored(asked, group, title, its, field, models) for group, title, its in zip(groups, titles, held, strict=True)]


def _stems_of(passage: Passage) -> set[int]:
    chunk = passage.row.chunk
    return stems(" ".join((*chunk.headings, chunk.text)))


def _scored(asked: Question, group: Group, title: set[int], held: Sequence[set[int]], field: Field, models: FamilyModels) -> Group:
    seen = [passage_signals(asked, group, passage, its, field) for passage, its in zip(group.passages, held, strict=True)]
    odds = [models.passage.log_odds(signals) for signals in seen]
    order = sorted(range(len(odds)), key=lambda number: -odds[number])  # stable: ties stay in the order of fused scores
    passages = tuple(replace(group.passages[number], score=probability(odds[number])) for number in order)
    best = order[0]
    signals = {**document_signals(asked, group, title, field), "best_passage": odds[best]}
    score = probability(models.document.log_odds(signals))
    shown = signals | {f"passage_{name}": value for name, value in seen[best].items()}
    return replace(group, passages=passages, score=score, signals=shown)
