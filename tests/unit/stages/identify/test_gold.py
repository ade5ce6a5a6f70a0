from pathlib import Path

import pytest

from pipeline.domain.vocabulary import DocumentKind, Provenance
from pipeline.stages.identify import FactScheme, identify
from pipeline.testing.identity import GoldIdentity, load_gold

GOLD = load_gold(Path(__file__).parents[3] / "golden" / "identity")
#: Its first two pages do not name a protocol: it is left to the sidecar.
NOT_CLASSIFIED = {"16_synopsis_row"}


def named(gold: GoldIdentity) -> str:
    return gold.name


def test_there_are_enough_title_pages():
    assert len(GOLD) >= 15


@pytest.mark.parametrize("gold", GOLD, ids=named)
def test_own_facts_are_exact_and_no_more_are_told(gold):
    identity = identify(gold.read, gold.kind, gold.folder)
    assert {scheme.value: identity.own(scheme) for scheme in FactScheme if identity.own(scheme)} == gold.facts


@pytest.mark.parametrize("gold", GOLD, ids=named)
def test_registrations_of_other_trials_are_not_own(gold):
    identity = identify(gold.read, gold.kind, gold.folder)
    assert tuple(fact.value for fact in identity.facts if not fact.own) == gold.others


@pytest.mark.parametrize("gold", GOLD, ids=named)
def test_title(gold):
    assert identify(gold.read, gold.kind, gold.folder).title == gold.title


@pytest.mark.parametrize("gold", GOLD, ids=named)
def test_kind_by_rules(gold):
    identity = identify(gold.read, None)
    assert identity.kind is (DocumentKind.UNKNOWN if gold.name in NOT_CLASSIFIED else gold.kind)
    assert identity.kind_by is Provenance.EXTRACTED


@pytest.mark.parametrize("gold", GOLD, ids=named)
def test_each_fact_that_was_read_stands_on_the_page_it_names(gold):
    for fact in identify(gold.read, gold.kind, gold.folder).facts:
        if fact.provenance is Provenance.INHERITED:
            assert fact.page is None
        else:
            assert fact.page in {mark.number for mark in (*gold.read.marks, *gold.read.furniture_marks)}
