"""The order in which documents, and the passages of each, are shown: a small linear model over documented signals.

Trials and other documents are read differently, so each family has its own signals; scores of both are probabilities of relevance.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.passages import Group
from pipeline.search.rerank.document_rank import rank_documents
from pipeline.search.rerank.linear import Family, packaged_models
from pipeline.search.rerank.trial_rank import rank_trials
from pipeline.search.understand.model import Understood


def rerank(understood: Understood, groups: Sequence[Group]) -> list[Group]:
    """Return the groups, best first, each with its passages best first and the signals that say so.

    Scores of groups and passages are probabilities of relevance (0..1), on one scale over all kinds.
    """
    trials = [group for group in groups if group.document.kind == DocumentKind.TRIAL]
    others = [group for group in groups if group.document.kind != DocumentKind.TRIAL]
    scored = [
        *rank_trials(understood, trials, packaged_models(Family.TRIAL)),
        *rank_documents(understood, others, packaged_models(Family.DOCUMENT)),
    ]
    return sorted(scored, key=lambda group: (-group.score, str(group.document_id)))
