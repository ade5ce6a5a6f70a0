"""What ranks above what, and that each signal is weighed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.search.passages import Group
from pipeline.search.rerank import rerank
from pipeline.search.rerank.document_rank import see
from pipeline.search.rerank.linear import Family, packaged_models
from pipeline.search.understand.model import Intent, Understood, Variant, Why

DOSING, CONTRA, PEDIATRIC = Intent.MEDICATION_DOSING, Intent.CONTRAINDICATION, Intent.PEDIATRIC


def asked(query: str, *others: str, intents: Sequence[Intent] = (Intent.GENERAL,), drugs: Sequence[str] = ()) -> Understood:
    variants = (Variant(query, Why.ORIGINAL), *(Variant(other, Why.EXPANDED) for other in others))
    return Understood(query=query, variants=variants, intents=tuple(intents), drugs=tuple(drugs))


def titles(groups: Sequence[Group]) -> list[str]:
    return [group.document.title for group in groups]


def sections(group: Group) -> list[Section]:
    return [one.row.chunk.section for one in group.passages]


@pytest.fixture
def reference(passage, group):
    """A drug's reference: every passage was found equally well."""
    return group(
        "Drug reference: Ketamine",
        passage("Ketamine for severe pain and for agitation that endangers the patient", Section.INDICATIONS),
        passage("No ketamine with a known allergy, with severe hypertension or below 3 months", Section.CONTRAINDICATIONS),
        passage("Ketamine 0.2 mg/kg IV over 10 minutes; may repeat once after 15 minutes, at most 30 mg", Section.ADULT),
        passage("Ketamine 0.1 mg/kg IV over 10 minutes, only with an order of the base hospital", Section.PEDIATRIC),
    )


@pytest.mark.parametrize(
    ("understood", "first"),
    [
        (asked("ketamine dose", intents=[DOSING], drugs=["ketamine"]), Section.ADULT),
        (asked("ketamine dose child", intents=[PEDIATRIC, DOSING], drugs=["ketamine"]), Section.PEDIATRIC),
        (asked("ketamine contraindications", intents=[CONTRA, DOSING], drugs=["ketamine"]), Section.CONTRAINDICATIONS),
    ],
)
def test_the_passage_that_answers_the_intent_comes_first(reference, understood, first):
    assert sections(rerank(understood, [reference])[0])[0] is first


def test_scores_are_probabilities_in_order_with_their_signals(reference):
    (ranked,) = rerank(asked("ketamine dose", intents=[DOSING], drugs=["ketamine"]), [reference])
    scores = [one.score for one in ranked.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in (*scores, ranked.score))
    assert ranked.signals["drug_in_title"] == ranked.signals["passage_dose"] == 1.0


def test_a_document_about_the_subject_comes_before_one_that_mentions_it(passage, group):
    about = group("Hypothermia", passage("Remove wet clothing and warm the patient.", rank=2))
    mention = group("Radio procedures", passage("Report hypothermia to the base hospital.", rank=1))
    assert titles(rerank(asked("hypothermia"), [mention, about])) == ["Hypothermia", "Radio procedures"]


def test_what_is_for_children_comes_first_only_where_children_are_asked_about(passage, group):
    text = "Give oxygen and a bronchodilator for wheezing."
    adult, child = group("Wheezing", passage(text), reference_number="77"), group("Wheezing", passage(text), reference_number="77-P")
    plain = rerank(asked("wheezing"), [child, adult])
    pediatric = rerank(asked("wheezing in a child", intents=[PEDIATRIC]), [adult, child])
    assert [one.document.facets.reference_number for one in plain] == ["77", "77-P"]
    assert [one.document.facets.reference_number for one in pediatric] == ["77-P", "77"]


def test_a_table_of_contents_comes_after_what_it_lists(passage, group):
    contents = group("Table of contents", passage("Hypothermia 77, Drowning 78", rank=1))
    about = group("Cold injury", passage("Hypothermia: warm the patient.", rank=3))
    assert titles(rerank(asked("hypothermia"), [contents, about]))[0] == "Cold injury"


def test_a_wording_of_the_query_counts_as_well_as_its_own(passage, group):
    written_out = group("Continuous positive airway pressure", passage("Fit the mask.", rank=2))
    other = group("Masks", passage("CPAP masks are kept in the second drawer.", rank=1))
    assert (
        titles(rerank(asked("cpap", "continuous positive airway pressure"), [other, written_out]))[0]
        == "Continuous positive airway pressure"
    )


def test_a_heading_alone_scores_less_than_a_passage(passage, group):
    (ranked,) = rerank(
        asked("chest pain"), [group("Policy", passage("Chest pain"), passage("Chest pain: " + "give aspirin and record a trace. " * 4))]
    )
    assert len(ranked.passages[0].row.chunk.text) > len(ranked.passages[1].row.chunk.text)


def test_trials_come_first_where_trials_are_asked_for_and_only_there(passage, group):
    text = "Adults with stable angina of at least three months"
    trial, note = (
        group("Angina", passage(text), kind=DocumentKind.TRIAL, key="a"),
        group("Angina", passage(text), kind=DocumentKind.NOTE, key="b"),
    )
    wanted = rerank(asked("angina trials", intents=[Intent.TRIAL_SEARCH]), [note, trial])
    general = rerank(asked("angina"), [note, trial])
    assert [one.document.kind for one in wanted] == [DocumentKind.TRIAL, DocumentKind.NOTE]
    assert general[0].score == general[1].score


def test_every_signal_has_a_weight_and_every_weight_a_signal(reference):
    models = packaged_models(Family.DOCUMENT)
    _, (seen,) = see(asked("ketamine dose", intents=[DOSING], drugs=["ketamine"]), [reference])
    assert set(models.document.weights) == {*seen.document, "best_passage"}
    assert all(set(models.passage.weights) == set(one) for one in seen.passages)


def test_signals_lie_within_1(reference):
    _, (seen,) = see(asked("ketamine dose", intents=[DOSING], drugs=["ketamine"]), [reference])
    assert all(-1 <= value <= 1 for one in (seen.document, *seen.passages) for value in one.values())


@pytest.mark.parametrize("query", ["the", "?", "dose", "123"])
def test_a_query_that_names_nothing_ranks_without_failing(reference, query):
    assert len(rerank(asked(query), [reference])) == 1


def test_nothing_found_is_nothing_ranked():
    assert rerank(asked("anything"), []) == []
