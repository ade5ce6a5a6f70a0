"""The order in which documents, and the passages of each, are shown: a small linear model over documented signals.

Trials for a patient and whatever else is asked are read differently, so each family has its own signals; scores of both are probabilities
of relevance.
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

    Scores of groups and passages are probabilities of relevance (0..1), on one scale over all kinds. Trials for a patient are chosen and
    scored by what their criteria say of that patient; whatever else is asked, trials are documents like others.
    """
    for_patient = understood.patient is not None
    trials = [group for group in groups if for_patient and group.document.kind == DocumentKind.TRIAL]
    others = [group for group in groups if not for_patient or group.document.kind != DocumentKind.TRIAL]
    scored = [
        *rank_trials(trials, packaged_models(Family.TRIAL)),
        *rank_documents(understood, others, packaged_models(Family.DOCUMENT)),
    ]
    return sorted(scored, key=lambda group: (-group.score, str(group.document_id)))
